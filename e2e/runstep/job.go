package runstep

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// HostedUID is the owner of workspace and temporary folder on GitHub's own runners.
const HostedUID = 1001

// Job is the machine as the steps of one job share it: a workspace, a temporary folder, the runner's own
// variables and what steps set in the environment.
type Job struct {
	Folder string // holds everything; made by NewJob
	UID    int    // owner of the folders, as the runner's user
	Vars   map[string]string
	Env    map[string]string // by earlier steps, through GITHUB_ENV or the workflow's env
}

// NewJob makes the folders of a job and its event payload. Vars are completed with what the runner always sets.
func NewJob(folder string, event []byte, vars map[string]string) (*Job, error) {
	j := &Job{Folder: folder, UID: os.Geteuid(), Vars: runnerVars(), Env: map[string]string{}}
	if j.UID == 0 {
		j.UID = HostedUID
	}
	maps.Copy(j.Vars, vars)
	for _, dir := range j.mounts() {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "temp/_github_workflow/event.json"), event, 0o644); err != nil {
		return nil, err
	}
	if err := j.Own(); err != nil {
		return nil, err
	}
	return j, nil
}

// Workspace is the checkout on this machine.
func (j *Job) Workspace() string { return filepath.Join(j.Folder, "workspace") }

// Temp is RUNNER_TEMP on this machine.
func (j *Job) Temp() string { return filepath.Join(j.Folder, "temp") }

// mounts are the folders of this machine by their place in the container (ContainerActionHandler.cs).
func (j *Job) mounts() map[string]string {
	temp := j.Temp()
	return map[string]string{
		"/github/workspace": j.Workspace(), "/github/runner_temp": temp,
		"/github/home": filepath.Join(temp, "_github_home"), "/github/workflow": filepath.Join(temp, "_github_workflow"),
		"/github/file_commands": filepath.Join(temp, "_runner_file_commands"),
	}
}

// Own gives everything in the job's folder to the runner's user, as if its steps had made it.
func (j *Job) Own() error {
	if os.Geteuid() != 0 {
		return nil
	}
	return filepath.WalkDir(j.Folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, j.UID, j.UID)
	})
}

// Foreign lists what in the workspace does not belong to the runner's user: later steps could not delete it.
func (j *Job) Foreign() ([]string, error) {
	var out []string
	err := filepath.WalkDir(j.Workspace(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return fmt.Errorf("read the owner of %s: this system does not tell", path)
		}
		if int(stat.Uid) != j.UID {
			rel, err := filepath.Rel(j.Workspace(), path)
			if err != nil {
				return err
			}
			out = append(out, rel)
		}
		return nil
	})
	return out, err
}

// runnerVars are the variables that the runner sets in every container action. No workflow can override them.
func runnerVars() map[string]string {
	return map[string]string{
		"CI": "true", "GITHUB_ACTIONS": "true", "HOME": "/github/home", "GITHUB_WORKSPACE": "/github/workspace",
		"GITHUB_EVENT_PATH": "/github/workflow/event.json", "RUNNER_TEMP": "/github/runner_temp",
		"RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "RUNNER_NAME": "runner-1", "RUNNER_ENVIRONMENT": "github-hosted",
		"RUNNER_TOOL_CACHE": "/opt/hostedtoolcache", "GITHUB_RUN_NUMBER": "1", "GITHUB_RUN_ATTEMPT": "1",
		"GITHUB_ACTION": "gate", "GITHUB_ACTION_REPOSITORY": "", "GITHUB_ACTION_REF": "", "GITHUB_RETENTION_DAYS": "90",
		"GITHUB_REF_TYPE": "branch",
	}
}

// environment is what a stage sees. The runner's own variables come last: a step cannot set them.
func (j *Job) environment(layers ...map[string]string) []string {
	all := maps.Clone(j.Env)
	for _, l := range append(layers, j.Vars) {
		maps.Copy(all, l)
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, name+"="+strings.ReplaceAll(all[name], "\x00", ""))
	}
	return out
}

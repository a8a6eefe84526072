package runstep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Stage is one of the three runs of a container action.
type Stage string

// The stages, in order. Pre belongs to the job's set-up, before its first step, and post to its end.
const (
	Pre  Stage = "pre"
	Main Stage = "main"
	Post Stage = "post"
)

// Step is one use of an action in a job.
type Step struct {
	Action *Action
	Job    *Job
	Image  string            // built beforehand
	Name   string            // distinguishes its containers from those of other steps
	With   map[string]string // inputs that the workflow gives
	Token  string            // github.token
	// StartedBy is github.event.workflow_run.id; empty: the event is another one.
	StartedBy string
	Remote    bool     // uses: owner/repo@ref; the runner never runs pre for uses: ./
	Hosts     []string // further names, as NAME:ADDRESS

	// Cancel, when it is closed, ends the main stage as a cancelled job does; Kill as a machine that runs out
	// of memory does.
	Cancel, Kill <-chan struct{}

	Result Result
}

// Line is one line of the log.
type Line struct {
	Stage Stage
	Text  string
}

// Result is what the step did so far.
type Result struct {
	Exit     map[Stage]int
	Failed   bool
	Outputs  map[string]string
	State    map[string]string
	Env      map[string]string
	Path     []string
	Summary  string
	Lines    []Line // as the process wrote them, both streams
	Commands []Command
	Errors   []string // what the runner itself complains of
	Took     map[Stage]time.Duration
}

func (r *Result) fail(format string, args ...any) {
	r.Failed = true
	r.Errors = append(r.Errors, fmt.Sprintf(format, args...))
}

// Log is the log of a stage.
func (r *Result) Log(stage Stage) string {
	var b strings.Builder
	for _, l := range r.Lines {
		if l.Stage == stage {
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}

// Undeclared lists the outputs that action.yml does not declare.
func (s *Step) Undeclared() []string {
	var out []string
	for name := range s.Result.Outputs {
		if _, ok := s.Action.Outputs[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// How long the runner waits between the signals of a cancelled job (ProcessInvoker.cs).
const (
	sigintTimeout  = 7500 * time.Millisecond
	sigtermTimeout = 2500 * time.Millisecond
)

// Run runs one stage to its end. It does nothing where the runner does nothing: pre of a local action, main
// after a failed pre, a stage that the action does not have.
func (s *Step) Run(ctx context.Context, stage Stage) error {
	if s.Result.Exit == nil {
		s.Result = Result{
			Exit: map[Stage]int{}, Outputs: map[string]string{}, State: map[string]string{}, Env: map[string]string{},
			Took: map[Stage]time.Duration{},
		}
	}
	entry := map[Stage]string{Pre: s.Action.Runs.Pre, Main: s.Action.Runs.Entry, Post: s.Action.Runs.Post}[stage]
	switch {
	case stage == Pre && (!s.Remote || entry == ""), stage == Post && entry == "", stage == Main && s.Result.Failed:
		return nil
	}
	files, err := s.makeFiles(stage)
	if err != nil {
		return err
	}
	if err := s.container(ctx, stage, entry, files); err != nil {
		return err
	}
	s.Result.collectFiles(files)
	return nil
}

// makeFiles makes the empty files by which the stage talks back.
func (s *Step) makeFiles(stage Stage) (map[string]string, error) {
	files := map[string]string{}
	for variable, prefix := range commandFiles() {
		path := filepath.Join(s.Job.Temp(), "_runner_file_commands", prefix+s.Name+"_"+string(stage))
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			return nil, err
		}
		if os.Geteuid() == 0 {
			if err := os.Lchown(path, s.Job.UID, s.Job.UID); err != nil {
				return nil, err
			}
		}
		files[variable] = path
	}
	return files, nil
}

// Container is the name of a stage's container.
func (s *Step) Container(stage Stage) string {
	return fmt.Sprintf("gate-e2e-%d-%s-%s", os.Getpid(), s.Name, stage)
}

// arguments are those of docker run. The environment is part of them: in the client's own environment, what a
// step planted would change the client.
func (s *Step) arguments(stage Stage, entry string, files map[string]string) []string {
	inputs := s.Action.values(s.With, s.Token, s.StartedBy)
	given := map[string]string{}
	for name, value := range inputs {
		given[variable(name)] = value
	}
	for name, value := range s.Action.Runs.Env {
		given[name] = expand(value, inputs, s.Token)
	}
	state, talk := map[string]string{}, map[string]string{}
	for name, value := range s.Result.State {
		state["STATE_"+name] = value
	}
	for name, path := range files {
		talk[name] = "/github/file_commands/" + filepath.Base(path)
	}
	args := []string{"run", "--rm", "--name", s.Container(stage), "--workdir", "/github/workspace", "--network", "host"}
	for _, variable := range s.Job.environment(given, state, talk) {
		args = append(args, "-e", variable)
	}
	mounts := s.Job.mounts()
	for _, inside := range slices.Sorted(maps.Keys(mounts)) {
		args = append(args, "-v", mounts[inside]+":"+inside)
	}
	for _, host := range s.Hosts {
		args = append(args, "--add-host", host)
	}
	if entry != "" {
		args = append(args, "--entrypoint", entry)
	}
	args = append(args, s.Image)
	for _, a := range s.Action.Runs.Args {
		args = append(args, expand(a, inputs, s.Token))
	}
	return args
}

// container runs the stage's container and reads its log.
func (s *Step) container(ctx context.Context, stage Stage, entry string, files map[string]string) error {
	args := s.arguments(stage, entry, files)
	c := exec.CommandContext(ctx, "docker", args...)
	stdout, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	stderr, err := c.StderrPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := c.Start(); err != nil {
		return fmt.Errorf("run %s: %w", s.Container(stage), err)
	}
	ended := make(chan struct{})
	if stage == Main {
		go s.interrupt(c.Process, ended)
	}
	scanner := &logScanner{stage: stage, into: &s.Result}
	var streams sync.WaitGroup
	for _, r := range []io.Reader{stdout, stderr} {
		streams.Go(func() { scanner.read(r) })
	}
	streams.Wait()
	err = c.Wait()
	close(ended)
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("run %s: %w", s.Container(stage), err)
	}
	s.Result.Exit[stage], s.Result.Took[stage] = c.ProcessState.ExitCode(), time.Since(began)
	if s.Result.Exit[stage] != 0 {
		s.Result.Failed = true
	}
	return nil
}

// interrupt waits for what ends the main stage early, if anything does.
func (s *Step) interrupt(client *os.Process, ended <-chan struct{}) {
	select {
	case <-ended:
	case <-s.Kill:
		_ = exec.Command("docker", "kill", "--signal", "KILL", s.Container(Main)).Run() // it may have ended by itself
	case <-s.Cancel:
		_ = client.Signal(syscall.SIGINT)
		for _, next := range []struct {
			after  time.Duration
			signal syscall.Signal
		}{{sigintTimeout, syscall.SIGTERM}, {sigtermTimeout, syscall.SIGKILL}} {
			select {
			case <-ended:
				return
			case <-time.After(next.after):
				_ = client.Signal(next.signal)
			}
		}
	}
}

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
)

// What is promised of the image and of a plain run.
const (
	maxImageBytes = 15_000_000
	maxRequests   = 14
)

func docker(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", args...).Output()
	if err != nil {
		t.Fatalf("docker %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

func TestImageSize(t *testing.T) {
	size, err := strconv.Atoi(docker(t, "image", "inspect", "-f", "{{.Size}}", image(t)))
	must(t, err)
	report(t, "image size: %.1f MB (at most %d MB)", float64(size)/1e6, maxImageBytes/1_000_000)
	if size > maxImageBytes {
		t.Errorf("the image has %d bytes", size)
	}
}

// TestImageContents: the program under four names, certificates, a writable /tmp, and nothing else. Two builds
// give the same program.
func TestImageContents(t *testing.T) {
	second := os.Getenv("GATE_E2E_IMAGE_AGAIN")
	if second == "" {
		t.Skip("GATE_E2E_IMAGE_AGAIN is not set: there is no second build to compare with")
	}
	first := contents(t, image(t))
	want := []string{"etc/", "etc/ssl/", "etc/ssl/certs/", "etc/ssl/certs/ca-certificates.crt", "gate", "gate-post", "gate-pre", "gate-run", "tmp/"}
	var names []string
	for name := range first {
		names = append(names, name)
	}
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("the image holds %q, want %q", names, want)
	}
	if again := contents(t, second); first["gate"] != again["gate"] || first["gate"] == "" {
		t.Errorf("two builds give other programs: %s and %s", first["gate"], again["gate"])
	}
	report(t, "two builds, one program: sha256 %s", first["gate"])
	config := docker(t, "image", "inspect", "-f", "{{json .Config.User}} {{json .Config.WorkingDir}} {{json .Config.Env}}", image(t))
	if strings.Contains(config, "/src") || !strings.HasPrefix(config, `"" `) {
		t.Errorf("the image sets user or working directory: %s", config)
	}
}

// contents lists an image's files with the digests of the regular ones.
func contents(t *testing.T, image string) map[string]string {
	t.Helper()
	id := docker(t, "create", image)
	defer docker(t, "rm", id)
	c := exec.Command("sh", "-c", `d=$(mktemp -d) && docker export "$1" | tar -x -C "$d" && cd "$d" &&
find . -mindepth 1 -type d -printf '%P/ dir\n' -o -type f -printf '%P ' -exec sh -c 'sha256sum "$1" | cut -d" " -f1' - {} \; -o -type l -printf '%P link\n' && rm -rf "$d"`, "-", id)
	out, err := c.Output()
	must(t, err)
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if engineMade(name) {
			continue
		}
		files[name] = digest
	}
	return files
}

// engineMade is what the engine itself puts into every container.
func engineMade(name string) bool {
	for _, made := range []string{"dev/", "proc/", "sys/", "etc/hostname", "etc/hosts", "etc/resolv.conf", "etc/mtab", ".dockerenv"} {
		if name == made || strings.HasSuffix(made, "/") && strings.HasPrefix(name, made) {
			return true
		}
	}
	return false
}

// TestRequests: how often a plain run asks GitHub, and what.
func TestRequests(t *testing.T) {
	with := settings{remote: true}
	h := open(t, goodChange(), with)
	s := h.begin(t, runID, 1, with)
	count := func(stage runstep.Stage) {
		before := len(h.Requests())
		must(t, s.step.Run(t.Context(), stage))
		for _, r := range h.Requests()[before:] {
			report(t, "  %-4s %s %s", stage, r.Method, r.URI)
		}
	}
	report(t, "requests of a plain run that passes, first time on its pull request:")
	count(runstep.Pre)
	s.work(t)
	count(runstep.Main)
	count(runstep.Post)
	s.always(t)
	s.agree(t, passed())
	n := len(h.Requests())
	report(t, "  %d in all (at most %d)", n, maxRequests)
	if n > maxRequests {
		t.Errorf("%d requests, at most %d", n, maxRequests)
	}
}

// TestSpeed measures, and holds only that it is no matter of many seconds: machines differ.
func TestSpeed(t *testing.T) {
	h := open(t, goodChange(), settings{})
	var inside, outside []time.Duration
	for run := range int64(5) {
		s := h.judge(t, runID+run, 1, settings{})
		s.agree(t, passed())
		inside = append(inside, s.lifetime(t))
		outside = append(outside, s.step.Result.Took[runstep.Main])
	}
	report(t, "main stage, median of %d: %s from container start to exit, %s with the engine's own work",
		len(inside), median(inside).Round(time.Millisecond), median(outside).Round(time.Millisecond))
	if m := median(inside); m > 10*time.Second {
		t.Errorf("it takes %s", m)
	}
}

// lifetime is how long the main stage's container ran, as the engine recorded it.
func (s *scene) lifetime(t *testing.T) time.Duration {
	t.Helper()
	name := s.step.Container(runstep.Main)
	out := docker(t, "events", "--since", "10m", "--until", fmt.Sprint(time.Now().Unix()+1), "--filter", "container="+name, "--format", "{{.Status}} {{.TimeNano}}")
	at := map[string]int64{}
	for line := range strings.Lines(out) {
		status, nano, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(nano, 10, 64)
		must(t, err)
		at[status] = n
	}
	if at["start"] == 0 || at["die"] == 0 {
		t.Fatalf("the engine recorded no life of %s: %s", name, out)
	}
	return time.Duration(at["die"] - at["start"])
}

func median[T cmp.Ordered](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// report prints a measurement, which e2e/run shows whatever the verbosity.
func report(t testing.TB, format string, args ...any) {
	t.Helper()
	t.Logf("measured: "+format, args...)
}

// TestCommandsInTheImage: the image's other commands run without a runner.
func TestCommandsInTheImage(t *testing.T) {
	if got := docker(t, "run", "--rm", "--network", "none", image(t), "version"); !strings.HasPrefix(got, "gate ") {
		t.Errorf("gate version says %q", got)
	}
	if got := docker(t, "run", "--rm", "--network", "none", image(t), "demo"); !strings.Contains(got, "The contract verifies 2 and rejects 4") {
		t.Errorf("gate demo says %q", got)
	}
}

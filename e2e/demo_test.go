package e2e

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// What the demo's GitHub is called.
const (
	repository = "acme/widgets"
	pullNumber = 7
	headBranch = "agent/discount"
	botLogin   = "github-actions[bot]"

	writeToken = "a-workflow-token"
	readToken  = "a-token-of-a-fork"
	wrongToken = "a-token-of-nobody"
)

// contractFile is where the demo's contract lies.
const contractFile = ".github/outcome-contract.yml"

const demoContract = `version: 1
outcomes:
  - id: unit-tests
    about: The whole suite ran in this job and nothing failed.
    artifact: { files: reports/junit.xml, made_by: test }
    validators:
      - tests: { min_executed: 3, must_pass: ["total*"] }
`

// testScript is the demo's test runner: it runs its checks and writes what came of them as JUnit XML.
const testScript = `#!/bin/sh
set -u
. ./price.sh
mkdir -p reports
count=0 failed=0 cases=
check() {
  name=$1 want=$2
  shift 2
  got=$("$@")
  count=$((count + 1))
  cases="$cases  <testcase classname=\"price\" name=\"$name\" file=\"price.sh\" line=\"6\" time=\"0.01\""
  if [ "$got" = "$want" ]; then
    cases="$cases/>
"
  else
    failed=$((failed + 1))
    cases="$cases><failure message=\"got $got, want $want\"/></testcase>
"
  fi
}
check total_of_nothing 0 total
check total_of_two 30 total 10 20
check discount_of_ten_per_cent 90 discount 100 10
printf '<testsuite name="price" tests="%s" failures="%s">\n%s</testsuite>\n' "$count" "$failed" "$cases" >reports/junit.xml
echo "$count tests, $failed failed"
[ "$failed" = 0 ]
`

const priceScript = `total() {
  sum=0
  for p in "$@"; do sum=$((sum + p)); done
  echo "$sum"
}
discount() { echo "$1"; }
`

// goodPrice is the work that the pull request was to do; badPrice is what it does when it lies.
var (
	goodPrice = strings.Replace(priceScript, `echo "$1"; }`, `echo $(($1 - $1 * $2 / 100)); }`, 1)
	badPrice  = strings.Replace(priceScript, `echo "$1"; }`, `echo $(($1 - $2 / 100)); }`, 1)
)

const reportBody = "Discounts are per cent now.\n\n" +
	"```outcome\n{\"outcome\": \"succeeded\", \"evidence\": [\"./test: 3 tests passed\"]}\n```\n"

// change is a demo repository with one pull request.
type change struct {
	contract string                     // on main; empty: none
	files    map[string]fakegithub.File // of main besides
	head     map[string]fakegithub.File // what the pull request changes
	title    string
	body     string
	branch   string
	labels   []string
	draft    bool
	private  bool
}

// goodChange is the pull request that passes.
func goodChange() change {
	return change{
		contract: demoContract, title: "Take discounts in per cent", body: reportBody, branch: headBranch, private: true,
		head: map[string]fakegithub.File{"price.sh": {Text: goodPrice}},
	}
}

// badChange is the same with a mistake that the tests find.
func badChange() change {
	c := goodChange()
	c.head = map[string]fakegithub.File{"price.sh": {Text: badPrice}}
	return c
}

// hub is GitHub as one case sees it, on a loopback address of its own.
type hub struct {
	*fakegithub.World
	server *httptest.Server
	base   string // newest commit of main
	head   string // of the pull request
	merge  string // GitHub's test merge of the two
	made   map[string]*fakegithub.Commit
}

// commit makes a commit in the world and remembers it for checkOut.
func (h *hub) commit(t testing.TB, c *fakegithub.Commit) string {
	t.Helper()
	sha, err := h.Commit(repository, c)
	must(t, err)
	h.made[sha] = c
	return sha
}

// anHourAgo is when the demo's commits were made: one time for all worlds, so that equal commits have equal names.
var anHourAgo = sync.OnceValue(func() time.Time { return time.Now().UTC().Add(-time.Hour).Truncate(time.Second) })

// newHub makes the world of a change. When the test ends, every request must have fitted GitHub's description.
func newHub(t testing.TB, c change, serve func(*httptest.Server)) *hub {
	t.Helper()
	h := &hub{World: fakegithub.New(nil), made: map[string]*fakegithub.Commit{}}
	h.server = httptest.NewUnstartedServer(h.World)
	serve(h.server)
	t.Cleanup(func() {
		h.server.Close()
		for _, v := range h.Violations() {
			t.Errorf("not in GitHub's description: %s", v)
		}
	})
	main := maps.Clone(c.files)
	if main == nil {
		main = map[string]fakegithub.File{}
	}
	maps.Copy(main, map[string]fakegithub.File{
		"README.md": {Text: "# Widgets\n\nPrices, and what comes off them.\n"},
		"price.sh":  {Text: priceScript}, "test": {Text: testScript, Mode: "100755"}, ".gitignore": {Text: "reports/\n"},
	})
	if c.contract != "" {
		main[contractFile] = fakegithub.File{Text: c.contract}
	}
	began := anHourAgo()
	maintainer := fakegithub.Person{Name: "Mona", Email: "mona@acme.invalid", Login: "mona", Date: began}
	agent := fakegithub.Person{Name: "An Agent", Email: "agent@acme.invalid", Login: "agent-one", Date: began.Add(time.Minute)}
	must(t, h.Load(&fakegithub.Data{
		Tokens: map[string]*fakegithub.Token{
			writeToken: {User: fakegithub.User{Login: botLogin}, App: fakegithub.ActionsApp, Permissions: documentedPermissions()},
			readToken:  {User: fakegithub.User{Login: botLogin}, App: fakegithub.ActionsApp, Permissions: documentedPermissions(), ReadOnly: true},
		},
		Repositories: []*fakegithub.Repository{{
			FullName: repository, DefaultBranch: "main", Private: c.private,
			Collaborators: map[string]string{"mona": "admin", "agent-one": "write"},
		}},
	}))
	h.base = h.commit(t, &fakegithub.Commit{Branch: "main", Files: main, Message: "Sell widgets\n", Author: maintainer})
	h.head = h.commit(t, &fakegithub.Commit{Branch: c.branch, From: "main", Files: c.head, Message: "Take discounts in per cent\n", Author: agent})
	h.merge = h.commit(t, &fakegithub.Commit{
		From: h.base, Merges: []string{h.head}, Files: c.head, Message: "Merge " + h.head + " into " + h.base + "\n", Author: maintainer,
	})
	h.repo(func(r *fakegithub.Repository) {
		r.Pulls = []*fakegithub.Pull{{
			Number: pullNumber, Title: c.title, Body: &c.body, Draft: c.draft, User: fakegithub.User{Login: "agent-one"},
			Labels: c.labels, HeadRef: c.branch, BaseRef: "main", MergeSHA: h.merge, CreatedAt: agent.Date,
		}}
	})
	return h
}

// documentedPermissions are what the README asks a workflow to give.
func documentedPermissions() map[string]string {
	return map[string]string{"contents": "read", "checks": "write", "statuses": "write", "pull_requests": "write", "actions": "read"}
}

// repo lets f see the repository while no request is served.
func (h *hub) repo(f func(*fakegithub.Repository)) {
	h.Change(func(d *fakegithub.Data) { f(d.Repositories[0]) })
}

// checkOut makes the working copy that actions/checkout leaves: a repository at a commit, with its history. Git
// must name every commit as the world does.
func (h *hub) checkOut(t testing.TB, dir, sha string) {
	t.Helper()
	git(t, dir, nil, "init", "--quiet", "--initial-branch", "unborn")
	seen := map[string]bool{}
	var restore func(sha string)
	restore = func(sha string) {
		c := h.made[sha]
		if c == nil || seen[sha] {
			return
		}
		seen[sha] = true
		for _, p := range c.Parents {
			restore(p)
		}
		if len(c.Parents) > 0 {
			git(t, dir, nil, "checkout", "--quiet", "--force", "--detach", c.Parents[0])
		}
		for path, f := range c.Files {
			writeFile(t, filepath.Join(dir, path), f)
		}
		git(t, dir, nil, "add", "--all", "--force")
		args := []string{"commit-tree", strings.TrimSpace(git(t, dir, nil, "write-tree"))}
		for _, p := range c.Parents {
			args = append(args, "-p", p)
		}
		date := func(p fakegithub.Person) string { return fmt.Sprintf("@%d +0000", p.Date.Unix()) }
		made := git(t, dir, []string{
			"GIT_AUTHOR_NAME=" + c.Author.Name, "GIT_AUTHOR_EMAIL=" + c.Author.Email, "GIT_AUTHOR_DATE=" + date(c.Author),
			"GIT_COMMITTER_NAME=" + c.Committer.Name, "GIT_COMMITTER_EMAIL=" + c.Committer.Email, "GIT_COMMITTER_DATE=" + date(c.Committer),
		}, append(args, "-m", strings.TrimSuffix(c.Message, "\n"))...)
		if got := strings.TrimSpace(made); got != sha {
			t.Fatalf("git names %q %s, the world %s", c.Message, got, sha)
		}
	}
	restore(sha)
	git(t, dir, nil, "checkout", "--quiet", "--force", "--detach", sha)
}

func writeFile(t testing.TB, path string, f fakegithub.File) {
	t.Helper()
	if f.Removed {
		must(t, os.Remove(path))
		return
	}
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	mode := os.FileMode(0o644)
	if f.Mode == "100755" {
		mode = 0o755
	}
	body := []byte(f.Text)
	if f.Bytes != nil {
		body = f.Bytes
	}
	must(t, os.WriteFile(path, body, mode))
	must(t, os.Chmod(path, mode))
}

// git runs git apart from what this machine's user configured. The folder may belong to the runner's user.
func git(t testing.TB, dir string, env []string, args ...string) string {
	t.Helper()
	c := exec.Command("git", append([]string{"-C", dir}, args...)...)
	c.Env = append(os.Environ(), append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

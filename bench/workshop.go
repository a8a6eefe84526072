package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"

	"github.com/outcome-gate/outcome-gate/bench/input"
	"github.com/outcome-gate/outcome-gate/bench/measure"
)

// tools are the programs that are compared.
type tools struct{ gate, peers, gotestsum, node, inputs string }

// program is a command and how many tests it has to find, -1 where it counts none.
type program struct {
	measure.Command
	tests int
}

// workshop makes inputs when they are first asked for, each once.
type workshop struct {
	tools tools
	size  scale
	made  map[string]input.Facts
}

// peer makes the command that reads a file or a folder.
type peer = func(w *workshop, path string, facts input.Facts) program

const private = 0o600

// file gives the path of an input of a kind and size.
func (w *workshop) file(kind string, size int64) (string, input.Facts, error) {
	for _, k := range input.Kinds() {
		if k.Name != kind {
			continue
		}
		path := filepath.Join(w.tools.inputs, kind+"-"+strconv.FormatInt(size, 10)+k.Ext)
		if facts, ok := w.made[path]; ok {
			return path, facts, nil
		}
		facts, err := input.File(path, k, size)
		if err != nil {
			return "", facts, err
		}
		w.made[path] = facts
		return path, facts, nil
	}
	return "", input.Facts{}, fmt.Errorf("no kind of input is called %s", kind)
}

// small gives a folder of n small files.
func (w *workshop) small(n int) (string, input.Facts, error) {
	dir := filepath.Join(w.tools.inputs, "small-"+strconv.Itoa(n))
	if facts, ok := w.made[dir]; ok {
		return dir, facts, nil
	}
	facts, err := input.SmallJUnit(dir, n)
	w.made[dir] = facts
	return dir, facts, err
}

// gateTests is `gate tests` over what its arguments name.
func (w *workshop) gateTests(tests int, args ...string) program {
	return program{measure.Command{
		Args: append([]string{w.tools.gate, "tests", "--format", "json"}, args...), Exits: []int{0, 1}, Count: countGate,
	}, tests}
}

func onFile(kind string, size func(scale) int64, other peer) func(*workshop) (program, program, error) {
	return func(w *workshop) (program, program, error) {
		path, facts, err := w.file(kind, size(w.size))
		if err != nil {
			return program{}, program{}, err
		}
		return w.gateTests(facts.Tests, path), other(w, path, facts), nil
	}
}

func onSmallFiles(other peer) func(*workshop) (program, program, error) {
	return func(w *workshop) (program, program, error) {
		dir, facts, err := w.small(w.size.small)
		if err != nil {
			return program{}, program{}, err
		}
		return w.gateTests(facts.Tests, filepath.Join(dir, "**", "*.xml")), other(w, dir, facts), nil
	}
}

func onManyFiles(w *workshop) (program, program, error) {
	dir, facts, err := w.small(w.size.many)
	return w.gateTests(facts.Tests, filepath.Join(dir, "**", "*.xml")), program{}, err
}

// onCheckedFiles judges many small result files, some tests of which fail, as the contract lets them.
func onCheckedFiles(w *workshop) (program, program, error) {
	dir, _, err := w.small(w.size.many)
	if err != nil {
		return program{}, program{}, err
	}
	ours, err := w.check("many", dir, `{ files: "**/*.xml" }`, "    validators: [ { tests: { min_executed: 1, max_failed: 1000000 } } ]\n")
	return ours, program{}, err
}

// silent is a peer that counts no tests.
func silent(args ...string) program { return program{measure.Command{Args: args}, -1} }

func catFile(_ *workshop, path string, _ input.Facts) program { return silent("cat", path) }

func xmllint(_ *workshop, path string, _ input.Facts) program {
	return silent("xmllint", "--stream", "--noout", "--huge", path)
}

func findCat(_ *workshop, dir string, _ input.Facts) program {
	return silent("sh", "-c", `find "$1" -name '*.xml' -print0 | xargs -0 cat > /dev/null`, "sh", dir)
}

func findTree(_ *workshop, dir string, _ input.Facts) program {
	return silent("find", dir, "-name", "*.result", "-type", "f")
}

func oneCore(w *workshop, dir string, facts input.Facts) program {
	p := w.gateTests(facts.Tests, filepath.Join(dir, "**", "*.xml"))
	p.Env = []string{"GOMAXPROCS=1"}
	return p
}

func goPeer(name string) peer {
	return func(w *workshop, path string, facts input.Facts) program {
		return program{measure.Command{Args: []string{w.tools.peers, name, path}, Count: countPeer}, facts.Tests}
	}
}

func nodePeer(name string) peer {
	return func(w *workshop, path string, facts input.Facts) program {
		return program{measure.Command{
			Args: []string{"node", "--max-old-space-size=8192", filepath.Join(w.tools.node, "peer.mjs"), name, path}, Count: countPeer,
		}, facts.Tests}
	}
}

func junitToCTRF(w *workshop, path string, _ input.Facts) program {
	return silent("node", "--max-old-space-size=8192", filepath.Join(w.tools.node, "node_modules/junit-to-ctrf/dist/cli.js"),
		path, "--output", filepath.Join(w.tools.inputs, "converted.json"))
}

func gotestsum(w *workshop, path string, facts input.Facts) program {
	return program{measure.Command{
		Args: []string{w.tools.gotestsum, "--format", "none", "--raw-command", "--", "cat", path}, Count: countGotestsum, Exits: []int{1},
	}, facts.Tests}
}

func version(w *workshop) (program, program, error) {
	return silent(w.tools.gate, "version"), program{}, nil
}

// onStream reads a document that is written while it is read, and never lies on a disk.
func onStream(write writer, code string, size func(scale) int64) func(*workshop) (program, program, error) {
	return func(w *workshop) (program, program, error) {
		facts, err := write(io.Discard, 0)
		if err != nil {
			return program{}, program{}, err
		}
		p := w.gateTests(facts.Tests, "-")
		p.tests = -1 // known when it is written
		if code != "" {
			p.Count = func(out []byte) (int, error) { return -1, refused(out, code) }
		}
		p.Feed = func(to io.Writer) error {
			_, err := write(to, size(w.size))
			return err
		}
		return p, program{}, nil
	}
}

// onDigest judges one file by its SHA-256.
func onDigest(w *workshop) (program, program, error) {
	path, _, err := w.file("noise", w.size.noise)
	if err != nil {
		return program{}, program{}, err
	}
	sum, err := digest(path)
	if err != nil {
		return program{}, program{}, err
	}
	ours, err := w.check("digest", w.tools.inputs, "{ files: "+filepath.Base(path)+", sha256: "+sum+" }", "")
	return ours, silent("openssl", "dgst", "-sha256", path), err
}

// onTree finds one pattern's files in a large tree.
func onTree(other peer) func(*workshop) (program, program, error) {
	return func(w *workshop) (program, program, error) {
		dir := filepath.Join(w.tools.inputs, "tree-"+strconv.Itoa(w.size.tree))
		facts, ok := w.made[dir]
		if !ok {
			n, err := input.Tree(dir, w.size.tree)
			if err != nil {
				return program{}, program{}, err
			}
			facts = input.Facts{Tests: n}
			w.made[dir] = facts
		}
		ours, err := w.check("tree", dir, `{ files: "**/*.result" }`, "")
		return ours, other(w, dir, facts), err
	}
}

func onCheckedCases(w *workshop) (program, program, error) {
	return w.checked("junit-cases", w.size.cases)
}

func onCheckedCDATA(w *workshop) (program, program, error) {
	return w.checked("junit-cdata", w.size.memory)
}

// checked judges a result file.
func (w *workshop) checked(kind string, size int64) (program, program, error) {
	path, _, err := w.file(kind, size)
	if err != nil {
		return program{}, program{}, err
	}
	ours, err := w.check(kind, w.tools.inputs, "{ files: "+filepath.Base(path)+" }", "    validators: [ { tests: { min_executed: 1 } } ]\n")
	return ours, program{}, err
}

// check is `gate check` of one outcome in a folder.
func (w *workshop) check(name, dir, artifact, validators string) (program, error) {
	path := filepath.Join(w.tools.inputs, name+".yml")
	text := "version: 1\noutcomes:\n  - id: " + name + "\n    artifact: " + artifact + "\n" + validators
	if err := os.WriteFile(path, []byte(text), private); err != nil {
		return program{}, fmt.Errorf("write a contract: %w", err)
	}
	if err := repository(dir); err != nil {
		return program{}, err
	}
	return program{measure.Command{
		Args: []string{
			w.tools.gate, "check", "--contract", path, "--workspace", dir, "--run-started-at", "2020-01-01T00:00:00Z",
			"--format", "json",
		},
		Count: verified, Exits: []int{0, 1, 4}, // the whole is no pass without a repository; the outcome is what counts
	}, -1}, nil
}

// repository makes a folder one of git, with a commit that has no files: evidence is what git does not track.
func repository(dir string) error {
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "commit", "--quiet", "--allow-empty", "--message", "Begin"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}

// compare runs every row and prints it.
func compare(ctx context.Context, o *options, out io.Writer) (missed int, err error) {
	w := &workshop{tools: o.tools, size: o.size, made: map[string]input.Facts{}}
	t := &table{out: out}
	t.head()
	for _, r := range rows() {
		if !o.only.MatchString(r.name + " / " + r.peer) {
			continue
		}
		ours, other, err := r.from(w)
		if err != nil {
			return missed, err
		}
		debug.FreeOSMemory() // what making the inputs took would count as the child's
		l, err := r.run(ctx, w.size.rounds, ours, other)
		if err != nil {
			return missed, fmt.Errorf("%s: %w", r.name, err)
		}
		if t.line(&r, l) {
			missed++
		}
	}
	return missed, nil
}

// gateTotal and the patterns below are what programs print.
type gateTotal struct {
	Files []struct {
		Conclusion string                  `json:"conclusion"`
		Findings   []struct{ Code string } `json:"findings"`
	} `json:"files"`
	Total struct {
		Tests int `json:"tests"`
	} `json:"total"`
}

// countGate reads the total at the end of `gate tests --format json`, whose list of files may be cut.
func countGate(out []byte) (int, error) {
	return number(out, `"total":\s*\{[^}]*"tests":\s*([0-9]+)`)
}

// countPeer reads what the peers of this folder print.
func countPeer(out []byte) (int, error) { return number(out, `^tests ([0-9]+)\s*$`) }

// countGotestsum reads its summary line. It counts failures again as parts of their total.
func countGotestsum(out []byte) (int, error) { return number(out, `(?m)^DONE ([0-9]+) tests`) }

func number(out []byte, pattern string) (int, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return 0, err
	}
	m := re.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no count in %.200q", out)
	}
	return strconv.Atoi(string(m[1]))
}

// refused reports whether an answer of `gate tests` refuses the one file with a finding's code.
func refused(out []byte, code string) error {
	var a gateTotal
	if err := json.Unmarshal(out, &a); err != nil {
		return err
	}
	if len(a.Files) != 1 || a.Files[0].Conclusion == "pass" {
		return fmt.Errorf("it was not refused: %.200q", out)
	}
	for _, f := range a.Files[0].Findings {
		if f.Code == code {
			return nil
		}
	}
	return fmt.Errorf("%s was not found: %.400q", code, out)
}

// verified reports whether the one outcome of `gate check` is.
func verified(out []byte) (int, error) {
	if ok, err := regexp.Match(`"state":\s*"verified"`, out); err != nil || !ok {
		return 0, errors.Join(err, fmt.Errorf("it was not verified: %.400q", out))
	}
	return -1, nil
}

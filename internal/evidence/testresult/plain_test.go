package testresult

import (
	"bytes"
	"strings"
	"testing"
)

// TestPlainLines tells go's own words outside of the events from noise.
func TestPlainLines(t *testing.T) {
	for line, want := range map[string]plainLine{
		"FAIL\tshop/b [build failed]": plainBuildFailed, "FAIL\tshop/b [setup failed]\r": plainBuildFailed, "FAIL\tshop/b [build failed] ": plainBuildFailed,
		"FAIL\tshop/b\t0.012s": plainFailed, "--- FAIL: TestA (0.00s)": plainFailed, "panic: boo": plainFailed, "fatal error: all goroutines are asleep - deadlock!": plainFailed,
		"FAIL": plainExit, "exit status 1": plainExit, "exit status 02": plainFailed, "signal: killed": plainFailed, "signal: aborted (core dumped)": plainFailed, "signal: user defined signal 1": plainFailed,
		"": plainNoise, "FAILED": plainNoise, "FAIL: shop/b": plainNoise, "FAIL shop/b [build failed]": plainNoise, "exit status 0": plainNoise, "exit status 00": plainNoise, "exit status": plainNoise,
		"exit status one": plainNoise, "exit status 1 of 2": plainNoise, "signal: ": plainNoise, "signal: lost contact; retrying": plainNoise, "panic button pressed": plainNoise, "# shop/b": plainNoise,
		"go: downloading example.com/x v1.0.0": plainNoise, "b/b.go:2:3: undefined: x": plainNoise, "ok  \tshop/a\t0.1s": plainNoise, "?   \tshop/a\t[no test files]": plainNoise, "error: FAIL\tshop/b [build failed]": plainNoise,
		"FAIL\t" + strings.Repeat("x", 2*maxPlain) + " [build failed]": plainFailed,
	} {
		if got, detail := readPlain([]byte(line)); got != want || (detail == "") != (want == plainNoise) {
			t.Errorf("%q is %d (%q), want %d", line, got, detail, want)
		}
	}
}

// TestPlainFailures holds the law that a stream which passes passes no more once go says outside of the events that
// something failed, wherever it says so; and that noise, and what only looks like it, changes nothing.
func TestPlainFailures(t *testing.T) {
	streams := 0
	for _, path := range fixtures(t) {
		data := mustRead(t, path)
		if res := Read(bytes.NewReader(data), "", Limits{}, nil); res.Format != "go-json" || res.Conclusion != Pass || data[0] == '[' || bytes.Count(data, []byte("\n")) < 3 || bytes.HasPrefix(data, []byte("{\n")) {
			continue
		}
		streams++
		for i, b := range append([]byte("\n"), data...) {
			if b != '\n' {
				continue
			}
			for line, want := range map[string]Conclusion{
				"FAIL\tshop/b [build failed]\n": Fail, "FAIL\tshop/b [setup failed]\r\n": Fail, "FAIL\tshop/b\t0.1s\n": Fail, "FAIL\n": Fail, "exit status 2\n": Fail, "panic: boo\n": Fail, "signal: killed\n": Fail,
				"  FAIL\n": Pass, "FAILURES: none\n": Pass, "exit status 0\n": Pass, "# shop/b\n": Pass,
			} {
				with := string(data[:i]) + line + string(data[i:])
				res := readString(with)
				checkBest(t, path, res)
				if res.Conclusion != want || res.ProcessFailure != (want == Fail) {
					t.Errorf("%s with %q at %d: %s %v", path, line, i, res.Conclusion, res.Notes)
				}
			}
		}
	}
	if streams < 3 {
		t.Fatalf("only %d streams pass", streams)
	}
}

// TestPlainExit holds that an exit status beside recorded failures is theirs, so that known failures stay known ones.
func TestPlainExit(t *testing.T) {
	failing := string(mustRead(t, "testdata/go-json/fail.jsonl"))
	for line, beyond := range map[string]bool{"exit status 1\n": false, "FAIL\n": false, "exit status 2\n": true, "signal: killed\n": true, "FAIL\tshop/b [build failed]\n": true, "panic: boo\n": true} {
		if res := readString(failing + line); res.Conclusion != Fail || res.ProcessFailure != beyond {
			t.Errorf("%q: %s, process failure %v", line, res.Conclusion, res.ProcessFailure)
		}
	}
}

// TestNothingBuilt reads what go before 1.24 writes when no package builds: no event at all.
func TestNothingBuilt(t *testing.T) {
	res := readString("# shop/b [shop/b.test]\nb/b.go:2:3: undefined: x\nFAIL\tshop/b [build failed]\nFAIL\tshop/x [build failed]\n")
	if res.Format != "go-json" || res.Conclusion != Fail || !res.ProcessFailure {
		t.Errorf("%s %s %v", res.Format, res.Conclusion, res.Notes)
	}
}

// TestMarkupIsNoStream holds that what a test prints into a document never makes a stream of it.
func TestMarkupIsNoStream(t *testing.T) {
	res := readString("<testsuite>\n<testcase name='a'><failure/><system-out><![CDATA[\n" + `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n]]></system-out></testcase></testsuite>")
	if res.Format != "junit" || res.Conclusion != Fail {
		t.Errorf("%s %s %v", res.Format, res.Conclusion, res.Notes)
	}
}

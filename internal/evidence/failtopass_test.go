package evidence

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

func TestFailToPass(t *testing.T) {
	const run = `"before": {"files": "base/*.xml", "trust": "run"}`
	docs := func(s ...*TestSet) []Document {
		var out []Document
		for _, x := range s {
			out = append(out, file("r.xml", x))
		}
		return out
	}
	after := set(tc("m::test_fix", passed), tc("m::test_old", passed))
	shows := set(tc("m::test_fix", failed), tc("m::test_old", passed))
	for name, tt := range map[string]struct {
		params        string
		after, before []Document
		state         State
		code          string
		says          string
	}{
		"shown":                     {`{` + run + `}`, docs(after), docs(shows), Verified, CodeFailToPassShown, "1 test failed before and passes now: m::test_fix"},
		"shown by name":             {`{` + run + `, "tests": ["test_fix"]}`, docs(after), docs(shows), Verified, CodeFailToPassShown, ""},
		"not trusted":               {`{"before": "base/*.xml"}`, docs(after), docs(shows), Unverified, CodeTestsBaseNotTrusted, ""},
		"by service":                {`{"before": ["base/*.xml"]}`, docs(after), []Document{{Name: "b", Readable: true, Tests: shows, Tier: "service"}}, Verified, CodeFailToPassShown, ""},
		"no before":                 {`{` + run + `}`, docs(after), nil, Unverified, CodeTestsBaseAbsent, ""},
		"before is broken":          {`{` + run + `}`, docs(after), docs(broken(set(tc("m::test_fix", failed)))), Unverified, CodeTestsBaseBroken, ""},
		"before is cut":             {`{` + run + `}`, docs(after), docs(with(set(tc("m::test_fix", failed)), testresult.Fail, testresult.NoteCut)), Unverified, CodeTestsBaseUnusable, ""},
		"an error before":           {`{` + run + `, "tests": ["test_fix"]}`, docs(after), docs(set(tc("m::test_fix", errored), tc("m::test_old", passed))), Unverified, CodeFailToPassInconclusive, "error"},
		"an error before, unnamed":  {`{` + run + `}`, docs(after), docs(set(tc("m::test_fix", errored), tc("m::test_old", passed))), Unverified, CodeFailToPassInconclusive, ""},
		"unfinished before":         {`{` + run + `, "count_errors": true}`, docs(after), docs(set(tc("m::test_fix", testresult.Unfinished), tc("m::test_old", passed))), Unverified, CodeFailToPassInconclusive, ""},
		"errors count":              {`{` + run + `, "count_errors": true}`, docs(after), docs(set(tc("m::test_fix", errored), tc("m::test_old", passed))), Verified, CodeFailToPassShown, ""},
		"new test, not run before":  {`{` + run + `, "tests": ["test_fix"]}`, docs(after), docs(set(tc("m::test_old", passed))), Unverified, CodeFailToPassInconclusive, "did not run"},
		"skipped before":            {`{` + run + `, "tests": ["test_fix"]}`, docs(after), docs(set(tc("m::test_fix", skipped), tc("m::test_old", passed))), Unverified, CodeFailToPassInconclusive, ""},
		"passed before":             {`{` + run + `, "tests": ["test_fix"]}`, docs(after), docs(set(tc("m::test_fix", passed), tc("m::test_old", passed))), ValidatorFailed, CodeFailToPassNotBefore, ""},
		"nothing failed before":     {`{` + run + `}`, docs(after), docs(after), ValidatorFailed, CodeFailToPassTooFew, "0 tests failed before"},
		"too few":                   {`{` + run + `, "min": 2}`, docs(after), docs(shows), ValidatorFailed, CodeFailToPassTooFew, "at least 2"},
		"too few, some errors":      {`{` + run + `, "min": 2}`, docs(after), docs(set(tc("m::test_fix", failed), tc("m::test_old", errored))), Unverified, CodeFailToPassInconclusive, ""},
		"others do not count":       {`{` + run + `, "min": 2, "tests": ["test_fix"]}`, docs(after), docs(set(tc("m::test_fix", failed), tc("m::test_old", failed))), ValidatorFailed, CodeFailToPassTooFew, ""},
		"regressed":                 {`{` + run + `}`, docs(set(tc("m::test_fix", passed), tc("m::test_old", failed))), docs(shows), ValidatorFailed, CodeFailToPassRegressed, "m::test_old"},
		"still failing":             {`{` + run + `, "tests": ["test_fix"]}`, docs(set(tc("m::test_fix", failed))), docs(shows), ValidatorFailed, CodeFailToPassStillFails, "1 of 1 tests that match test_fix do not pass: m::test_fix"},
		"failing in one shard":      {`{` + run + `, "tests": ["test_fix"]}`, docs(after, set(tc("m::test_fix", failed))), docs(shows), ValidatorFailed, CodeFailToPassStillFails, ""},
		"skipped now":               {`{` + run + `, "tests": ["test_fix"]}`, docs(set(tc("m::test_fix", skipped), tc("m::test_old", passed))), docs(shows), ValidatorFailed, CodeFailToPassStillFails, ""},
		"no such test":              {`{` + run + `, "tests": ["test_fixx"]}`, docs(after), docs(shows), ValidatorFailed, CodeFailToPassAbsent, "nearest: m::test_fix"},
		"no test anything like it":  {`{` + run + `, "tests": ["qqqq"]}`, docs(after), docs(shows), ValidatorFailed, CodeFailToPassAbsent, "no test matches qqqq"},
		"no files":                  {`{` + run + `}`, nil, docs(shows), Unverified, CodeInputNoFiles, ""},
		"after is cut":              {`{` + run + `}`, docs(with(set(tc("m::test_fix", passed)), testresult.Incomplete)), docs(shows), Unverified, CodeTestsIncomplete, ""},
		"after is broken":           {`{` + run + `}`, docs(broken(set(tc("m::test_fix", passed), tc("m::test_old", passed)))), docs(shows), ValidatorFailed, CodeTestsRunFailed, ""},
		"one is gone":               {`{` + run + `}`, docs(set(tc("m::test_fix", passed))), docs(shows), Waiting, CodeTestsLost, "1 test that passed before gone and 0 skipped now; a person must approve: m::test_old"},
		"one is skipped now":        {`{` + run + `, "tests": ["test_fix"]}`, docs(set(tc("m::test_fix", passed), tc("m::test_old", skipped))), docs(shows), Waiting, CodeTestsLost, "m::test_old"},
		"gone, and too few":         {`{` + run + `, "min": 2}`, docs(set(tc("m::test_fix", passed))), docs(shows), ValidatorFailed, CodeFailToPassTooFew, ""},
		"skipped in one shard":      {`{` + run + `}`, docs(after, set(tc("m::test_old", skipped))), docs(shows), Verified, CodeFailToPassShown, ""},
		"what failed may go":        {`{` + run + `}`, docs(after), docs(set(tc("m::test_fix", failed), tc("m::test_old", passed), tc("m::bad", failed), tc("m::off", skipped))), Verified, CodeFailToPassShown, ""},
		"a killed one is no loss":   {`{` + run + `}`, docs(set(tc("m::test_fix", passed), tc("m::test_old", testresult.Unfinished))), docs(shows), ValidatorFailed, CodeFailToPassRegressed, ""},
		"empty after":               {`{` + run + `, "tests": ["test_fix"]}`, docs(set()), docs(shows), Unverified, CodeTestsEmpty, "1 file holds no test"},
		"known failures are others": {`{` + run + `}`, docs(set(tc("m::test_fix", passed), tc("m::bad", failed))), docs(set(tc("m::test_fix", failed), tc("m::bad", failed))), Verified, CodeFailToPassShown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, facts := observeAndJudge(t, "fail_to_pass", tt.params, Input{Documents: tt.after, Reads: map[string][]Document{"before": tt.before}})
			if f.State != tt.state || f.Code != tt.code || !strings.Contains(f.Detail, tt.says) {
				t.Errorf("%s %s %q, want %s %s %q\n%s", f.State, f.Code, f.Detail, tt.state, tt.code, tt.says, facts)
			}
		})
	}
}

// TestFailToPassApproved holds that a person's approval lets what passed before go.
func TestFailToPassApproved(t *testing.T) {
	in := Input{
		Documents: []Document{file("r.xml", set(tc("m::test_fix", passed)))}, ApprovedBy: []string{"ada"},
		Reads: map[string][]Document{"before": {file("b.xml", set(tc("m::test_fix", failed), tc("m::test_old", passed)))}},
	}
	f, facts := observeAndJudge(t, "fail_to_pass", `{"before": {"files": "base/*.xml", "trust": "run"}}`, in)
	if f.State != Verified || !strings.Contains(string(facts), `"approved_by":["ada"]`) {
		t.Errorf("%+v\n%s", f, facts)
	}
}

func TestFailToPassReads(t *testing.T) {
	k, _ := KindByName("fail_to_pass")
	if r := k.Reads(json.RawMessage(`{}`)); r != nil {
		t.Errorf("%+v", r)
	}
	r := k.Reads(json.RawMessage(`{"before": {"files": "b/*.xml", "trust": "run"}}`))
	if len(r) != 1 || r[0].Role != "before" || r[0].Trust != "run" || !r[0].Wants.Tests || !slices.Equal(r[0].Files, []string{"b/*.xml"}) {
		t.Errorf("%+v", r)
	}
}

func TestFailToPassJudgeRefusesFacts(t *testing.T) {
	k, _ := KindByName("fail_to_pass")
	ok := `{"files":1,"executed":2,"before_files":1,"before_trouble":{"file":"","code":""},"before_failed":1,"run_failed":0,"troubles":0,"shown":1,"shown_tests":["a"],"inconclusive":0,"regressed":0,"test_set_sha256":"x","kept":{"lost":0,"newly_skipped":0,"ignored":0}}`
	if f := k.Judge(json.RawMessage(`{"before":"a"}`), json.RawMessage(ok)); f.State != Verified {
		t.Fatalf("%+v", f)
	}
	for name, c := range map[string][2]string{
		"no before":    {`{}`, ok},
		"unnamed":      {`{"before":"a","tests":["x"]}`, ok},
		"other names":  {`{"before":"a","tests":["x"]}`, strings.Replace(ok, `"files":1`, `"files":1,"named":[{"pattern":"y","matched":1,"not_passing":0,"shown":1,"inconclusive":0,"passed_before":0}]`, 1)},
		"negative":     {`{"before":"a"}`, strings.Replace(ok, `"regressed":0`, `"regressed":-1`, 1)},
		"shown only":   {`{"before":"a"}`, strings.Replace(ok, `"executed":2`, `"executed":0`, 1)},
		"before files": {`{"before":"a"}`, strings.Replace(ok, `"before_files":1`, `"before_files":0`, 1)},
	} {
		if f := k.Judge(json.RawMessage(c[0]), json.RawMessage(c[1])); f.State != Unverified {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

package evidence

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// judged is one case of a table over a kind with fixed parameters.
type judged struct {
	in    Input
	state State
	code  string
	says  string
}

func runJudged(t *testing.T, kind, params string, table map[string]judged) {
	t.Helper()
	for name, tt := range table {
		t.Run(name, func(t *testing.T) {
			f, facts := observeAndJudge(t, kind, params, tt.in)
			if f.State != tt.state || f.Code != tt.code || !strings.Contains(f.Detail, tt.says) {
				t.Errorf("%s %s %q, want %s %s %q\n%s", f.State, f.Code, f.Detail, tt.state, tt.code, tt.says, facts)
			}
		})
	}
}

func TestStep(t *testing.T) {
	step := func(outcome, conclusion string) Input {
		return Input{HasSteps: true, Steps: map[string]Step{"smoke": {Outcome: outcome, Conclusion: conclusion}}}
	}
	runJudged(t, "step", `{"id":"smoke"}`, map[string]judged{
		"success":         {step("success", "success"), Verified, CodeStepSucceeded, ""},
		"failure":         {step("failure", "failure"), ValidatorFailed, CodeStepFailed, ""},
		"hidden failure":  {step("failure", "success"), ValidatorFailed, CodeStepFailed, "continue-on-error"},
		"skipped":         {step("skipped", "skipped"), Unverified, CodeStepSkipped, ""},
		"cancelled":       {step("cancelled", "cancelled"), Unverified, CodeStepCancelled, ""},
		"not run":         {step("", ""), Unverified, CodeStepNotRun, ""},
		"conclusion only": {step("", "success"), Unverified, CodeStepNotRun, ""},
		"unknown":         {step("SUCCESS", "success"), Unverified, CodeStepUnknownOutcome, ""},
		"absent":          {Input{HasSteps: true, Steps: map[string]Step{"smokes": {Outcome: "success"}}}, Unverified, CodeStepAbsent, "did you mean smokes?"},
		"nothing near":    {Input{HasSteps: true, Steps: map[string]Step{"build": {Outcome: "success"}}}, Unverified, CodeStepAbsent, "has the id smoke"},
		"no context":      {Input{Steps: map[string]Step{"smoke": {Outcome: "success"}}}, Unverified, CodeInputSteps, "the steps context was not given"},
	})
}

func TestJob(t *testing.T) {
	job := func(result string) Input {
		return Input{HasJobs: true, Jobs: map[string]Job{"build": {Result: result, Source: "needs"}}}
	}
	own := job("success")
	own.OwnChecks = []string{"build"}
	runJudged(t, "job", `{"id":"build"}`, map[string]judged{
		"success":    {job("success"), Verified, CodeJobSucceeded, ""},
		"failure":    {job("failure"), ValidatorFailed, CodeJobFailed, ""},
		"skipped":    {job("skipped"), Unverified, CodeJobSkipped, ""},
		"cancelled":  {job("cancelled"), Unverified, CodeJobCancelled, ""},
		"timed out":  {job("timed_out"), Unverified, CodeJobNoAnswer, "timed_out"},
		"neutral":    {job("neutral"), Unverified, CodeJobNoAnswer, ""},
		"nothing":    {job(""), Unverified, CodeJobNoAnswer, ""},
		"absent":     {Input{HasJobs: true, Jobs: map[string]Job{"built": {Result: "success"}}}, Unverified, CodeJobAbsent, "did you mean built?"},
		"no context": {Input{}, Unverified, CodeInputNeeds, "the needs context was not given"},
		"own job":    {own, Unverified, CodeContractSelfWait, ""},
	})
}

func TestCheck(t *testing.T) {
	head, other := strings.Repeat("a", 40), strings.Repeat("b", 40)
	check := func(app, sha, status, conclusion string) Check {
		return Check{Name: "deploy/preview", App: app, HeadSHA: sha, Status: status, Conclusion: conclusion}
	}
	checks := func(cs ...Check) Input {
		return Input{HasChecks: true, Checks: cs, Subject: Subject{HeadSHA: head}}
	}
	green := check("deployer", head, "completed", "success")
	later := func(c Check, attempt int, at int64, id int64) Check {
		c.RunAttempt, c.StartedAt, c.ID = attempt, time.Unix(at, 0), id
		return c
	}
	red := check("deployer", head, "completed", "failure")
	own := checks(green)
	own.OwnChecks = []string{"deploy/preview"}
	for _, params := range []string{`{"name":"deploy/preview","app":"deployer"}`, `{"name":"deploy/preview"}`} {
		runJudged(t, "check", params, map[string]judged{
			"green":                 {checks(green), Verified, CodeCheckSucceeded, ""},
			"red":                   {checks(red), ValidatorFailed, CodeCheckFailed, ""},
			"status error":          {checks(check("deployer", head, "completed", "error")), ValidatorFailed, CodeCheckFailed, ""},
			"queued":                {checks(check("deployer", head, "queued", "")), Waiting, CodeCheckNotCompleted, ""},
			"a status nobody knows": {checks(check("deployer", head, "requested", "success")), Waiting, CodeCheckNotCompleted, ""},
			"skipped":               {checks(check("deployer", head, "completed", "skipped")), Unverified, CodeCheckSkipped, ""},
			"cancelled":             {checks(check("deployer", head, "completed", "cancelled")), Unverified, CodeCheckCancelled, ""},
			"neutral":               {checks(check("deployer", head, "completed", "neutral")), Unverified, CodeCheckNoAnswer, ""},
			"no conclusion":         {checks(check("deployer", head, "completed", "")), Unverified, CodeCheckNoAnswer, ""},
			"absent":                {checks(Check{Name: "deploy/Preview", App: "deployer", HeadSHA: head, Status: "completed", Conclusion: "success"}), Unverified, CodeCheckAbsent, ""},
			"other commit":          {checks(check("deployer", other, "completed", "success")), Unverified, CodeCheckAbsent, "other commits"},
			"newer attempt":         {checks(later(red, 1, 900, 9), later(green, 2, 100, 1)), Verified, CodeCheckSucceeded, ""},
			"older attempt":         {checks(later(red, 2, 100, 1), later(green, 1, 900, 9)), ValidatorFailed, CodeCheckFailed, ""},
			"newer start":           {checks(later(green, 1, 900, 1), later(red, 1, 100, 9)), Verified, CodeCheckSucceeded, ""},
			"newer id":              {checks(later(green, 1, 900, 1), later(red, 1, 900, 9)), ValidatorFailed, CodeCheckFailed, ""},
			"twins":                 {checks(green, red, green), ValidatorFailed, CodeCheckFailed, ""},
			"own":                   {own, Unverified, CodeContractSelfWait, ""},
			"not listed":            {Input{Checks: []Check{green}, CheckNote: "the token may not read checks", Subject: Subject{HeadSHA: head}}, Unverified, CodeInputChecks, "may not read"},
			"no head":               {Input{HasChecks: true, Checks: []Check{check("deployer", "", "completed", "success")}}, Unverified, CodeInputHead, ""},
		})
	}
	spoofed := check("someone", head, "completed", "success")
	runJudged(t, "check", `{"name":"deploy/preview","app":"deployer"}`, map[string]judged{
		"another app":            {checks(spoofed), WrongArtifact, CodeCheckWrongApp, "by someone, not by deployer"},
		"a status":               {checks(check("", head, "completed", "success")), WrongArtifact, CodeCheckWrongApp, "a commit status"},
		"another app and commit": {checks(spoofed, check("deployer", other, "completed", "success")), WrongArtifact, CodeCheckWrongApp, ""},
		"another app is red":     {checks(green, check("someone", head, "completed", "failure")), Verified, CodeCheckSucceeded, ""},
	})
	var many []Check
	for _, app := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		many = append(many, check(app, head, "completed", "success"))
	}
	many = append(many, check("zz", head, "completed", "failure"))
	runJudged(t, "check", `{"name":"deploy/preview"}`, map[string]judged{
		"any app's failure counts":     {checks(green, check("someone", head, "completed", "failure")), ValidatorFailed, CodeCheckFailed, "someone"},
		"the bound hides no failure":   {checks(many...), ValidatorFailed, CodeCheckFailed, "zz"},
		"a failure outranks a waiting": {checks(check("a", head, "queued", ""), red), ValidatorFailed, CodeCheckFailed, ""},
	})
	k, _ := KindByName("check")
	if f := k.Judge(json.RawMessage(`{"name":"x","app":"a"}`), json.RawMessage(`{"given":true,"head_known":true,"own":false,"newest":[{"app":"b","status":"completed","conclusion":"success"}]}`)); f.State != Unverified || !strings.Contains(f.Detail, "another app") {
		t.Errorf("facts of another app: %+v", f)
	}
}

func TestCommand(t *testing.T) {
	const params = `{"run":["pytest","-q"],"timeout":"5m"}`
	ran := func(r CommandResult) Input { return Input{Commands: map[string]CommandResult{params: r}} }
	runJudged(t, "command", params, map[string]judged{
		"passed":    {ran(CommandResult{Ran: true}), Verified, CodeExitPassed, "pytest: exit status 0"},
		"failed":    {ran(CommandResult{Ran: true, ExitCode: 1}), ValidatorFailed, CodeExitFailed, ""},
		"no tests":  {ran(CommandResult{Ran: true, ExitCode: 5}), ValidatorFailed, CodeExitNoTests, "collected no tests"},
		"killed":    {ran(CommandResult{Ran: true, ExitCode: 137}), Unverified, CodeExitSignal, "SIGKILL"},
		"timed out": {ran(CommandResult{Ran: true, TimedOut: true, ExitCode: 0}), Unverified, CodeExitTimedOut, ""},
		"not run":   {ran(CommandResult{Reason: "no such program"}), Unverified, CodeCommandNotRun, "no such program"},
		"not here":  {Input{}, Unverified, CodeCommandNotHere, "step or exit_code"},
		"another":   {Input{Commands: map[string]CommandResult{`{"run":["true"]}`: {Ran: true}}}, Unverified, CodeCommandNotHere, ""},
	})
	_, facts := observeAndJudge(t, "command", params, ran(CommandResult{Ran: true, Output: strings.Repeat("first ", 5000) + "last"}))
	if !strings.Contains(string(facts), `first last"`) || len(facts) > 2*maxOutputBytes {
		t.Errorf("the output's end is not kept: %.80s", facts)
	}
}

func TestCommandParameters(t *testing.T) {
	argv, timeout, err := Command(json.RawMessage(`{"run":["make","lint"]}`))
	if err != nil || !slices.Equal(argv, []string{"make", "lint"}) || timeout != 5*time.Minute {
		t.Errorf("%v %v %v", argv, timeout, err)
	}
	if _, timeout, err := Command(json.RawMessage(`{"run":["a"],"timeout":"90s"}`)); err != nil || timeout != 90*time.Second {
		t.Errorf("%v %v", timeout, err)
	}
	if _, timeout, err := Command(json.RawMessage(`{"run":["a"],"timeout":"1h"}`)); err != nil || timeout != maxCommandTimeout {
		t.Errorf("%v %v", timeout, err)
	}
	for _, bad := range []string{``, `{}`, `{"run":[]}`, `{"run":[""]}`, `{"run":"make"}`, `{"run":["a"],"timeout":"3601s"}`, `{"run":["a"],"timeout":"2h"}`, `{"run":["a"],"timeout":"soon"}`, `{"run":["a"],"timeout":"-1s"}`, `{"run":["a"],"shell":true}`} {
		if argv, _, err := Command(json.RawMessage(bad)); err == nil {
			t.Errorf("%s runs %v", bad, argv)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, tt := range [][]string{
		{"smoke", "smok", "smok"}, {"smoke", "build", ""}, {"", "a", ""}, {"smoke", "SMOKE", "SMOKE"}, {"ab", "ba", ""}, {"test", "tests", "tests"},
	} {
		if got := nearest([]string{"", tt[1], strings.Repeat("x", 200)}, tt[0]); got != tt[2] {
			t.Errorf("nearest to %q of %q: %q", tt[0], tt[1], got)
		}
	}
	if d := distance("kitten", "sitting"); d != 3 {
		t.Errorf("distance %d", d)
	}
}

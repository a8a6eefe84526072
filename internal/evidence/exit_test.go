package evidence

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestExitStatus(t *testing.T) {
	for n, want := range map[int]ExitMeaning{
		0:       {Verified, CodeExitPassed, ""},
		1:       {ValidatorFailed, CodeExitFailed, ""},
		5:       {ValidatorFailed, CodeExitFailed, ""},
		125:     {ValidatorFailed, CodeExitFailed, ""},
		126:     {Unverified, CodeExitNotExecutable, ""},
		127:     {Unverified, CodeExitNotFound, "not found"},
		128:     {ValidatorFailed, CodeExitFailed, ""},
		129:     {Unverified, CodeExitSignal, "SIGHUP"},
		130:     {Unverified, CodeExitSignal, "SIGINT"},
		137:     {Unverified, CodeExitSignal, "signal 9 (SIGKILL)"},
		143:     {Unverified, CodeExitSignal, "SIGTERM"},
		159:     {Unverified, CodeExitSignal, "SIGSYS"},
		160:     {Unverified, CodeExitSignal, "signal 32"},
		192:     {Unverified, CodeExitSignal, "signal 64"},
		193:     {ValidatorFailed, CodeExitFailed, ""},
		255:     {ValidatorFailed, CodeExitFailed, ""},
		256:     {Unverified, CodeExitOutOfRange, ""},
		-1:      {Unverified, CodeExitOutOfRange, ""},
		1 << 40: {Unverified, CodeExitOutOfRange, ""},
	} {
		got := ExitStatus(n)
		if got.State != want.State || got.Code != want.Code || got.Meaning == "" || !strings.Contains(got.Meaning, want.Meaning) {
			t.Errorf("%d: %+v", n, got)
		}
	}
	passes := 0
	for n := -300; n < 600; n++ {
		if ExitStatus(n).State == Verified {
			passes++
		}
	}
	if passes != 1 {
		t.Errorf("%d statuses pass", passes)
	}
}

func TestRunsPytest(t *testing.T) {
	for _, argv := range [][]string{{"pytest"}, {"python", "-m", "pytest", "-q"}, {"sh", "-c", "cd x && pytest -q"}, {".venv/bin/pytest"}, {"py.test"}} {
		if !runsPytest(argv) {
			t.Errorf("%v", argv)
		}
	}
	for _, argv := range [][]string{nil, {"make", "test"}, {"pytest-cov"}, {"mypytest"}} {
		if runsPytest(argv) {
			t.Errorf("%v", argv)
		}
	}
}

// record makes the text of a record of a passing validation of out/app.tar, with changes of members.
func record(changes ...string) string {
	r := `{"schema":"https://outcome-gate.dev/exit-record/v1","argv":["validate","--schema","v3","out/app.tar"],"status":0,` +
		`"started_at":"2026-11-12T09:01:00Z","finished_at":"2026-11-12T09:02:00Z","commit":"` + strings.Repeat("a", 40) + `",` +
		`"artifacts":[{"path":"./out/app.tar","sha256_before":"` + strings.Repeat("1", 64) + `","sha256_after":"` + strings.Repeat("1", 64) + `"}]}`
	for i := 0; i+1 < len(changes); i += 2 {
		if !strings.Contains(r, changes[i]) {
			panic("no " + changes[i] + " in the record")
		}
		r = strings.Replace(r, changes[i], changes[i+1], 1)
	}
	return r
}

func TestExitCode(t *testing.T) {
	const bare = `{"file":"out/v.exit"}`
	const full = `{"file":"out/v.exit","command_contains":"--schema v3","same_artifact":true}`
	digest := strings.Repeat("1", 64)
	in := func(text string) Input {
		return Input{
			Reads:     map[string][]Document{"record": {{Name: "out/v.exit", Readable: true, Bytes: []byte(text)}}},
			Documents: []Document{{Name: "out/app.tar", Readable: true, SHA256: digest}},
			Subject:   Subject{HeadSHA: strings.Repeat("a", 40), MergeSHA: strings.Repeat("c", 40)},
		}
	}
	change := func(i Input, f func(*Input)) Input { f(&i); return i }
	merge := record(strings.Repeat("a", 40), strings.Repeat("c", 40))
	foreign := record(strings.Repeat("a", 40), strings.Repeat("b", 40))
	runJudged(t, "exit_code", bare, map[string]judged{
		"0":                    {in("0"), Verified, CodeExitPassed, ""},
		"0 with a line end":    {in("\ufeff0\r\n"), Verified, CodeExitPassed, ""},
		"1":                    {in("1\n"), ValidatorFailed, CodeExitFailed, ""},
		"127":                  {in("127"), Unverified, CodeExitNotFound, ""},
		"137":                  {in("137"), Unverified, CodeExitSignal, "SIGKILL"},
		"256":                  {in("256"), Unverified, CodeExitOutOfRange, ""},
		"-1":                   {in("-1"), Unverified, CodeExitOutOfRange, ""},
		"-0":                   {in("-0"), Unverified, CodeExitNotAStatus, ""},
		"00":                   {in("00"), Unverified, CodeExitNotAStatus, ""},
		"true":                 {in("true"), Unverified, CodeExitNotAStatus, ""},
		"text":                 {in(`"0"`), Unverified, CodeExitNotAStatus, ""},
		"words":                {in("exit 0"), Unverified, CodeExitNotAStatus, ""},
		"two lines":            {in("0\n0"), Unverified, CodeExitNotAStatus, ""},
		"a huge number":        {in(strings.Repeat("0", 1000)), Unverified, CodeExitNotAStatus, ""},
		"empty":                {in(""), Unverified, CodeExitNotAStatus, ""},
		"absent":               {Input{}, Unverified, CodeExitAbsent, "out/v.exit"},
		"two files":            {change(in("0"), func(i *Input) { i.Reads = map[string][]Document{"record": {{}, {}}} }), Unverified, CodeExitAmbiguous, ""},
		"unreadable":           {change(in("0"), func(i *Input) { i.Reads["record"][0].Readable = false }), Unverified, CodeInputUnreadable, ""},
		"over the limit":       {change(in("0"), func(i *Input) { i.Reads["record"][0].Cut = true }), Unverified, CodeInputUnreadable, ""},
		"record":               {in(record()), Verified, CodeExitPassed, ""},
		"record of merge":      {in(merge), Verified, CodeExitPassed, ""},
		"no commit":            {in(record(`"commit":"`+strings.Repeat("a", 40)+`",`, "")), Verified, CodeExitPassed, ""},
		"other commit":         {in(foreign), WrongArtifact, CodeExitWrongCommit, ""},
		"other commit, failed": {in(record(strings.Repeat("a", 40), strings.Repeat("b", 40), `"status":0`, `"status":1`)), WrongArtifact, CodeExitWrongCommit, ""},
		"no head":              {change(in(record()), func(i *Input) { i.Subject = Subject{} }), Unverified, CodeInputHead, ""},
		"record failed":        {in(record(`"status":0`, `"status":2`)), ValidatorFailed, CodeExitFailed, ""},
		"timed out":            {in(record(`"status":0`, `"status":0,"timed_out":true`)), Unverified, CodeExitTimedOut, ""},
		"pytest":               {in(record(`"validate"`, `"pytest"`, `"status":0`, `"status":5`)), ValidatorFailed, CodeExitNoTests, ""},
		"5 of another":         {in(record(`"status":0`, `"status":5`)), ValidatorFailed, CodeExitFailed, ""},
		"status is text":       {in(record(`"status":0`, `"status":"0"`)), Unverified, CodeExitNotAStatus, ""},
		"status is true":       {in(record(`"status":0`, `"status":true`)), Unverified, CodeExitNotAStatus, ""},
		"status is null":       {in(record(`"status":0`, `"status":null`)), Unverified, CodeExitNotAStatus, "no status"},
		"status is absent":     {in(record(`"status":0,`, ``)), Unverified, CodeExitNotAStatus, `"status" is not there`},
		"status is a float":    {in(record(`"status":0`, `"status":0.0`)), Unverified, CodeExitNotAStatus, ""},
		"status twice":         {in(record(`"status":0`, `"status":1,"status":0`)), Unverified, CodeExitNotAStatus, "twice"},
		"other letter case":    {in(record(`"status":0`, `"Status":0`)), Unverified, CodeExitNotAStatus, "Status"},
		"other schema":         {in(record("exit-record/v1", "exit-record/v2")), Unverified, CodeExitNotAStatus, "schema"},
		"no command":           {in(record(`["validate","--schema","v3","out/app.tar"]`, `[]`)), Unverified, CodeExitNotAStatus, "no command"},
		"ends before start":    {in(record("09:02:00Z", "09:00:00Z")), Unverified, CodeExitNotAStatus, "before it starts"},
		"two values":           {in(record() + "0"), Unverified, CodeExitNotAStatus, ""},
		"cut":                  {in(record()[:100]), Unverified, CodeExitNotAStatus, ""},
	})
	runJudged(t, "exit_code", full, map[string]judged{
		"all good":               {in(record()), Verified, CodeExitPassed, ""},
		"bare status":            {in("0"), Unverified, CodeExitNoRecord, ""},
		"bare failure":           {in("1"), ValidatorFailed, CodeExitFailed, ""},
		"other command":          {in(record(`"v3"`, `"v2"`)), Unverified, CodeExitOtherCommand, "validate --schema v2"},
		"replaced afterwards":    {change(in(record()), func(i *Input) { i.Documents[0].SHA256 = strings.Repeat("2", 64) }), Unverified, CodeExitOtherArtifact, "changed after"},
		"replaced meanwhile":     {in(record(`"sha256_before":"1`, `"sha256_before":"2`)), Unverified, CodeExitOtherArtifact, "while the command ran"},
		"made by it":             {in(record(`"sha256_before":"`+digest+`",`, ``)), Unverified, CodeExitOtherArtifact, ""},
		"gone afterwards":        {in(record(`,"sha256_after":"`+digest+`"`, ``)), Unverified, CodeExitOtherArtifact, ""},
		"not recorded":           {in(record("./out/app.tar", "./out/other.tar")), Unverified, CodeExitNotRecorded, ""},
		"no artifact":            {change(in(record()), func(i *Input) { i.Documents = nil }), Unverified, CodeInputNoFiles, ""},
		"artifact unread":        {change(in(record()), func(i *Input) { i.Documents[0].Readable = false }), Unverified, CodeInputUnreadable, ""},
		"artifact has no digest": {change(in(record(`"sha256_before":"`+digest+`",`, ``, `,"sha256_after":"`+digest+`"`, ``)), func(i *Input) { i.Documents[0].SHA256 = "" }), Unverified, CodeInputUnreadable, ""},
		"one of two differs":     {change(in(record()), func(i *Input) { i.Documents = append(i.Documents, Document{Name: "b", Readable: true, SHA256: digest}) }), Unverified, CodeExitNotRecorded, ""},
	})
	k, _ := KindByName("exit_code")
	for _, nothing := range []string{"", " \n", "\ufeff"} {
		if f, _ := observeAndJudge(t, "exit_code", bare, Input{Reads: map[string][]Document{"record": {{Name: "out/v.exit", Readable: true, Bytes: []byte(nothing)}}}}); f.State != Unverified || f.Code != CodeExitNotAStatus {
			t.Errorf("an empty record %q: %+v", nothing, f)
		}
	}
	if f := k.Judge(json.RawMessage(full), json.RawMessage(`{"files":1,"status":0,"record":true,"timed_out":false,"commit_is":"","contains":true,"artifact_files":2,"same":1}`)); f.Code != CodeInputFacts {
		t.Errorf("%+v", f)
	}
	if f := k.Judge(json.RawMessage(bare), json.RawMessage(`{"files":1,"status":0,"record":true,"timed_out":false,"command":"x","commit":"c","commit_is":"new","started_at":"t","finished_at":"t"}`)); f.Code != CodeInputHead {
		t.Errorf("%+v", f)
	}
	r := k.Reads(json.RawMessage(bare))
	if len(r) != 1 || r[0].Role != "record" || !slices.Equal(r[0].Files, []string{"out/v.exit"}) || r[0].Wants.Bytes != MaxExitRecordBytes {
		t.Errorf("%+v", r)
	}
	if r := k.Reads(json.RawMessage(`{}`)); r != nil {
		t.Errorf("%+v", r)
	}
}

package evidence

import (
	"encoding/json"
	"strings"
	"testing"
)

// judgement is a record of the commit h about the files that fuzzInput shows.
func judgement() string {
	one := strings.Repeat("1", 64)
	return `{"schema":"` + JudgementRecordSchema + `","score":0.85,"rubric":{"path":"rubrics/report.md","version":"3","sha256":"` + one + `"},` +
		`"judge":{"kind":"model","id":"review-model-2"},"commit":"h","artifacts":[{"path":"a.json","sha256":"` + one + `"},{"path":"./a.yml","sha256":"` + one + `"}]}`
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "1": "1", "0.5": "0.5", "0.50": "0.5", "10.000000001": "10.000000001", "999999999.999999999": "999999999.999999999",
		"-1": "", "1e2": "", "01": "", ".5": "", "5.": "", "1.0000000001": "", "1000000000": "", "": "", `"1"`: "", "NaN": "", "+1": "", "1,5": "", "٣": "", "1.5.2": "", "null": "",
	} {
		var d decimal
		err := d.UnmarshalJSON([]byte(text))
		if (err == nil) != (want != "") || want != "" && d.String() != want {
			t.Errorf("%s: %s, %v", text, d, err)
		}
	}
}

func TestJudgement(t *testing.T) {
	t.Parallel()
	k, _ := KindByName("judgement")
	if k.Deterministic || k.Later != "" {
		t.Fatal("a judgement decides alone, or not at all")
	}
	const plain = `{"file":"out/review.json","rubric":"rubrics/report.md","min_score":0.8}`
	strict := `{"file":"out/review.json","rubric":"rubrics/report.md","version":"3","min_score":0.85,"judges":["someone","Review-Model-2"],"judge_not":"author"}`
	edit := func(old, now string) string { return strings.Replace(judgement(), old, now, 1) }
	one := strings.Repeat("1", 64)
	for _, c := range []struct {
		name, params, record string
		change               func(in *Input)
		state                State
		code                 string
	}{
		{"good enough", plain, judgement(), nil, Verified, CodeJudgementReached},
		{"just good enough, by one who may", strict, judgement(), nil, Verified, CodeJudgementReached},
		{"of the merge commit", plain, edit(`"h"`, `"m"`), nil, Verified, CodeJudgementReached},
		{"of a change without files", plain, judgement(), func(in *Input) { in.Documents = nil }, Verified, CodeJudgementReached},
		{"with a reason and a byte order mark", plain, "\ufeff" + edit(`"commit"`, `"reason":"clear\u001b[31m","commit"`), nil, Verified, CodeJudgementReached},
		{"on a scale of ten", strings.Replace(plain, "0.8", `8.5,"scale":10`, 1), edit("0.85", "9.25"), nil, Verified, CodeJudgementReached},
		{"too low by a billionth", plain, edit("0.85", "0.799999999"), nil, ValidatorFailed, CodeJudgementTooLow},
		{"nothing", plain, edit("0.85", "0"), nil, ValidatorFailed, CodeJudgementTooLow},
		{"over the scale", plain, edit("0.85", "85"), nil, Unverified, CodeJudgementNoRecord},
		{"negative", plain, edit("0.85", "-1"), nil, Unverified, CodeJudgementNoRecord},
		{"with an exponent", plain, edit("0.85", "1e0"), nil, Unverified, CodeJudgementNoRecord},
		{"a score of words", plain, edit("0.85", `"good"`), nil, Unverified, CodeJudgementNoRecord},
		{"no score", plain, edit(`"score":0.85,`, ""), nil, Unverified, CodeJudgementNoRecord},
		{"two scores", plain, edit(`"score":0.85,`, `"score":0.1,"score":0.9,`), nil, Unverified, CodeJudgementNoRecord},
		{"a score in another case", plain, edit(`"score"`, `"Score"`), nil, Unverified, CodeJudgementNoRecord},
		{"prose", plain, "I give it 9 of 10.", nil, Unverified, CodeJudgementNoRecord},
		{"another schema", plain, edit("judgement-record/v1", "judgement-record/v2"), nil, Unverified, CodeJudgementNoRecord},
		{"nobody judged", plain, edit("review-model-2", " "), nil, Unverified, CodeJudgementNoRecord},
		{"a judge of two lines", plain, edit("review-model-2", `a\nb`), nil, Unverified, CodeJudgementNoRecord},
		{"a judge that is neither", plain, edit(`"model"`, `"oracle"`), nil, Unverified, CodeJudgementNoRecord},
		{"no commit", plain, edit(`"h"`, `""`), nil, Unverified, CodeJudgementNoRecord},
		{"another commit", plain, edit(`"h"`, `"older"`), nil, WrongArtifact, CodeJudgementWrongCommit},
		{"an unknown head", plain, judgement(), func(in *Input) { in.Subject = Subject{} }, Unverified, CodeInputHead},
		{"another rubric", plain, edit("rubrics/report.md", "rubrics/kind.md"), nil, Unverified, CodeJudgementOtherRubric},
		{"another version", strict, edit(`"version":"3"`, `"version":"2"`), nil, Unverified, CodeJudgementOtherRubric},
		{"a version that nobody asks for", plain, edit(`"version":"3"`, `"version":"2"`), nil, Verified, CodeJudgementReached},
		{"other bytes of the rubric", plain, edit(`"sha256":"1`, `"sha256":"2`), nil, Unverified, CodeJudgementOtherRubric},
		{"no rubric", plain, judgement(), func(in *Input) { in.Reads["rubric"] = nil; in.ReadError = map[string]string{"rubric": "gone"} }, Unverified, CodeJudgementNoRubric},
		{"a judge that is not named", strings.Replace(strict, `"someone","Review-Model-2"`, `"someone"`, 1), judgement(), nil, Unverified, CodeJudgementOtherJudge},
		{"the author", strings.Replace(plain, "}", `,"judge_not":"author"}`, 1), edit("review-model-2", "OctoCat"), nil, Unverified, CodeJudgementOwnWork},
		{"the author's agent", strings.Replace(plain, "}", `,"judge_not":"author"}`, 1), edit("review-model-2", "Claude"), nil, Unverified, CodeJudgementOwnWork},
		{"the author, where that is allowed", plain, edit("review-model-2", "octocat"), nil, Verified, CodeJudgementReached},
		{"unknown authors", strict, judgement(), func(in *Input) { in.HasMakers = false }, Unverified, CodeJudgementMakersUnknown},
		{"other bytes of a file", plain, edit(`"./a.yml","sha256":"1`, `"./a.yml","sha256":"2`), nil, Unverified, CodeJudgementOtherArtifact},
		{"a file that was not judged", plain, edit(`"./a.yml"`, `"./b.yml"`), nil, Unverified, CodeJudgementOtherArtifact},
		{"an unreadable file", plain, judgement(), func(in *Input) { in.Documents[1].Readable = false }, Unverified, CodeInputUnreadable},
		{"no record", plain, "", func(in *Input) { in.Reads["judgement"] = nil }, Unverified, CodeJudgementAbsent},
		{"two records", plain, "", func(in *Input) { in.Reads["judgement"] = make([]Document, 2) }, Unverified, CodeJudgementAmbiguous},
		{"an unreadable record", plain, judgement(), func(in *Input) { in.Reads["judgement"][0].Readable = false }, Unverified, CodeInputUnreadable},
		{"a cut record", plain, judgement(), func(in *Input) { in.Reads["judgement"][0].Cut = true }, Unverified, CodeInputUnreadable},
		{"an impossible least score", strings.Replace(plain, "0.8", "8", 1), judgement(), nil, Unverified, CodeInputParams},
		{"no least score", strings.Replace(plain, "0.8", "0", 1), judgement(), nil, Unverified, CodeInputParams},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc := func(name string) Document {
				return Document{Name: name, Readable: true, Bytes: []byte(c.record), SHA256: one}
			}
			in := Input{
				Documents: []Document{doc("a.json"), doc("a.yml")}, Subject: Subject{HeadSHA: "h", MergeSHA: "m"},
				Reads:  map[string][]Document{"judgement": {doc("out/review.json")}, "rubric": {doc("rubrics/report.md")}},
				Makers: []string{"octocat", "claude"}, HasMakers: true,
			}
			if c.change != nil {
				c.change(&in)
			}
			facts := k.Observe(json.RawMessage(c.params), in)
			if f := k.Judge(json.RawMessage(c.params), facts); f.State != c.state || f.Code != c.code {
				t.Errorf("%+v of %s", f, facts)
			}
			if err := noFloats(facts); err != nil || strings.Contains(string(facts), "clear") {
				t.Errorf("%v: %s", err, facts)
			}
		})
	}
}

// TestJudgementReads holds that the rubric comes from the trusted branch and the record under every rule of evidence.
func TestJudgementReads(t *testing.T) {
	t.Parallel()
	k, _ := KindByName("judgement")
	r := k.Reads(json.RawMessage(`{"file":"out/review.json","rubric":"rubrics/report.md","min_score":1}`))
	if len(r) != 2 || r[0].Files[0] != "out/review.json" || r[0].Trusted != "" || r[0].Role == recordRole || r[1].Trusted != "rubrics/report.md" || len(r[1].Files) > 0 {
		t.Errorf("%+v", r)
	}
}

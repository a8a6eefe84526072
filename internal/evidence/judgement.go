package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	// judgementRole and rubricRole are the roles of a judgement's two further files.
	judgementRole = "judgement"
	rubricRole    = "rubric"
	// maxJudgementBytes is the longest record of a judgement.
	maxJudgementBytes = maxJSONBytes
	// maxJudgedFiles is how many of the outcome's files the facts name apart.
	maxJudgedFiles = 20
	// JudgementRecordSchema names the shape of JudgementRecord.
	JudgementRecordSchema = "https://outcome-gate.dev/judgement-record/v1"
)

// JudgementRecord is what a step writes of a judgement that a model or a person gave: a JSON object without other
// members. It is evidence of tier run, like every file that the job wrote: who the judge was is the record's own word.
type JudgementRecord struct {
	Schema    string           `json:"schema"` // JudgementRecordSchema
	Score     json.Number      `json:"score"`  // from 0 to the contract's scale, without an exponent, at most nine decimals
	Rubric    JudgementRubric  `json:"rubric"`
	Judge     JudgementJudge   `json:"judge"`
	Commit    string           `json:"commit"` // 40 hex digits: what was judged
	Artifacts []JudgedArtifact `json:"artifacts,omitempty"`
	Reason    string           `json:"reason,omitempty"` // the judge's own words; shown nowhere
}

// JudgementRubric is what was judged by.
type JudgementRubric struct {
	Path    string `json:"path"` // in the repository, slash separated
	Version string `json:"version,omitempty"`
	SHA256  string `json:"sha256"` // lower-case hex, of the file's bytes
}

// JudgementJudge is who judged.
type JudgementJudge struct {
	Kind string `json:"kind"` // model or person
	ID   string `json:"id"`   // a login, an address, or the model's name and version
}

// JudgedArtifact is one file that was judged.
type JudgedArtifact struct {
	Path   string `json:"path"`   // relative to the workspace, slash separated
	SHA256 string `json:"sha256"` // lower-case hex
}

const judgementSchema = `{
  "type": "object",
  "description": "A recorded judgement of a model or a person: a score by a rubric of the trusted branch, of this commit and of the outcome's files as they are. Never the only validator of an outcome.",
  "properties": {
    "file": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "^[^/\\x00\\\\][^\\x00\\\\]*$",
      "description": "Where the judgement is recorded (JSON), relative to the workspace."},
    "rubric": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "^[^/\\x00\\\\][^\\x00\\\\]*$",
      "description": "Path of the rubric. Its bytes at the trusted branch's newest commit must be those that the record names."},
    "version": {"type": "string", "minLength": 1, "maxLength": 100, "description": "The rubric's version that the record must name, by equality."},
    "min_score": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000, "multipleOf": 0.0001,
      "description": "The least score, with at most four decimals; at most scale."},
    "scale": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 1,
      "description": "The greatest score that the rubric gives. A record with a greater one is none."},
    "judges": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"type": "string", "minLength": 1, "maxLength": 200},
      "description": "Who may have judged: the judge's id is one of these, whatever its case."},
    "judge_not": {"enum": ["author"],
      "description": "author: the judge is none of those who made the change: no login or address of its author and its commits, no agent whose mark it carries."}
  },
  "required": ["file", "rubric", "min_score"],
  "additionalProperties": false,
  "examples": [{"file": "out/review.json", "rubric": "rubrics/report.md", "min_score": 0.8},
    {"file": "out/review.json", "rubric": "rubrics/report.md", "version": "3", "min_score": 7.5, "scale": 10, "judges": ["review-model-2"], "judge_not": "author"}]
}`

type judgementParams struct {
	File     string   `json:"file"`
	Rubric   string   `json:"rubric"`
	Version  string   `json:"version,omitempty"`
	MinScore decimal  `json:"min_score"`
	Scale    int64    `json:"scale,omitempty"` // 0: 1
	Judges   []string `json:"judges,omitempty"`
	JudgeNot string   `json:"judge_not,omitempty"`
}

// The answers of judgementFacts.Author.
const (
	judgeOther   = "other"   // none of those who made the change
	judgeAuthor  = "author"  // one of them
	judgeUnknown = "unknown" // who made it is not known
)

type judgementFacts struct {
	Files   int    `json:"files"`             // how many files are at that place
	Problem string `json:"problem,omitempty"` // unreadable, not_a_record
	Detail  string `json:"detail,omitempty"`
	// The rubric as the trusted branch has it.
	TrustedSHA256 string `json:"trusted_sha256,omitempty"`
	TrustedReason string `json:"trusted_reason,omitempty"` // why there is none
	// The rest is from the record.
	Score         string          `json:"score,omitempty"` // as it was written
	Rubric        JudgementRubric `json:"rubric"`
	Judge         string          `json:"judge,omitempty"`
	JudgeKind     string          `json:"judge_kind,omitempty"`
	Author        string          `json:"author"` // author, other, unknown; "": there is no record
	Commit        string          `json:"commit,omitempty"`
	CommitIs      string          `json:"commit_is"` // head, merge, other, unknown; "": there is no record
	ArtifactFiles int             `json:"artifact_files"`
	Same          int             `json:"same"` // of them, the very bytes that were judged
	Differ        []exitDifferent `json:"differ,omitempty"`
}

func judgementKind() Kind {
	return Kind{
		Name: "judgement", Version: "1", Schema: judgementSchema, Deterministic: false,
		Doc:     "A model or a person gave this commit, and the outcome's files as they are, at least a score by a pinned rubric.",
		Reads:   judgementReads,
		Observe: observing(observeJudgement),
		Judge:   judging(judgeJudgement),
	}
}

func judgementReads(params json.RawMessage) []Read {
	var p judgementParams
	if decodeStrict(params, &p) != nil || p.File == "" || p.Rubric == "" {
		return nil
	}
	return []Read{
		{Role: judgementRole, Files: []string{p.File}, Trust: tierRun, Wants: Wants{Bytes: maxJudgementBytes}},
		{Role: rubricRole, Trusted: p.Rubric, Trust: tierService},
	}
}

func observeJudgement(p *judgementParams, in *Input) judgementFacts {
	f := judgementFacts{Files: len(in.Reads[judgementRole])}
	switch rubric := in.Reads[rubricRole]; {
	case in.ReadError[rubricRole] != "":
		f.TrustedReason = clip(in.ReadError[rubricRole], maxNameBytes)
	case len(rubric) != 1 || !rubric[0].Readable || rubric[0].SHA256 == "":
		f.TrustedReason = "it was not read"
	default:
		f.TrustedSHA256 = clip(rubric[0].SHA256, maxNameBytes)
	}
	if f.Files != 1 {
		return f
	}
	doc := &in.Reads[judgementRole][0]
	if !doc.Readable || doc.Cut {
		f.Problem = "unreadable"
		return f
	}
	r, err := readJudgement(doc.Bytes, p)
	if err != nil {
		f.Problem, f.Detail = "not_a_record", clip(err.Error(), maxNameBytes)
		return f
	}
	f.record(r, in)
	return f
}

// readJudgement reads a record strictly.
func readJudgement(data []byte, p *judgementParams) (*JudgementRecord, error) {
	r := new(JudgementRecord)
	if err := decodeWhole(bytes.TrimPrefix(data, []byte("\ufeff")), r); err != nil {
		return nil, err
	}
	var score decimal
	if err := score.UnmarshalJSON([]byte(r.Score)); err != nil {
		return nil, fmt.Errorf("the score: %w", err)
	}
	switch {
	case r.Schema != JudgementRecordSchema:
		return nil, errors.New("its schema is not " + JudgementRecordSchema)
	case score > p.scale():
		return nil, fmt.Errorf("the score %s is over the scale", clip(r.Score.String(), 32))
	case r.Judge.Kind != "model" && r.Judge.Kind != "person":
		return nil, errors.New("its judge is neither a model nor a person")
	case strings.TrimSpace(r.Judge.ID) == "" || r.Judge.ID != clip(r.Judge.ID, maxNameBytes):
		return nil, errors.New("it does not name its judge, or not in one short line")
	case r.Commit == "":
		return nil, errors.New("it names no commit")
	}
	return r, nil
}

func (f *judgementFacts) record(r *JudgementRecord, in *Input) {
	f.Score, f.Judge, f.JudgeKind = r.Score.String(), r.Judge.ID, r.Judge.Kind
	f.Rubric = JudgementRubric{
		Path: clip(r.Rubric.Path, 2*maxNameBytes), Version: clip(r.Rubric.Version, maxNameBytes), SHA256: clip(r.Rubric.SHA256, 64),
	}
	switch {
	case slices.ContainsFunc(in.Makers, func(m string) bool { return strings.EqualFold(m, r.Judge.ID) }):
		f.Author = judgeAuthor
	case in.HasMakers:
		f.Author = judgeOther
	default:
		f.Author = judgeUnknown
	}
	f.Commit, f.CommitIs = clip(r.Commit, 64), commitIs(r.Commit, &in.Subject)
	f.ArtifactFiles = len(in.Documents)
	f.Same, f.Differ = differing(in.Documents, maxJudgedFiles, func(d *Document) string {
		i := slices.IndexFunc(r.Artifacts, func(a JudgedArtifact) bool { return path.Clean(a.Path) == d.Name })
		switch {
		case i < 0:
			return notRecorded
		case r.Artifacts[i].SHA256 != d.SHA256:
			return changedSince
		}
		return ""
	})
}

// scale is the greatest score.
func (p *judgementParams) scale() decimal { return decimal(max(p.Scale, 1)) * decimalOne }

// unusable says why facts cannot be those of an observation with these parameters, "" if they can.
func (f *judgementFacts) unusable() string {
	var a agreement
	a.counts(f.Files, f.ArtifactFiles, f.Same)
	recorded := f.Score != ""
	a.hold(f.Files == 1 || !recorded && f.Problem == "", "a judgement without one file")
	a.hold(f.Files != 1 || recorded == (f.Problem == ""), "a judgement and a problem, or neither")
	a.hold((f.TrustedSHA256 == "") == (f.TrustedReason != ""), "a rubric that is known and is not")
	for _, text := range []string{f.Judge, f.JudgeKind, f.Author, f.Commit, f.CommitIs} {
		a.hold((text != "") == recorded, "a part of a record without the rest")
	}
	a.hold(recorded || f.ArtifactFiles == 0 && f.Rubric == JudgementRubric{}, "what only a record says, without a record")
	a.hold(f.Same <= f.ArtifactFiles, "more of the same files than files")
	a.listed(f.ArtifactFiles-f.Same, len(f.Differ), maxJudgedFiles, false)
	return a.against
}

func judgeJudgement(p *judgementParams, f *judgementFacts) Finding {
	switch why := f.unusable(); {
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case p.MinScore < 1 || p.MinScore > p.scale():
		return find(Unverified, CodeInputParams, "min_score %s does not lie on the scale, which ends at %s", p.MinScore, p.scale())
	case f.Files == 0:
		return find(Unverified, CodeJudgementAbsent, "no judgement is recorded at %s", p.File)
	case f.Files != 1:
		return find(Unverified, CodeJudgementAmbiguous, "%d files match %s, one is expected", f.Files, p.File)
	case f.Problem == "unreadable":
		return find(Unverified, CodeInputUnreadable, "%s could not be read", p.File)
	case f.Problem != "":
		return find(Unverified, CodeJudgementNoRecord, "%s: %s", p.File, f.Detail)
	case f.CommitIs == "other":
		return find(WrongArtifact, CodeJudgementWrongCommit, "%s is of commit %s, not of this change's head", p.File, shortCommit(f.Commit))
	case f.CommitIs != "head" && f.CommitIs != "merge":
		return find(Unverified, CodeInputHead, "%s is of commit %s, and the head commit is not known", p.File, shortCommit(f.Commit))
	}
	for _, finding := range []Finding{f.byRubric(p), f.byJudge(p), f.ofFiles()} {
		if finding.State != Verified {
			return finding
		}
	}
	var score decimal
	if err := score.UnmarshalJSON([]byte(f.Score)); err != nil || score > p.scale() {
		return find(Unverified, CodeInputFacts, "%q is no score", f.Score)
	}
	if score < p.MinScore {
		return find(ValidatorFailed, CodeJudgementTooLow, "%s (%s) gave %s of %s, at least %s is asked for", f.Judge, f.JudgeKind, score, p.scale(), p.MinScore)
	}
	return find(Verified, CodeJudgementReached, "%s (%s) gave %s of %s", f.Judge, f.JudgeKind, score, p.scale())
}

// byRubric holds what was judged by to what the trusted branch has.
func (f *judgementFacts) byRubric(p *judgementParams) Finding {
	switch {
	case f.TrustedReason != "":
		return find(Unverified, CodeJudgementNoRubric, "the rubric %s of the trusted branch could not be read: %s", p.Rubric, f.TrustedReason)
	case path.Clean(f.Rubric.Path) != path.Clean(p.Rubric):
		return find(Unverified, CodeJudgementOtherRubric, "it was judged by %q, not by %s", f.Rubric.Path, p.Rubric)
	case p.Version != "" && f.Rubric.Version != p.Version:
		return find(Unverified, CodeJudgementOtherRubric, "it was judged by version %q of %s, not by %q", f.Rubric.Version, p.Rubric, p.Version)
	case f.TrustedSHA256 == "" || f.Rubric.SHA256 != f.TrustedSHA256:
		return find(Unverified, CodeJudgementOtherRubric, "it was judged by other bytes than %s has on the trusted branch", p.Rubric)
	}
	return fine()
}

// byJudge holds who judged to who may.
func (f *judgementFacts) byJudge(p *judgementParams) Finding {
	switch {
	case len(p.Judges) > 0 && !slices.ContainsFunc(p.Judges, func(j string) bool { return strings.EqualFold(j, f.Judge) }):
		return find(Unverified, CodeJudgementOtherJudge, "%s (%s) judged, who is none of those that the contract names", f.Judge, f.JudgeKind)
	case p.JudgeNot == "":
		return fine()
	case p.JudgeNot != "author":
		return find(Unverified, CodeInputParams, "judge_not is %q, which is not known", p.JudgeNot)
	case f.Author == judgeAuthor:
		return find(Unverified, CodeJudgementOwnWork, "%s (%s) judged a change that it had a hand in", f.Judge, f.JudgeKind)
	case f.Author != judgeOther:
		return find(Unverified, CodeJudgementMakersUnknown, "who made the change is not known, so it may be %s who judged it", f.Judge)
	}
	return fine()
}

// ofFiles holds what was judged to the outcome's files as they are now.
func (f *judgementFacts) ofFiles() Finding {
	if len(f.Differ) == 0 {
		if f.Same != f.ArtifactFiles {
			return find(Unverified, CodeInputFacts, "%d of %d files are those that were judged", f.Same, f.ArtifactFiles)
		}
		return fine()
	}
	switch d := f.Differ[0]; d.Why {
	case changedSince:
		return find(Unverified, CodeJudgementOtherArtifact, "%s has other bytes than what was judged", d.Name)
	case notRecorded:
		return find(Unverified, CodeJudgementOtherArtifact, "the record says nothing of %s", d.Name)
	default:
		return find(Unverified, CodeInputUnreadable, "%s could not be read", d.Name)
	}
}

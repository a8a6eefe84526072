package evidence

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// recordRole is the role of the exit record among a validator's further files.
	recordRole = "record"
	// MaxExitRecordBytes is the longest exit record: a command line and the digests of its artifacts.
	MaxExitRecordBytes = maxJSONBytes
	// maxExitArtifacts is how many of the outcome's files same_artifact compares one by one in facts.
	maxExitArtifacts = 20
	// ExitRecordSchema names the shape of ExitRecord.
	ExitRecordSchema = "https://outcome-gate.dev/exit-record/v1"
)

// ExitRecord is what a step writes of a command that it ran: a JSON object without other members. It is evidence
// of tier run: whoever runs code in the same job can write one.
type ExitRecord struct {
	Schema     string         `json:"schema"` // ExitRecordSchema
	Argv       []string       `json:"argv"`   // the program and its arguments
	Status     int            `json:"status"` // 0 to 255; 128+N when killed by signal N
	TimedOut   bool           `json:"timed_out,omitempty"`
	StartedAt  time.Time      `json:"started_at"` // RFC 3339 UTC
	FinishedAt time.Time      `json:"finished_at"`
	Commit     string         `json:"commit,omitempty"` // 40 hex digits: HEAD of the checkout that it ran in
	Artifacts  []ExitArtifact `json:"artifacts,omitempty"`
}

// ExitArtifact is one file that the command was about.
type ExitArtifact struct {
	Path         string `json:"path"`                    // relative to the workspace, slash separated
	SHA256Before string `json:"sha256_before,omitempty"` // lower-case hex; "": not there before the command ran
	SHA256After  string `json:"sha256_after,omitempty"`  // "": not there after it
}

const exitCodeSchema = `{
  "type": "object",
  "description": "A recorded exit status: a file that holds an integer, or an exit record (JSON) that says more of the command. 0 passes; 126, 127 and 128+N for a signal N say that the command did not run or finish; any other status fails.",
  "properties": {
    "file": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "^[^/\\x00\\\\][^\\x00\\\\]*$",
      "description": "Where the status is recorded, relative to the workspace."},
    "command_contains": {"type": "string", "minLength": 1, "maxLength": 500,
      "description": "A text that must stand in the recorded command line, its arguments joined by one space. Needs the record."},
    "same_artifact": {"type": "boolean", "default": false,
      "description": "The outcome's files must be, byte for byte, those that the command saw and left. Needs the record."}
  },
  "required": ["file"],
  "additionalProperties": false,
  "examples": [{"file": "out/validate.exit"}, {"file": "out/validate.json", "command_contains": "--schema v3", "same_artifact": true}]
}`

type exitCodeParams struct {
	File            string `json:"file"`
	CommandContains string `json:"command_contains,omitempty"`
	SameArtifact    bool   `json:"same_artifact,omitempty"`
}

type exitCodeFacts struct {
	Files   int    `json:"files"`             // how many files are at that place
	Problem string `json:"problem,omitempty"` // unreadable, not_a_status
	Detail  string `json:"detail,omitempty"`
	Status  *int   `json:"status,omitempty"`
	// The rest is from a record only.
	Record        bool            `json:"record"`
	TimedOut      bool            `json:"timed_out"`
	Pytest        bool            `json:"pytest,omitempty"`
	Command       string          `json:"command,omitempty"` // bounded
	Contains      bool            `json:"contains,omitempty"`
	Commit        string          `json:"commit,omitempty"`
	CommitIs      string          `json:"commit_is"` // head, merge, other, unknown; "": the record names none
	StartedAt     string          `json:"started_at,omitempty"`
	FinishedAt    string          `json:"finished_at,omitempty"`
	ArtifactFiles int             `json:"artifact_files,omitempty"`
	Same          int             `json:"same,omitempty"` // of them, the very bytes that the command saw and left
	Differ        []exitDifferent `json:"differ,omitempty"`
}

type exitDifferent struct {
	Name string `json:"name"`
	Why  string `json:"why"` // not_recorded, changed_since, changed_by_it, unreadable
}

func exitCodeKind() Kind {
	return Kind{
		Name: "exit_code", Version: "1", Short: "file", Schema: exitCodeSchema, Deterministic: true,
		Doc: "A command's recorded exit status is 0, and with a record also the command, the commit and the artifact's bytes are the right ones.",
		Reads: func(params json.RawMessage) []Read {
			var p exitCodeParams
			if decodeStrict(params, &p) != nil || p.File == "" {
				return nil
			}
			return []Read{{Role: recordRole, Files: []string{p.File}, Trust: tierRun, Wants: Wants{Bytes: MaxExitRecordBytes}}}
		},
		Observe: observing(observeExitCode),
		Judge:   judging(judgeExitCode),
	}
}

func observeExitCode(p *exitCodeParams, in *Input) exitCodeFacts {
	docs := in.Reads[recordRole]
	f := exitCodeFacts{Files: len(docs)}
	if len(docs) != 1 {
		return f
	}
	doc := &docs[0]
	if !doc.Readable || doc.Cut {
		f.Problem = "unreadable"
		return f
	}
	body := bytes.TrimSpace(bytes.TrimPrefix(doc.Bytes, []byte("\ufeff")))
	if !bytes.HasPrefix(body, []byte("{")) {
		f.integer(body)
		return f
	}
	var r ExitRecord
	if err := decodeRecord(body, &r); err != "" {
		f.Problem, f.Detail = "not_a_status", clip(err, maxNameBytes)
		return f
	}
	f.record(p, &r, in)
	return f
}

// integerText is an integer as every language writes it: no leading zeros, no plus.
var integerText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(0|-?[1-9][0-9]{0,8})$`) })

// integer reads a file that holds nothing but a status.
func (f *exitCodeFacts) integer(body []byte) {
	if !integerText().Match(body) {
		f.Problem, f.Detail = "not_a_status", "the file holds neither one integer nor a record: "+clip(string(body[:min(len(body), 64)]), 64)
		return
	}
	n, err := strconv.Atoi(string(body))
	if err != nil {
		f.Problem, f.Detail = "not_a_status", clip(err.Error(), maxNameBytes)
		return
	}
	f.Status = &n
}

// decodeRecord reads a record strictly; the text says what is wrong with it.
func decodeRecord(body []byte, r *ExitRecord) string {
	if err := decodeWhole(body, r); err != nil {
		return err.Error()
	}
	var has struct {
		Status json.RawMessage `json:"status"`
	}
	if err := json.Unmarshal(body, &has); err != nil || len(has.Status) == 0 || string(has.Status) == "null" {
		return "the record holds no status"
	}
	switch {
	case r.Schema != ExitRecordSchema:
		return "the record's schema is not " + ExitRecordSchema
	case len(r.Argv) == 0:
		return "the record names no command"
	case r.FinishedAt.Before(r.StartedAt):
		return "the record ends before it starts"
	}
	return ""
}

func (f *exitCodeFacts) record(p *exitCodeParams, r *ExitRecord, in *Input) {
	line := strings.Join(r.Argv, " ")
	status := r.Status
	f.Record, f.Status, f.TimedOut, f.Pytest = true, &status, r.TimedOut, runsPytest(r.Argv)
	f.Command = clip(line, maxNameBytes)
	f.Contains = p.CommandContains != "" && strings.Contains(line, p.CommandContains)
	f.Commit = clip(r.Commit, 64)
	f.StartedAt, f.FinishedAt = r.StartedAt.UTC().Format(time.RFC3339), r.FinishedAt.UTC().Format(time.RFC3339)
	f.CommitIs = commitIs(r.Commit, &in.Subject)
	if p.SameArtifact {
		f.artifacts(r, in.Documents)
	}
}

// commitIs says which of the subject's commits a record names: head, merge or other; unknown where the head is not
// known, "" where it names none.
func commitIs(commit string, s *Subject) string {
	switch {
	case commit == "":
		return ""
	case s.HeadSHA == "":
		return "unknown"
	case commit == s.HeadSHA:
		return "head"
	case commit == s.MergeSHA:
		return "merge"
	}
	return "other"
}

// artifacts holds the files as observed now against the record.
func (f *exitCodeFacts) artifacts(r *ExitRecord, docs []Document) {
	f.ArtifactFiles = len(docs)
	f.Same, f.Differ = differing(docs, maxExitArtifacts, func(d *Document) string {
		i := slices.IndexFunc(r.Artifacts, func(a ExitArtifact) bool { return path.Clean(a.Path) == d.Name })
		switch {
		case i < 0:
			return notRecorded
		case r.Artifacts[i].SHA256After != d.SHA256:
			return changedSince
		case r.Artifacts[i].SHA256Before != d.SHA256:
			return changedByIt
		}
		return ""
	})
}

// Why a file is not the one that a record speaks of.
const (
	unreadable   = "unreadable"
	notRecorded  = "not_recorded"
	changedSince = "changed_since"
	changedByIt  = "changed_by_it"
)

// differing holds files against a record: how many are the recorded ones, and at most limit others. why says what is
// wrong with a readable file, "" if nothing is.
func differing(docs []Document, limit int, why func(d *Document) string) (same int, differ []exitDifferent) {
	for i := range docs {
		d, reason := &docs[i], unreadable
		if d.Readable && d.SHA256 != "" {
			reason = why(d)
		}
		switch {
		case reason == "":
			same++
		case len(differ) < limit:
			differ = append(differ, exitDifferent{Name: clip(d.Name, maxNameBytes), Why: reason})
		}
	}
	return same, differ
}

func judgeExitCode(p *exitCodeParams, f *exitCodeFacts) Finding {
	switch why := f.unusable(p); {
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case f.Files == 0:
		return find(Unverified, CodeExitAbsent, "no exit status is recorded at %s", p.File)
	case f.Files != 1:
		return find(Unverified, CodeExitAmbiguous, "%d files match %s, one is expected", f.Files, p.File)
	case f.Problem == "unreadable":
		return find(Unverified, CodeInputUnreadable, "%s could not be read", p.File)
	case f.Problem != "" || f.Status == nil:
		return find(Unverified, CodeExitNotAStatus, "%s: %s", p.File, f.Detail)
	}
	var argv []string
	if f.Pytest {
		argv = []string{"pytest"}
	}
	m := commandExit(*f.Status, argv)
	switch {
	case f.CommitIs == "other":
		return find(WrongArtifact, CodeExitWrongCommit, "%s is of commit %s, not of this change's head", p.File, shortCommit(f.Commit))
	case f.TimedOut:
		return find(Unverified, CodeExitTimedOut, "%s did not end in time", f.Command)
	case m.State != Verified:
		return find(m.State, m.Code, "%s: %s", p.File, m.Meaning)
	case f.CommitIs != "" && f.CommitIs != "head" && f.CommitIs != "merge":
		return find(Unverified, CodeInputHead, "%s is of commit %s, and the head commit is not known", p.File, shortCommit(f.Commit))
	}
	if finding := judgeRecord(p, f); finding.State != Verified {
		return finding
	}
	return find(Verified, CodeExitPassed, "%s: %s", p.File, m.Meaning)
}

// judgeRecord judges what only a record can show.
func judgeRecord(p *exitCodeParams, f *exitCodeFacts) Finding {
	switch {
	case p.CommandContains == "" && !p.SameArtifact:
		return fine()
	case !f.Record:
		return find(Unverified, CodeExitNoRecord, "%s is a bare status; command_contains and same_artifact need an exit record", p.File)
	case p.CommandContains != "" && !f.Contains:
		return find(Unverified, CodeExitOtherCommand, "the recorded command does not contain %q: %s", p.CommandContains, f.Command)
	case !p.SameArtifact:
		return fine()
	case f.ArtifactFiles < 1:
		return find(Unverified, CodeInputNoFiles, "there is no artifact to compare with the record")
	case f.Same == f.ArtifactFiles && len(f.Differ) == 0:
		return fine()
	case len(f.Differ) == 0:
		return find(Unverified, CodeInputFacts, "%d of %d files are those of the record", f.Same, f.ArtifactFiles)
	}
	d := f.Differ[0]
	switch d.Why {
	case changedSince:
		return find(Unverified, CodeExitOtherArtifact, "%s changed after the command had run on it", d.Name)
	case changedByIt:
		return find(Unverified, CodeExitOtherArtifact, "%s is not what the command was given: it changed while the command ran", d.Name)
	case notRecorded:
		return find(Unverified, CodeExitNotRecorded, "the record says nothing of %s", d.Name)
	}
	return find(Unverified, CodeInputUnreadable, "%s could not be read", d.Name)
}

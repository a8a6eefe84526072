package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxContentFiles is how many files the facts of content and json_schema name; of the others only the worst counts.
const maxContentFiles = 10

const contentSchema = `{
  "type": "object",
  "description": "What the artifact's files say: every file must.",
  "properties": {
    "pointer": {"type": "string", "maxLength": 1000, "pattern": "^(/([^~]|~[01])*)?$",
      "description": "JSON Pointer (RFC 6901) to a single value of a JSON or YAML document, held against equals."},
    "equals": {
      "description": "What the value must be: one or several of the names of this run (any one is enough), or { text: ... } with literal values.",
      "oneOf": [
        {"$ref": "#/$defs/name"},
        {"type": "array", "items": {"$ref": "#/$defs/name"}, "minItems": 1, "maxItems": 7},
        {"type": "object", "properties": {"text": {"oneOf": [{"$ref": "#/$defs/literal"}, {"type": "array", "items": {"$ref": "#/$defs/literal"}, "minItems": 1, "maxItems": 50}],
           "description": "One or several literal values; any one is enough."}},
         "required": ["text"], "additionalProperties": false}
      ]
    },
    "text": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "A text that must occur in every file."},
    "regexp": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "A pattern (RE2) that must match in every file."}
  },
  "oneOf": [{"required": ["pointer", "equals"]}, {"required": ["text"]}, {"required": ["regexp"]}],
  "dependentRequired": {"equals": ["pointer"]},
  "additionalProperties": false,
  "$defs": {
    "name": {"enum": ["commit", "head_sha", "merge_sha", "base_sha", "run_id", "run_attempt", "artifact_sha256"]},
    "literal": {"type": "string", "minLength": 1, "maxLength": 256}
  },
  "examples": [{"pointer": "/commit", "equals": "commit"}, {"pointer": "/status", "equals": {"text": "ok"}}, {"text": "Release notes"}, {"regexp": "^version: 2\\."}]
}`

type contentParams struct {
	Pointer *string    `json:"pointer,omitempty"`
	Equals  *equalsOne `json:"equals,omitempty"`
	Text    string     `json:"text,omitempty"`
	Regexp  string     `json:"regexp,omitempty"`
}

// equalsOne is a list of identity names, or a list of literal values.
type equalsOne struct{ Names, Text []string }

// UnmarshalJSON takes a name, a list of names, or an object with text.
func (e *equalsOne) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var literal struct {
			Text textList `json:"text"`
		}
		if err := decodeStrict(b, &literal); err != nil {
			return err
		}
		e.Text = literal.Text
	} else {
		var names textList
		if err := names.UnmarshalJSON(b); err != nil {
			return err
		}
		for _, n := range names {
			if !slices.Contains(IdentityNames(), n) {
				return fmt.Errorf("equals names %q, which is not known", clip(n, 64))
			}
		}
		e.Names = names
	}
	if len(e.Names)+len(e.Text) == 0 {
		return errors.New("equals is empty")
	}
	return nil
}

type contentFacts struct {
	Files int           `json:"files"`
	Found []contentFact `json:"found,omitempty"` // up to ten, the ones that do not match first
}

type contentFact struct {
	Name    string   `json:"name"`
	Problem string   `json:"problem,omitempty"` // unreadable, over_limit, empty, not_parsable, absent, not_scalar, pattern
	Detail  string   `json:"detail,omitempty"`
	Value   string   `json:"value,omitempty"`   // what the pointer addresses
	Targets []string `json:"targets,omitempty"` // what the names of equals stand for
	Matches bool     `json:"matches,omitempty"` // text or regexp
}

func contentKind() Kind {
	return Kind{
		Name: "content", Version: "1", Schema: contentSchema, NeedsArtifact: true, Deterministic: true,
		Doc:     "Every file holds a value, a text or a match of a pattern.",
		Wants:   func(json.RawMessage) Wants { return Wants{Bytes: MaxDocumentBytes} },
		Observe: observing(observeContent),
		Judge:   judging(judgeContent),
	}
}

func observeContent(p *contentParams, in *Input) contentFacts {
	f := contentFacts{Files: len(in.Documents)}
	all := make([]contentFact, len(in.Documents))
	for i := range in.Documents {
		all[i] = lookInto(p, &in.Documents[i], &in.Subject)
	}
	order := States()
	slices.SortStableFunc(all, func(a, b contentFact) int {
		return slices.Index(order, judgeContentFile(p, &a).State) - slices.Index(order, judgeContentFile(p, &b).State)
	})
	f.Found = all[:min(len(all), maxContentFiles)]
	return f
}

func lookInto(p *contentParams, doc *Document, s *Subject) contentFact {
	f := contentFact{Name: clip(doc.Name, maxNameBytes)}
	switch {
	case !doc.Readable:
		f.Problem = "unreadable"
	case doc.Cut:
		f.Problem = "over_limit"
	case len(bytes.TrimSpace(doc.Bytes)) == 0:
		f.Problem = "empty" // a pattern that matches nothing matches an empty file too
	case p.Pointer != nil && p.Equals != nil:
		value, err := pointAt(*p.Pointer, doc.Name, doc.Bytes)
		for _, t := range IdentityTargets(p.Equals.Names, s, doc.SHA256) {
			f.Targets = append(f.Targets, clip(t, maxNameBytes))
		}
		switch {
		case err == nil && len(value) > maxIdentityBytes:
			f.Problem, f.Detail = "not_scalar", "the value is too long to be compared"
		case err == nil && value != clip(value, maxIdentityBytes):
			f.Problem, f.Detail = "not_scalar", "the value holds control characters"
		case err == nil:
			f.Value = value
		case errors.Is(err, errNoValue):
			f.Problem = "absent"
		case errors.Is(err, errNotScalar):
			f.Problem, f.Detail = "not_scalar", err.Error()
		default:
			f.Problem, f.Detail = "not_parsable", clip(err.Error(), maxNameBytes)
		}
	case p.Text != "":
		f.Matches = bytes.Contains(doc.Bytes, []byte(p.Text))
	case p.Regexp != "":
		re, err := regexp.Compile(p.Regexp)
		if err != nil {
			f.Problem, f.Detail = "pattern", clip(err.Error(), maxNameBytes)
			return f
		}
		f.Matches = re.Match(doc.Bytes)
	}
	return f
}

func judgeContent(p *contentParams, f *contentFacts) Finding {
	switch why := f.unusable(); {
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case f.Files < 1:
		return find(Unverified, CodeInputNoFiles, "no file was looked into")
	}
	all := make([]Finding, len(f.Found))
	for i := range f.Found {
		all[i] = judgeContentFile(p, &f.Found[i])
	}
	w := worst(all)
	if w.State == Verified && f.Files > 1 {
		w.Detail = fmt.Sprintf("all %d files: %s", f.Files, w.Detail)
	}
	return w
}

func judgeContentFile(p *contentParams, f *contentFact) Finding {
	where := ""
	if p.Pointer != nil {
		where = fmt.Sprintf(" at %q", *p.Pointer)
	}
	switch f.Problem {
	case "":
	case "unreadable":
		return find(Unverified, CodeInputUnreadable, "%s could not be read", f.Name)
	case "empty":
		return find(Unverified, CodeInputEmpty, "%s is empty", f.Name)
	case "over_limit":
		return find(Unverified, CodeContentOverLimit, "%s is longer than %d MiB", f.Name, MaxDocumentBytes>>20)
	case "pattern":
		return find(Unverified, CodeInputParams, "the pattern cannot be used: %s", f.Detail)
	case "absent":
		return find(ValidatorFailed, CodeContentAbsent, "%s holds nothing%s", f.Name, where)
	case "not_scalar":
		return find(ValidatorFailed, CodeContentAbsent, "%s holds no single value%s%s", f.Name, where, because(f.Detail))
	case "not_parsable":
		return find(ValidatorFailed, CodeContentNotParsable, "%s: %s", f.Name, f.Detail)
	default:
		return find(Unverified, CodeInputFacts, "%s has a problem that is not known here", f.Name)
	}
	switch {
	case p.Pointer != nil && p.Equals != nil:
		return judgeValue(p.Equals, f, where)
	case p.Text == "" && p.Regexp == "":
		return find(Unverified, CodeInputParams, "nothing to look for")
	case f.Matches:
		return find(Verified, CodeContentMatches, "%s holds what is asked for", f.Name)
	case p.Text != "":
		return find(ValidatorFailed, CodeContentMismatch, "%s does not hold the text %q", f.Name, clip(p.Text, 100))
	}
	return find(ValidatorFailed, CodeContentMismatch, "%s does not match %q", f.Name, clip(p.Regexp, 100))
}

// quotedAny is one text, or several to choose from.
func quotedAny(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, " or ")
}

// judgeValue compares: another commit or run makes another target of it, another literal fails the check.
func judgeValue(e *equalsOne, f *contentFact, where string) Finding {
	switch {
	case f.Value != "" && (slices.Contains(f.Targets, f.Value) || slices.Contains(e.Text, f.Value)):
		return find(Verified, CodeContentMatches, "%s is %q%s", f.Name, f.Value, where)
	case len(e.Names) > 0 && len(f.Targets) == 0:
		return find(Unverified, CodeInputHead, "%s is %q%s, and what %s stands for is not known", f.Name, f.Value, where, strings.Join(e.Names, ", "))
	case len(e.Names) > 0:
		return find(WrongArtifact, CodeContentIdentity, "%s is %q%s, expected %s (%s)", f.Name, shortCommit(f.Value), where, strings.Join(e.Names, " or "), strings.Join(ShortCommits(f.Targets), ", "))
	}
	return find(ValidatorFailed, CodeContentMismatch, "%s is %q%s, expected %s", f.Name, f.Value, where, quotedAny(e.Text))
}

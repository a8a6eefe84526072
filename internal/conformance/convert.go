package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// Converted is a contract in the product's language, made of an Intent.
type Converted struct {
	YAML   []byte
	Schema []byte   // of the report, where the built-in one does not ask for all that the intent does; else nil
	Notes  []string // what the hints say and the contract does not, for people
}

// NotExpressible says what of an intent the contract language cannot say yet. It is an error of the suite's
// use of the language, not of the product.
type NotExpressible struct{ What string }

// Error says what cannot be expressed.
func (e *NotExpressible) Error() string { return "not expressible: " + e.What }

// reportSchemaPath is where a report's schema lies in the repositories that are built.
const reportSchemaPath = ".github/outcome-report.schema.json"

// block is one mapping of the contract that is written.
type block = map[string]any

// conversion is one intent on its way into the language.
type conversion struct {
	intent *Intent
	s      *Scenario
	notes  []string
	schema []byte
}

// Convert writes an intent in the contract language. The situation decides only whether a producer's name is a
// step's or a job's, and whether a window that the language lacks would make a difference. The error is a
// *NotExpressible where the language lacks something, and where a hint is not understood.
func Convert(intent *Intent, s *Scenario) (*Converted, error) {
	if err := intent.understood(); err != nil {
		return nil, err
	}
	c := &conversion{intent: intent, s: s}
	doc := block{"version": 1, "report": block{}}
	if len(intent.ProtectedPaths) > 0 {
		doc["protected_paths"] = intent.ProtectedPaths
	}
	for _, part := range []func(block) error{c.appliesTo, c.report, c.outcomes} {
		if err := part(doc); err != nil {
			return nil, err
		}
	}
	if len(intent.Limits) > 0 {
		c.note("limits are the gate's own, not the contract's")
	}
	text, err := yaml.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("write contract: %w", err)
	}
	return &Converted{YAML: text, Schema: c.schema, Notes: c.notes}, nil
}

// understood refuses an intent with members whose meaning is not known here.
func (in *Intent) understood() error {
	for where, names := range map[string]unread{"the contract": in.unknown, "report": in.Report.unknown} {
		if len(names) > 0 {
			return &NotExpressible{What: fmt.Sprintf("%s of %s: no such hint is known", strings.Join(names, ", "), where)}
		}
	}
	switch {
	case in.Detection != nil && len(in.Detection.unknown) > 0:
		return &NotExpressible{What: fmt.Sprintf("agents by %s: no such mark is known", strings.Join(in.Detection.unknown, ", "))}
	case in.Source != "" && in.Source != "base":
		return &NotExpressible{What: "a contract of " + in.Source + ": the trusted branch's judges"}
	}
	for i := range in.Outcomes {
		if h := &in.Outcomes[i]; len(h.unknown) > 0 {
			return &NotExpressible{What: fmt.Sprintf("%s of outcome %s: no such hint is known", strings.Join(h.unknown, ", "), h.ID)}
		}
	}
	return nil
}

func (c *conversion) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// appliesTo narrows the contract to agents: to all that are known, or to the marks that the intent lists.
func (c *conversion) appliesTo(doc block) error {
	switch c.intent.AppliesTo {
	case "", "all", "every pull request":
		return nil
	case "agent-authored":
	default:
		return &NotExpressible{What: "applies_to: " + c.intent.AppliesTo}
	}
	d := c.intent.Detection
	if d == nil {
		doc["applies_to"] = block{"agents": contract.Agents()}
		return nil
	}
	out := block{}
	for name, list := range map[string][]string{"authors": d.Logins, "head_branches": d.Branches, "labels": d.Labels} {
		if len(list) > 0 {
			out[name] = list
		}
	}
	trailers := map[string][]string{}
	var agents []string
	for _, t := range d.Trailers {
		key, value, _ := strings.Cut(t, ":")
		value = strings.TrimSpace(value)
		address := regexp.MustCompile(`<?([^<>\s]*@[^<>\s]+)>?`).FindStringSubmatch(value)
		switch {
		case address != nil:
			trailers[key] = append(trailers[key], address[1])
		case slices.Contains(contract.Agents(), strings.ToLower(value)):
			// A name is no identity: the known agent's own addresses stand for it.
			agents = append(agents, strings.ToLower(value))
		default:
			return &NotExpressible{What: fmt.Sprintf("trailer %q: it names no address", t)}
		}
	}
	if len(trailers) > 0 {
		out["trailers"] = trailers
	}
	if len(agents) > 0 {
		out["agents"] = agents
	}
	doc["applies_to"] = out
	return nil
}

// report says whether a report is required. An optional one is "never": its absence and its prose are only
// noted, and a report that is there is heard in any case.
func (c *conversion) report(doc block) error {
	r := c.intent.Report
	out := block{}
	switch r.Requirement {
	case "", "required":
		out["required"] = "always"
	case "optional", "none":
		out["required"] = "never"
	default:
		return &NotExpressible{What: "report.requirement: " + r.Requirement}
	}
	for _, word := range r.Outcomes {
		if !slices.Contains([]string{"succeeded", "failed", "blocked"}, word) {
			return &NotExpressible{What: "report outcome " + word + ": the words are the language's own"}
		}
	}
	var more []string
	for _, field := range r.Fields {
		if field != "outcome" && field != "evidence" {
			more = append(more, field)
		}
	}
	if len(more) > 0 {
		text, err := reportSchema(append([]string{"outcome", "evidence"}, more...))
		if err != nil {
			return err
		}
		c.schema, out["schema"] = text, reportSchemaPath
	}
	if len(r.Carriers) > 0 {
		out["carriers"] = r.Carriers
	}
	if len(r.Authors) > 0 {
		out["comment_authors"] = r.Authors
	}
	doc["report"] = out
	return nil
}

// outcomes writes every expected outcome.
func (c *conversion) outcomes(doc block) error {
	list := make([]block, 0, len(c.intent.Outcomes))
	for i := range c.intent.Outcomes {
		h := &c.intent.Outcomes[i]
		convert, ok := map[string]func(*Hint) (block, error){
			"tests": c.tests, "artifact": c.artifact, "validator": c.validator, "approval": c.approval,
			"external_check": c.check, "fail_before_pass_after": c.failToPass,
		}[h.Kind]
		if !ok {
			return &NotExpressible{What: fmt.Sprintf("outcome kind %q of %s", h.Kind, h.ID)}
		}
		out, err := convert(h)
		if err != nil {
			return err
		}
		out["id"] = h.ID
		if h.Words != "" {
			out["about"] = bounded(h.Words)
		}
		if h.Required != nil && !*h.Required {
			out["required"] = false
		}
		if len(h.WhenChanged) > 0 {
			out["when"] = block{"paths": h.WhenChanged}
		}
		list = append(list, out)
	}
	doc["outcomes"] = list
	return nil
}

// maxAbout is the language's limit of an outcome's sentence.
const maxAbout = 500

func bounded(s string) string {
	if r := []rune(s); len(r) > maxAbout {
		return string(r[:maxAbout])
	}
	return s
}

package prompt

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// outcomes lists what is expected, one item each, and counts those for which there is no room.
func outcomes(c *contract.Contract) string {
	var b strings.Builder
	for i := range c.Outcomes {
		text := outcome(&c.Outcomes[i])
		if b.Len()+len(text) > maxOutcomes {
			fmt.Fprintf(&b, "- and %s of the contract\n", render.Many(len(c.Outcomes)-i, "more outcome"))
			break
		}
		b.WriteString(text)
	}
	return b.String()
}

func outcome(o *contract.Outcome) string {
	var b strings.Builder
	b.WriteString("- " + render.Code(o.ID))
	if o.Optional {
		b.WriteString(" (not required)")
	}
	if o.About != "" {
		b.WriteString(": " + about(o.About))
	}
	b.WriteString("\n")
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	if a := o.Artifact; a != nil {
		line("Evidence: %s.", artifact(a))
	}
	for _, v := range o.Validators {
		line("Check: %s %s.", render.Code(v.Kind), render.Code(string(v.Params)))
	}
	if o.WaitsFor != nil {
		line("It waits for %s, which is not yours to give.", waits(o.WaitsFor))
	}
	if o.When != nil {
		line("Expected where the change touches %s.", list(o.When.Paths))
	}
	if w := o.Waive; w != nil {
		line("Waived until %s: %s.", render.Prose(w.Until), about(w.Reason))
	}
	return b.String()
}

// artifact says which evidence is meant, and under which conditions it counts.
func artifact(a *contract.Artifact) string {
	if a.Of != "" {
		return "that of " + render.Code(a.Of)
	}
	var parts []string
	switch {
	case a.URL != "":
		parts = append(parts, fmt.Sprintf("the address %s answers with %d", render.Code(a.URL), a.Status))
	case a.Upload != "":
		parts = append(parts, list(a.Files)+" in the upload "+render.Code(a.Upload))
	default:
		parts = append(parts, list(a.Files))
	}
	if a.MadeBy != "" {
		parts = append(parts, "made by the step or job "+render.Code(a.MadeBy))
	}
	if len(a.Files) > 0 {
		switch a.Fresh.Rule {
		case "run":
			parts = append(parts, "not older than the run")
		case "max_age":
			parts = append(parts, "at most "+(time.Duration(a.Fresh.MaxAge)*time.Second).String()+" old")
		}
		switch a.Committed {
		case "yes":
			parts = append(parts, "may be committed")
		case "changed":
			parts = append(parts, "committed and changed by the pull request")
		}
		if a.Count.Min > 1 {
			parts = append(parts, fmt.Sprintf("at least %d files", a.Count.Min))
		}
	}
	if a.SHA256 != "" {
		parts = append(parts, "SHA-256 "+render.Code(a.SHA256))
	}
	return strings.Join(parts, ", ")
}

func waits(w *contract.WaitsFor) string {
	if w.Approval == nil {
		return "the environment " + render.Code(w.Environment)
	}
	return render.Many(w.Approval.Count, "approval") + " by " + list(w.Approval.From)
}

// maxListed bounds the entries of one list that are named.
const maxListed = 10

func list(items []string) string {
	var shown []string
	for i, s := range items {
		if i == maxListed {
			shown = append(shown, fmt.Sprintf("%d more", len(items)-i))
			break
		}
		shown = append(shown, render.Code(s))
	}
	return strings.Join(shown, ", ")
}

// about is a sentence of the contract as Markdown: what stands between backticks is code, and what is more than plain words
// is as well.
func about(s string) string {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 {
		return render.Prose(s)
	}
	var b strings.Builder
	for i, part := range parts {
		bare := strings.TrimSpace(part)
		lead, tail, _ := strings.Cut(part, bare)
		switch {
		case bare == "":
			b.WriteString(spaces(part))
		case i%2 == 1:
			b.WriteString(render.Code(part))
		default:
			b.WriteString(spaces(lead) + prose(bare) + spaces(tail))
		}
	}
	return b.String()
}

// prose is render.Prose, but for punctuation that goes on after a code span.
func prose(s string) string {
	rest := strings.TrimLeft(s, ",;:.) ")
	head := s[:len(s)-len(rest)]
	if rest == "" {
		return head
	}
	return head + render.Prose(rest)
}

// spaces is one space for any white space, so that no line ends.
func spaces(s string) string {
	if s == "" {
		return ""
	}
	return " "
}

// asciiControls is JSON text in which everything that does not print is escaped as JSON does. Outside of strings only
// white space can be of that kind, and stays.
func asciiControls(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t' || r == ' ' || render.Visible(string(r)) == string(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

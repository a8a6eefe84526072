package receipt

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// namedSet is a file set of an outcome with the patterns that it was listed by.
type namedSet struct {
	at    string
	globs []string
	set   *evidence.FileSet
}

// sets are the outcome's file sets; the patterns of an artifact that belongs to another outcome are not filled in.
func (o *Outcome) sets() []namedSet {
	var out []namedSet
	if o.Facts.Artifact != nil {
		out = append(out, namedSet{at: o.Rule.ID, set: o.Facts.Artifact})
	}
	for i := range o.Validators {
		wanted := readsOf(&o.Rule.Validators[i])
		for j := range o.Validators[i].Reads {
			out = append(out, namedSet{
				at: o.Rule.ID + " (" + o.Validators[i].Kind + " " + wanted[j].Role + ")", globs: wanted[j].Files, set: &o.Validators[i].Reads[j].Set,
			})
		}
	}
	return out
}

// agree refuses a record in which one file, or one list of files, is seen in two ways: a run lists each list once and
// reads each file once. Files of the head commit are apart from those of the workspace.
func (r *Receipt) agree() error {
	rules := make([]contract.Outcome, len(r.Outcomes))
	for i := range r.Outcomes {
		rules[i] = r.Outcomes[i].Rule
	}
	lists, files := map[string]namedSet{}, map[string]evidence.File{}
	for i := range r.Outcomes {
		a := contract.ArtifactOf(rules, &rules[i])
		if err := r.Outcomes[i].counted(); err != nil {
			return err
		}
		for _, s := range r.Outcomes[i].sets() {
			if err := bounded(s); err != nil {
				return err
			}
			source := "workspace:"
			if s.globs == nil && a != nil {
				s.globs = a.Files
				if a.Committed == "changed" {
					source = "head:"
				}
				if a.Upload != "" || a.URL != "" {
					source = fmt.Sprintf("elsewhere:%s%s:%d:%d:%s:", a.Upload, a.URL, a.Status, a.Redirects, uploader(a))
				}
			}
			key := source + strings.Join(s.globs, "\x00")
			if other, ok := lists[key]; ok && (other.set.Problem != s.set.Problem || other.set.Total != s.set.Total) {
				return fmt.Errorf("%s and %s name the same files and list others", other.at, s.at)
			}
			lists[key] = s
			for _, f := range s.set.Files {
				if other, ok := files[source+f.Name]; ok && !sameFile(&other, &f) {
					return fmt.Errorf("the facts of the file %q in %s are not those that were recorded before", f.Name, s.at)
				}
				files[source+f.Name] = f
			}
		}
	}
	return nil
}

// counted refuses a record in which a validator of test results saw other numbers of files than were listed for it.
func (o *Outcome) counted() error {
	for i := range o.Validators {
		v := &o.Validators[i]
		if v.Kind != "tests" && v.Kind != "fail_to_pass" {
			continue
		}
		var facts struct {
			Files  *int `json:"files"`
			Before *int `json:"before_files"`
			Base   *struct {
				Files *int `json:"files"`
			} `json:"base"`
		}
		if json.Unmarshal(v.Facts, &facts) != nil {
			continue // of no observation: the kind itself refuses them
		}
		if facts.Base != nil {
			facts.Before = facts.Base.Files
		}
		if a := o.Facts.Artifact; a != nil && facts.Files != nil && *facts.Files != a.Total {
			return fmt.Errorf("%s (%s) saw %d files of the %d that were listed", o.Rule.ID, v.Kind, *facts.Files, a.Total)
		}
		for j := range v.Reads {
			if s := &v.Reads[j].Set; facts.Before != nil && *facts.Before != s.Total {
				return fmt.Errorf("%s (%s %s) saw %d files of the %d that were listed", o.Rule.ID, v.Kind, v.Reads[j].Role, *facts.Before, s.Total)
			}
		}
	}
	return nil
}

// bounded refuses a set that no run leaves behind: only of a full set are files left out, and each group counts some.
func bounded(s namedSet) error {
	if len(s.set.Files) > keptFiles || len(s.set.More) > 0 && len(s.set.Files) != keptFiles {
		return fmt.Errorf("%s keeps %d files and counts others; a receipt keeps %d", s.at, len(s.set.Files), keptFiles)
	}
	for _, g := range s.set.More {
		if g.N < 1 {
			return fmt.Errorf("%s counts a group of %d files", s.at, g.N)
		}
	}
	return nil
}

// uploader is the job whose uploads are looked at: what is known of them hangs on it.
func uploader(a *contract.Artifact) string {
	if a.Upload == "" {
		return ""
	}
	return a.MadeBy
}

// sameFile says whether two facts can come from one look at a file. Rules differ in what they show of it: a digest may
// be kept back, links refused, a copy excused.
func sameFile(a, b *evidence.File) bool {
	if a.SizeBytes != b.SizeBytes || a.Link != b.Link || !sameTime(a.ModifiedAt, b.ModifiedAt) || !sameTime(a.Boundary, b.Boundary) || conflict(a.SHA256, b.SHA256) || conflict(a.HMACSHA256, b.HMACSHA256) {
		return false
	}
	refused := evidence.CodeArtifactLinkRefused
	if a.Problem != b.Problem && a.Problem != refused && b.Problem != refused {
		return false
	}
	g, h := a.Git, b.Git
	return g.Known == h.Known && g.Reason == h.Reason && g.Tracked == h.Tracked && g.Changed == h.Changed && g.AtHead == h.AtHead && !conflict(g.Copied, h.Copied)
}

// conflict says whether two values are shown and differ.
func conflict(a, b string) bool { return a != "" && b != "" && a != b }

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

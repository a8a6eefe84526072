package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Direction says what a change of the contract does to what is asked for.
type Direction string

// The directions that are told. What asks for more is not told.
const (
	Weaker  Direction = "weaker"  // it asks for less
	Changed Direction = "changed" // it asks for something else, and nobody can tell that this is as much
)

// Weakening is one way in which a change of the contract asks for less, or for something else.
type Weakening struct {
	Outcome   string    `json:"outcome,omitempty"` // id; "" for the contract as a whole
	Key       string    `json:"key"`               // what was changed, such as artifact.made_by
	Direction Direction `json:"direction"`
	Text      string    `json:"text"` // in words, for people, on one line; may hold text of the contracts
}

// Diff lists what next asks less of than old, and then what it asks for instead, each in the order of old. What only
// asks for more is not listed, nor what decides nothing: about, reviewed, report.mention and the reason of a waiver.
// Without old there is nothing to weaken; without next everything is dropped.
func Diff(old, next *Contract) []Weakening {
	switch {
	case old == nil:
		return nil
	case next == nil:
		return []Weakening{{Key: "outcomes", Direction: Weaker, Text: "the contract is removed or cannot be read: every outcome is dropped"}}
	}
	d := &differ{}
	d.whole(old, next)
	for i := range old.Outcomes {
		o := &old.Outcomes[i]
		d.id = o.ID
		n := next.Outcome(o.ID)
		if n == nil {
			d.weaker("id", "outcome %s is dropped", o.ID)
			continue
		}
		d.outcome(o, n)
		d.artifact(ArtifactOf(old.Outcomes, o), ArtifactOf(next.Outcomes, n))
		d.validators(o.Validators, n.Validators)
	}
	slices.SortStableFunc(d.out, func(a, b Weakening) int { return cmp.Compare(rank(a.Direction), rank(b.Direction)) })
	return d.out
}

// rank puts what is weaker first, and so whatever is not known.
func rank(d Direction) int {
	if d == Changed {
		return 1
	}
	return 0
}

type differ struct {
	id  string
	out []Weakening
}

func (d *differ) weaker(key, format string, args ...any) { d.say(Weaker, key, format, args) }

func (d *differ) changed(key, format string, args ...any) { d.say(Changed, key, format, args) }

func (d *differ) say(to Direction, key, format string, args []any) {
	d.out = append(d.out, Weakening{Outcome: d.id, Key: key, Direction: to, Text: fmt.Sprintf(format, args...)})
}

// lost says which entries of a list are gone.
func (d *differ) lost(key string, old, next []string) {
	for _, s := range old {
		if !slices.Contains(next, s) {
			d.weaker(key, "%s no longer holds %s", key, quote(s))
		}
	}
}

// gained says which entries of a list are new, where more entries ask for less.
func (d *differ) gained(key string, old, next []string) {
	for _, s := range next {
		if !slices.Contains(old, s) {
			d.weaker(key, "%s now also holds %s", key, quote(s))
		}
	}
}

// uncovered are the globs that mean something which no glob of wider means, as far as that can be told: a folder with
// everything below it (scripts/**) holds what begins with its name.
func uncovered(globs, wider []string) []string {
	return slices.DeleteFunc(slices.Clone(globs), func(glob string) bool {
		return slices.ContainsFunc(wider, func(w string) bool {
			folder, below := strings.CutSuffix(w, "/**")
			plain := below && !strings.ContainsAny(folder, "*?[]{}\\!")
			return w == glob || w == "**" || plain && strings.HasPrefix(glob, folder+"/")
		})
	})
}

// gone says which entries of a list are no longer there, where that may ask for more as well as for less.
func (d *differ) gone(key string, old, next []string) {
	for _, s := range old {
		if !slices.Contains(next, s) {
			d.changed(key, "%s no longer holds %s", key, quote(s))
		}
	}
}

// ranked says that a word moved towards the end of words, which go from strict to lenient.
func (d *differ) ranked(key, old, next string, words ...string) {
	from, to := slices.Index(words, old), slices.Index(words, next)
	if to > from || to < 0 && next != old {
		d.weaker(key, "%s goes from %s to %s", key, old, next)
	}
}

func (d *differ) whole(old, next *Contract) {
	d.ranked("mode", string(old.Mode), string(next.Mode), string(Enforce), string(Observe))
	d.gained("base_branches", old.BaseBranches, uncovered(next.BaseBranches, old.BaseBranches))
	d.gained("contracts", old.Contracts, next.Contracts)
	d.gone("contracts", old.Contracts, next.Contracts)
	d.scope(old.AppliesTo, next.AppliesTo)
	d.ranked("report.required", old.Report.Required, next.Report.Required, "always", "agents", "never")
	if old.Report.BindCommit && !next.Report.BindCommit {
		d.weaker("report.bind", "the report need not name the head commit any more")
	}
	if old.Report.Schema != next.Report.Schema {
		d.changed("report.schema", "the report is judged by %s instead of %s", schemaName(next.Report.Schema), schemaName(old.Report.Schema))
	}
	d.lost("report.carriers", old.Report.Carriers, next.Report.Carriers)
	d.gained("report.comment_authors", old.Report.CommentAuthors, next.Report.CommentAuthors)
	d.gone("report.comment_authors", old.Report.CommentAuthors, next.Report.CommentAuthors)
	d.lost("protected_paths", uncovered(old.ProtectedPaths, next.ProtectedPaths), next.ProtectedPaths)
	d.ranked("on_claim_conflict", old.OnClaimConflict, next.OnClaimConflict, "block", "warn")
	d.ranked("when_nothing_expected", old.WhenNothingExpected, next.WhenNothingExpected, "block", "pass")
}

func schemaName(path string) string {
	if path == "" {
		return "the built-in schema"
	}
	return quote(path)
}

func (d *differ) scope(old, next *AppliesTo) {
	switch {
	case next == nil:
		return
	case old == nil:
		d.weaker("applies_to", "the contract no longer applies to every pull request")
		return
	}
	d.lost("applies_to.agents", old.Agents, next.Agents)
	d.lost("applies_to.authors", old.Authors, next.Authors)
	d.lost("applies_to.labels", old.Labels, next.Labels)
	d.lost("applies_to.head_branches", uncovered(old.HeadBranches, next.HeadBranches), next.HeadBranches)
	keys := make([]string, 0, len(old.Trailers))
	for key := range old.Trailers {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		d.lost("applies_to.trailers."+key, old.Trailers[key], next.Trailers[key])
	}
}

func (d *differ) outcome(old, next *Outcome) {
	if !old.Optional && next.Optional {
		d.weaker("required", "outcome %s is no longer required", old.ID)
	}
	switch {
	case next.Waive == nil:
	case old.Waive == nil:
		d.weaker("waive", "outcome %s is waived until %s: %s", old.ID, next.Waive.Until, quote(next.Waive.Reason))
	case next.Waive.Until > old.Waive.Until:
		d.weaker("waive.until", "the waiver of outcome %s ends on %s instead of %s", old.ID, next.Waive.Until, old.Waive.Until)
	}
	switch {
	case next.When == nil:
	case old.When == nil:
		d.weaker("when", "outcome %s is expected of some changes only", old.ID)
	default:
		d.lost("when.paths", uncovered(old.When.Paths, next.When.Paths), next.When.Paths)
	}
	if next.ObserveFor > old.ObserveFor {
		d.weaker("observe_for", "what is not there of outcome %s is waited for %s instead of %s", old.ID, next.ObserveFor, old.ObserveFor)
	}
	d.ranked("trust", string(old.Trust), string(next.Trust), string(Service), string(Attested), string(Run), string(Commit))
	if next.RepairOnce && !old.RepairOnce {
		d.weaker("repair", "a failed validator of outcome %s may be repaired once without asking", old.ID)
	}
	d.wait(old, next)
}

func (d *differ) wait(old, next *Outcome) {
	o, n := old.WaitsFor, next.WaitsFor
	switch {
	case o == nil:
		return
	case n == nil:
		d.weaker("waits_for", "outcome %s waits for nothing any more", old.ID)
		return
	case (o.Approval == nil) != (n.Approval == nil):
		d.changed("waits_for", "outcome %s waits for %s instead of %s", old.ID, awaitedBy(n), awaitedBy(o))
	case o.Environment != n.Environment:
		d.changed("waits_for.environment", "outcome %s waits for %s instead of %s", old.ID, awaitedBy(n), awaitedBy(o))
	case o.Approval != nil:
		d.gained("waits_for.approval.from", withStronger(o.Approval.From), n.Approval.From)
		d.lower("waits_for.approval.count", int64(o.Approval.Count), int64(n.Approval.Count))
	}
	if old.Deadline > 0 && (next.Deadline == 0 || next.Deadline > old.Deadline) {
		d.weaker("deadline", "the wait of outcome %s may stay open longer", old.ID)
	}
}

func awaitedBy(w *WaitsFor) string {
	if w.Approval != nil {
		return "an approval"
	}
	return "the environment " + quote(w.Environment)
}

// withStronger adds the permissions that are counted anyway: who may administer may also write.
func withStronger(from []string) []string {
	ladder := []string{"write", "maintain", "admin"}
	for i, permission := range ladder {
		if slices.Contains(from, permission) {
			return append(slices.Clone(from), ladder[i:]...)
		}
	}
	return from
}

// lower says that a least value went down.
func (d *differ) lower(key string, old, next int64) {
	if next < old {
		d.weaker(key, "%s goes down from %d to %d", key, old, next)
	}
}

// raise says that a greatest value went up; 0 is no bound.
func (d *differ) raise(key string, old, next int64) {
	switch {
	case old == 0:
	case next == 0:
		d.weaker(key, "%s is dropped; it was %d", key, old)
	case next > old:
		d.weaker(key, "%s goes up from %d to %d", key, old, next)
	}
}

func (d *differ) artifact(old, next *Artifact) {
	switch {
	case old == nil:
		return
	case next == nil:
		d.weaker("artifact", "no artifact is asked for any more")
		return
	}
	if !slices.Equal(old.Files, next.Files) || old.Upload != next.Upload || old.URL != next.URL {
		d.changed("artifact.files", "other files are looked at: %s instead of %s", sources(next), sources(old))
	}
	if old.URL != "" && next.URL != "" && old.Status != next.Status {
		d.changed("artifact.status", "the status is %d instead of %d", next.Status, old.Status)
	}
	if next.Redirects > old.Redirects && old.URL != "" {
		d.weaker("artifact.redirects", "artifact.redirects goes up from %d to %d", old.Redirects, next.Redirects)
	}
	switch {
	case old.MadeBy == "" || old.MadeBy == next.MadeBy:
	case next.MadeBy == "":
		d.weaker("artifact.made_by", "the producer %s is no longer asked for", quote(old.MadeBy))
	default:
		d.changed("artifact.made_by", "the producer is %s instead of %s", quote(next.MadeBy), quote(old.MadeBy))
	}
	if next.AnyExit && !old.AnyExit {
		d.weaker("artifact.any_exit", "the producer may fail")
	}
	d.identity(old.Identity, next.Identity)
	d.fresh(old.Fresh, next.Fresh)
	d.ranked("artifact.committed", old.Committed, next.Committed, "no", "changed", "yes")
	d.ranked("artifact.symlinks", old.Symlinks, next.Symlinks, "refuse", "inside")
	d.digest("artifact.sha256", old.SHA256, next.SHA256)
	d.digest("artifact.hmac_sha256", old.HMACSHA256, next.HMACSHA256)
	d.lower("artifact.min_bytes", old.MinBytes, next.MinBytes)
	d.raise("artifact.max_bytes", old.MaxBytes, next.MaxBytes)
	d.lower("artifact.count.min", int64(old.Count.Min), int64(next.Count.Min))
	d.raise("artifact.count.max", int64(old.Count.Max), int64(next.Count.Max))
}

func sources(a *Artifact) string {
	list := quoteAll(a.Files[:min(len(a.Files), maxNamed)])
	for _, s := range []string{a.Upload, a.URL} {
		if s != "" {
			list = append(list, quote(s))
		}
	}
	if more := len(a.Files) - maxNamed; more > 0 {
		list = append(list, strconv.Itoa(more)+" more")
	}
	return strings.Join(list, ", ")
}

func (d *differ) digest(key, old, next string) {
	switch {
	case old == "" || old == next:
	case next == "":
		d.weaker(key, "the exact digest is no longer asked for")
	default:
		d.changed(key, "another digest is asked for")
	}
}

func (d *differ) fresh(old, next Fresh) {
	switch {
	case old.Rule == "max_age" && next.Rule == "max_age":
		if next.MaxAge > old.MaxAge {
			d.weaker("artifact.fresh", "the file may be %s old instead of %s", next.MaxAge, old.MaxAge)
		}
	case next.Rule != old.Rule && next.Rule == "max_age":
		if old.Rule == "run" {
			d.weaker("artifact.fresh", "the file may be %s old instead of made in this run", next.MaxAge)
		}
	default:
		d.ranked("artifact.fresh", old.Rule, next.Rule, "run", "max_age", "none")
	}
}

// identity says which rules are gone or accept more. Rules are told apart by where they look.
func (d *differ) identity(old, next []Identity) {
	for _, o := range old {
		i := slices.IndexFunc(next, func(n Identity) bool {
			return n.Pointer == o.Pointer && n.Property == o.Property && n.Regexp == o.Regexp && n.File == o.File
		})
		if i < 0 {
			d.weaker("artifact.identity", "the identity at %s is no longer asked for", quote(o.Pointer+o.Property+o.Regexp))
			continue
		}
		d.gained("artifact.identity.equals", o.Equals, next[i].Equals)
		d.gained("artifact.identity.equals.text", o.Text, next[i].Text)
	}
}

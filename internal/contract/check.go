package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// checkWindow is the longest observe_for of a check validator: longer polling would hold a runner for nothing.
const checkWindow Seconds = 600

// checker finds mistakes that no schema can express. It also sees contracts that already have mistakes, and
// then keeps silent about what may only follow from those.
type checker struct {
	*loader
	c     *Contract
	root  *node
	kinds []Kind
	byID  map[string]*Outcome
	label func(ptr string) string
}

func (k *checker) check() {
	k.label = (&explainer{root: k.root}).label
	k.byID = k.c.byID()
	dirty := slices.Clone(k.mistakes)
	k.topLevel()
	k.ids()
	for i := range k.c.Outcomes {
		ptr := "/outcomes/" + strconv.Itoa(i)
		k.outcome(&k.c.Outcomes[i], ptr, k.root.at(ptr), hasMistake(dirty, ptr))
	}
	k.required(dirty)
}

// hasMistake reports whether something at or below ptr is already named.
func hasMistake(mistakes []mistake, ptr string) bool {
	return slices.ContainsFunc(mistakes, func(m mistake) bool { return below(m.ptr, ptr) })
}

// say reports a mistake at the place of ptr.
func (k *checker) say(ptr, code, hint, format string, args ...any) {
	pos, ok := k.c.Places[ptr]
	for up := ptr; !ok && up != ""; {
		up = up[:strings.LastIndexByte(up, '/')]
		pos, ok = k.c.Places[up]
	}
	k.add(ptr, pos, code, hint, "%s", k.label(ptr)+" "+fmt.Sprintf(format, args...))
}

func (k *checker) topLevel() {
	c := k.c
	k.globs("/base_branches", c.BaseBranches)
	k.globs("/protected_paths", c.ProtectedPaths)
	if c.AppliesTo != nil {
		k.globs("/applies_to/head_branches", c.AppliesTo.HeadBranches)
	}
	for i, path := range c.Contracts {
		k.path("/contracts/"+strconv.Itoa(i), path)
	}
	k.path("/report/schema", c.Report.Schema)
	k.date("/reviewed", c.Reviewed)
}

func (k *checker) ids() {
	first := make(map[string]int, len(k.c.Outcomes))
	for i := range k.c.Outcomes {
		o := &k.c.Outcomes[i]
		if o.ID == "" {
			continue
		}
		if j, ok := first[o.ID]; ok {
			line := k.c.Places["/outcomes/"+strconv.Itoa(j)+"/id"].Line
			k.say("/outcomes/"+strconv.Itoa(i)+"/id", CodeDuplicateID, "Rename one of the two.", "is already the id of the outcome on line %d", line)
			continue
		}
		first[o.ID] = i
	}
}

// required holds that something is required at all.
func (k *checker) required(dirty []mistake) {
	list := k.root.get("outcomes")
	if list == nil || list.kind != kindList || len(k.c.Required()) > 0 || hasMistake(dirty, "/outcomes") {
		return
	}
	if len(list.items) == 0 {
		k.say("/outcomes", CodeEmpty, "Add an outcome.", "is empty, so nothing could be verified")
		return
	}
	k.say("/outcomes", CodeEmpty, "Take `required: false` from at least one outcome.", "has no required outcome, so nothing could be verified")
}

func (k *checker) outcome(o *Outcome, ptr string, n *node, dirty bool) {
	if o.Artifact != nil {
		k.artifact(o, ptr+"/artifact", n.get("artifact"))
	}
	for i := range o.Validators {
		v := &o.Validators[i]
		k.validator(o, v, ptr+"/validators/"+strconv.Itoa(i)+"/"+escapePointer(v.Kind))
	}
	if o.When != nil {
		k.globs(ptr+"/when/paths", o.When.Paths)
	}
	if o.Waive != nil {
		k.date(ptr+"/waive/until", o.Waive.Until)
	}
	k.positive(ptr+"/observe_for", n.get("observe_for"), o.ObserveFor)
	k.positive(ptr+"/deadline", n.get("deadline"), o.Deadline)
	if !dirty {
		k.whole(o, ptr)
	}
}

// whole judges what is absent from an outcome that is otherwise without mistakes.
func (k *checker) whole(o *Outcome, ptr string) {
	if o.Artifact == nil && len(o.Validators) == 0 && o.WaitsFor == nil {
		k.say(ptr, CodeNoEvidence, "Add `artifact`, `validators` or `waits_for`.", "names no evidence")
	}
	if len(o.Validators) > 0 && !slices.ContainsFunc(o.Validators, func(v Validator) bool { return k.kind(v.Kind).Deterministic }) {
		k.say(ptr+"/validators", CodeJudgedAlone, "Add a validator that a machine can decide.", "are all recorded judgements; they cannot be the only evidence")
	}
	if o.Deadline > 0 && o.WaitsFor == nil {
		k.say(ptr+"/deadline", CodeNoWait, "Add `waits_for`, or remove the deadline.", "ends no wait: the outcome has no waits_for")
	}
	if o.ObserveFor > 0 {
		k.window(o, ptr+"/observe_for")
	}
	allowed := o.Artifact != nil && o.Artifact.Committed != "no"
	if o.Trust == Commit && !allowed {
		k.say(ptr+"/trust", CodeTrust, "Add `committed: changed` to the artifact, or ask for `run`.", "is commit, but the artifact may not be committed")
	}
}

func (k *checker) window(o *Outcome, ptr string) {
	if s := source(k.byID, o); s != nil && s.Artifact.Upload != "" {
		if o.ObserveFor > checkWindow {
			k.say(ptr, CodeNoWindow, "Use at most 10m.", "is %s; an upload is looked for for at most 10m", o.ObserveFor)
		}
		return
	}
	if s := source(k.byID, o); s != nil && s.Artifact.URL != "" {
		if o.ObserveFor > checkWindow {
			k.say(ptr, CodeNoWindow, "Use at most 10m.", "is %s; an address is looked at for at most 10m", o.ObserveFor)
		}
		return
	}
	if !slices.ContainsFunc(o.Validators, func(v Validator) bool { return v.Kind == "check" }) {
		k.say(ptr, CodeNoWindow, "Remove it: files of this job are there when the gate runs, or they are missing.", "needs `upload`, `url` or a `check` validator")
		return
	}
	if o.ObserveFor > checkWindow {
		k.say(ptr, CodeNoWindow, "Use at most 10m.", "is %s; a check is polled for at most 10m", o.ObserveFor)
	}
}

func (k *checker) artifact(o *Outcome, ptr string, n *node) {
	a := o.Artifact
	if of := n.get("of"); of != nil && of.kind == kindText {
		k.of(o, ptr, n)
		return
	}
	k.globs(ptr+"/files", a.Files)
	k.address(ptr, a, n)
	k.upload(ptr, a, n)
	if a.SHA256 != "" && a.HMACSHA256 != "" {
		k.say(ptr+"/hmac_sha256", CodeConflict, "Keep one of them.", "and sha256 exclude each other: a keyed digest hides what the plain one shows")
	}
	if a.MaxBytes > 0 && a.MinBytes > a.MaxBytes {
		k.say(ptr+"/max_bytes", CodeRange, "", "is %d, less than min_bytes, which is %d", a.MaxBytes, a.MinBytes)
	}
	if a.Count.Max > 0 && a.Count.Min > a.Count.Max {
		k.say(ptr+"/count", CodeRange, "", "has max %d, less than min %d", a.Count.Max, a.Count.Min)
	}
	if f := n.get("fresh"); f != nil {
		k.positive(ptr+"/fresh/max_age", f.get("max_age"), a.Fresh.MaxAge)
	}
	for i, id := range a.Identity {
		at := ptr + "/identity"
		if _, listed := k.c.Places[at+"/0"]; listed {
			at += "/" + strconv.Itoa(i)
		}
		k.regexp(at+"/regexp", id.Regexp)
		k.path(at+"/file", id.File)
	}
}

// address refuses what has no meaning at an address, and its own keys without one.
func (k *checker) address(ptr string, a *Artifact, n *node) {
	of, keys := "url: what lies there has neither a time nor a place in the workspace or in git", []string{"files", "fresh", "committed", "symlinks", "count"}
	if a.URL == "" {
		of, keys = "files: it belongs to url", []string{"status", "redirects"}
	}
	dirty := hasMistake(k.mistakes, ptr)
	for _, key := range keys {
		if n.get(key) != nil && !dirty {
			k.say(ptr+"/"+key, CodeConflict, "Remove it.", "stands beside %s", of)
		}
	}
}

// upload refuses what has no meaning inside an upload.
func (k *checker) upload(ptr string, a *Artifact, n *node) {
	if a.Upload == "" || hasMistake(k.mistakes, ptr) {
		return
	}
	k.globs(ptr+"/upload", []string{a.Upload})
	if a.Committed == "changed" {
		k.say(ptr+"/committed", CodeConflict, "Remove it, or judge the committed file without `upload`.", "is changed, and the change does not commit what a run uploads")
	}
	if n.get("symlinks") != nil {
		k.say(ptr+"/symlinks", CodeConflict, "Remove it.", "stands beside upload: an upload with symbolic links is always refused")
	}
	for i, id := range a.Identity {
		at := ptr + "/identity"
		if _, listed := k.c.Places[at+"/0"]; listed {
			at += "/" + strconv.Itoa(i)
		}
		if id.File != "" {
			k.say(at+"/file", CodeConflict, "Look in the artifact itself.", "stands beside upload: a file of this job says nothing of what another one uploaded")
		}
	}
}

// of judges an artifact that is another outcome's.
func (k *checker) of(o *Outcome, ptr string, n *node) {
	name := n.get("of").text
	for _, m := range n.members {
		if m.name != "of" && k.c.Places[ptr+"/"+escapePointer(m.name)] != (Pos{}) && m.name != "files" && !hasMistake(k.mistakes, ptr+"/"+escapePointer(m.name)) {
			k.say(ptr+"/"+escapePointer(m.name), CodeConflict, "Write the condition at that outcome's artifact, or name files here.", "stands beside of: the conditions are those of outcome %s", clip(name))
		}
	}
	target := k.byID[name]
	switch {
	case target == nil:
		text := ""
		var ids []string
		for i := range k.c.Outcomes {
			ids = append(ids, k.c.Outcomes[i].ID)
		}
		if near := nearest(name, ids); near != "" {
			text = "; did you mean " + quote(near) + "?"
		}
		k.say(ptr+"/of", CodeUnknownOf, "Name the id of an outcome that has files.", "is %s, which is no outcome of this contract%s", quote(name), text)
	case target.Artifact == nil && !hasMistake(k.mistakes, "/outcomes"):
		k.say(ptr+"/of", CodeUnknownOf, "Name the id of an outcome that has files.", "is %s, an outcome without an artifact", quote(name))
	case target.Artifact == nil:
	case source(k.byID, o) == nil:
		k.cycle(o, ptr)
	}
}

// cycle reports an `of` that never reaches files; one that ends at an unknown outcome is named there.
func (k *checker) cycle(o *Outcome, ptr string) {
	seen := map[string]bool{}
	for at := o; at != nil && at.Artifact != nil && at.Artifact.Of != ""; at = k.byID[at.Artifact.Of] {
		if seen[at.ID] {
			k.say(ptr+"/of", CodeCycle, "Give one of them `files`.", "is %s, which leads in a circle", quote(o.Artifact.Of))
			return
		}
		seen[at.ID] = true
	}
}

// kind is the kind of this name; an unknown one is the zero value, which needs no artifact and decides nothing.
func (k *checker) kind(name string) Kind {
	for _, kind := range k.kinds {
		if kind.Name == name {
			return kind
		}
	}
	return Kind{}
}

func (k *checker) globs(ptr string, globs []string) {
	for i, glob := range globs {
		at := ptr + "/" + strconv.Itoa(i)
		if _, listed := k.c.Places[at]; !listed {
			at = ptr
		}
		if why, hint := badGlob(glob); why != "" {
			k.say(at, CodeGlob, hint, "is %s: %s", quote(glob), why)
		}
	}
}

func (k *checker) path(ptr, path string) {
	if path == "" {
		return
	}
	if why, hint := badPath(path); why != "" {
		k.say(ptr, CodePath, hint, "is %s: %s", quote(path), why)
	}
}

func (k *checker) regexp(ptr, expr string) {
	if _, err := regexp.Compile(expr); err != nil {
		k.say(ptr, CodeRegexp, "Use RE2 syntax; it has no look-around and no back references.", "is not valid RE2: %s", clip(strings.TrimPrefix(err.Error(), "error parsing regexp: ")))
	}
}

// date refuses days that no calendar has; the schema has held the form.
func (k *checker) date(ptr, day string) {
	if len(day) != len(time.DateOnly) || hasMistake(k.mistakes, ptr) {
		return
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		k.say(ptr, CodeValue, "", "is %s, which is no day of the calendar", quote(day))
	}
}

// positive refuses a duration of nothing, which would read as if it were not given.
func (k *checker) positive(ptr string, n *node, s Seconds) {
	if n != nil && s <= 0 && !hasMistake(k.mistakes, ptr) {
		k.say(ptr, CodeValue, "Write a longer time or remove the key.", "is %s; it must be longer than nothing", n.shown())
	}
}

package contract

import (
	"strconv"
	"strings"
)

// decode reads a tree into a Contract and fills the defaults in. Values of a wrong type are passed over:
// the schema has already named them, and the contract is then not returned.
func decode(root *node, kinds []Kind) *Contract {
	c := &Contract{
		Version:             int(root.get("version").intOr(0)),
		Mode:                Mode(root.get("mode").strOr(string(Enforce))),
		BaseBranches:        root.get("base_branches").texts(),
		Contracts:           root.get("contracts").texts(),
		AppliesTo:           decodeAppliesTo(root.get("applies_to")),
		Report:              decodeReport(root.get("report")),
		ProtectedPaths:      root.get("protected_paths").texts(),
		OnClaimConflict:     root.get("on_claim_conflict").strOr("warn"),
		WhenNothingExpected: root.get("when_nothing_expected").strOr("pass"),
		Reviewed:            root.get("reviewed").str(),
	}
	if list := root.get("outcomes"); list != nil {
		for _, n := range list.items {
			c.Outcomes = append(c.Outcomes, decodeOutcome(n, kinds))
		}
	}
	inherit(c)
	return c
}

func decodeAppliesTo(n *node) *AppliesTo {
	if n == nil || n.kind != kindMap {
		return nil
	}
	a := &AppliesTo{
		Agents:       n.get("agents").texts(),
		Authors:      n.get("authors").texts(),
		Labels:       n.get("labels").texts(),
		HeadBranches: n.get("head_branches").texts(),
	}
	if t := n.get("trailers"); t != nil && t.kind == kindMap && len(t.members) > 0 {
		a.Trailers = make(map[string][]string, len(t.members))
		for _, m := range t.members {
			a.Trailers[m.name] = m.value.texts()
		}
	}
	return a
}

func decodeReport(n *node) Report {
	r := Report{
		Required:       n.get("required").strOr("agents"),
		Carriers:       n.get("carriers").texts(),
		CommentAuthors: n.get("comment_authors").texts(),
		Mention:        n.get("mention").str(),
		Schema:         n.get("schema").str(),
		BindCommit:     n.get("bind").str() == "commit",
	}
	if len(r.Carriers) == 0 {
		r.Carriers = []string{"body", "comment"}
	}
	return r
}

func decodeOutcome(n *node, kinds []Kind) Outcome {
	o := Outcome{
		ID:         n.get("id").str(),
		About:      n.get("about").str(),
		Optional:   !n.get("required").boolOr(true),
		Artifact:   decodeArtifact(n.get("artifact")),
		ObserveFor: decodeSeconds(n.get("observe_for")),
		WaitsFor:   decodeWait(n.get("waits_for")),
		Deadline:   decodeSeconds(n.get("deadline")),
		RepairOnce: n.get("repair").str() == "once",
		Trust:      Tier(n.get("trust").str()),
		Pos:        n.pos,
	}
	if list := n.get("validators"); list != nil {
		for _, item := range list.items {
			if item.kind == kindMap && len(item.members) > 0 {
				o.Validators = append(o.Validators, decodeValidator(item.members[0], kinds))
			}
		}
	}
	if w := n.get("when"); w != nil {
		o.When = &When{Paths: w.get("paths").texts()}
	}
	if w := n.get("waive"); w != nil {
		o.Waive = &Waive{Until: w.get("until").str(), Reason: w.get("reason").str()}
	}
	return o
}

func decodeArtifact(n *node) *Artifact {
	if n == nil || n.kind != kindMap {
		return nil
	}
	a := &Artifact{
		Files:      n.get("files").texts(),
		Upload:     n.get("upload").str(),
		URL:        n.get("url").str(),
		Of:         n.get("of").str(),
		MadeBy:     n.get("made_by").str(),
		AnyExit:    n.get("any_exit").boolOr(false),
		Fresh:      Fresh{Rule: "run"},
		Committed:  n.get("committed").strOr("no"),
		Symlinks:   n.get("symlinks").strOr("inside"),
		SHA256:     strings.TrimPrefix(strings.ToLower(n.get("sha256").str()), "sha256:"),
		HMACSHA256: strings.ToLower(n.get("hmac_sha256").str()),
		MinBytes:   n.get("min_bytes").intOr(1),
		MaxBytes:   n.get("max_bytes").intOr(0),
		Count:      decodeCount(n.get("count")),
	}
	if f := n.get("fresh"); f != nil && f.kind == kindMap {
		a.Fresh = Fresh{Rule: "max_age", MaxAge: decodeSeconds(f.get("max_age"))}
	} else if f != nil {
		a.Fresh.Rule = f.strOr("run")
	}
	if a.URL != "" {
		a.Status, a.Redirects = int(n.get("status").intOr(200)), int(n.get("redirects").intOr(0))
	}
	if id := n.get("identity"); id != nil && id.kind == kindList {
		for _, item := range id.items {
			a.Identity = append(a.Identity, decodeIdentity(item))
		}
	} else if id != nil {
		a.Identity = []Identity{decodeIdentity(id)}
	}
	return a
}

func decodeIdentity(n *node) Identity {
	id := Identity{
		Pointer:  n.get("pointer").str(),
		Property: n.get("property").str(),
		Regexp:   n.get("regexp").str(),
		File:     n.get("file").str(),
	}
	if eq := n.get("equals"); eq != nil && eq.kind == kindMap {
		id.Text = eq.get("text").texts()
	} else {
		id.Equals = eq.texts()
	}
	return id
}

func decodeCount(n *node) Count {
	if n == nil {
		return Count{Min: 1}
	}
	if n.kind == kindInt {
		return Count{Min: int(n.integer), Max: int(n.integer)}
	}
	return Count{Min: int(n.get("min").intOr(1)), Max: int(n.get("max").intOr(0))}
}

func decodeWait(n *node) *WaitsFor {
	if n == nil || n.kind != kindMap {
		return nil
	}
	w := &WaitsFor{Environment: n.get("environment").str()}
	if a := n.get("approval"); a != nil {
		w.Approval = &Approval{From: a.get("from").texts(), Count: int(a.get("count").intOr(1))}
		if len(w.Approval.From) == 0 {
			w.Approval.From = []string{"write"}
		}
	}
	return w
}

// decodeValidator reads `kind: parameters`, or the short form `kind: scalar`.
func decodeValidator(m member, kinds []Kind) Validator {
	params := m.value.value()
	if m.value.kind != kindMap {
		for _, k := range kinds {
			if k.Name == m.name && k.Short != "" {
				params = map[string]any{k.Short: params}
			}
		}
	}
	return Validator{Kind: m.name, Params: appendCanonical(nil, params), Pos: m.pos}
}

// decodeSeconds reads a duration such as 90s, 5m, 72h or 1h30m; 0 if it is none.
func decodeSeconds(n *node) Seconds {
	var total, number Seconds
	digits := 0
	for _, r := range n.str() {
		var unit Seconds
		switch {
		case r >= '0' && r <= '9' && digits < 6: // six digits at most, as the schema says
			number, digits = number*10+Seconds(r-'0'), digits+1
			continue
		case r == 'h':
			unit = 3600
		case r == 'm':
			unit = 60
		case r == 's':
			unit = 1
		default:
			return 0
		}
		total, number, digits = total+number*unit, 0, 0
	}
	if digits > 0 {
		return 0
	}
	return total
}

// String writes seconds as a contract would: the largest whole units first.
func (s Seconds) String() string {
	if s <= 0 {
		return strconv.FormatInt(int64(s), 10) + "s"
	}
	out := ""
	for _, u := range []struct {
		size Seconds
		name string
	}{{3600, "h"}, {60, "m"}, {1, "s"}} {
		if n := s / u.size; n > 0 {
			out += strconv.FormatInt(int64(n), 10) + u.name
			s -= n * u.size
		}
	}
	return out
}

// inherit leads each `of` to the outcome that has a source of its own, gives the artifact that one's
// conditions, and each outcome its trust. An `of` that leads nowhere stays as it is: the checker names it.
func inherit(c *Contract) {
	byID := c.byID()
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		source := source(byID, o)
		if source == nil || source == o {
			continue
		}
		conditions := *source.Artifact
		conditions.Of, conditions.Files, conditions.Upload, conditions.URL = source.ID, nil, "", ""
		*o.Artifact = conditions
	}
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		if o.Trust == "" && o.Artifact != nil && o.Artifact.Committed != "no" {
			o.Trust = Commit
		} else if o.Trust == "" {
			o.Trust = Run
		}
	}
}

// byID finds outcomes without a search for each; of two with one id, the first.
func (c *Contract) byID() map[string]*Outcome {
	out := make(map[string]*Outcome, len(c.Outcomes))
	for i := range c.Outcomes {
		if o := &c.Outcomes[i]; out[o.ID] == nil {
			out[o.ID] = o
		}
	}
	return out
}

// source is the outcome whose own files o's artifact leads to, nil if there is none.
func source(byID map[string]*Outcome, o *Outcome) *Outcome {
	for range len(byID) + 1 {
		if o == nil || o.Artifact == nil {
			return nil
		}
		if o.Artifact.Of == "" {
			return o
		}
		o = byID[o.Artifact.Of]
	}
	return nil // a cycle
}

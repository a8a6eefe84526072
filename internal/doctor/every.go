package doctor

import (
	"regexp"
	"strings"
	"sync"
)

// changeEvents are the events on which a workflow runs for a change.
func changeEvents() []string {
	return []string{"pull_request", "pull_request_target", "merge_group", "workflow_run", "issue_comment"}
}

// trustedEvents are those of them on which it runs with the default branch's rights.
func trustedEvents() []string {
	return []string{"pull_request_target", "workflow_run", "issue_comment"}
}

// checkWorkflow looks at what holds for every workflow, with the gate or without.
func (c *checker) checkWorkflow(w *workflow) {
	forChanges, trusted := w.on(changeEvents()...) != nil, w.on(trustedEvents()...)
	for _, j := range w.jobs {
		if m := j.body.member("uses"); m != nil && !c.pinned(m.value.str()) {
			c.add(CodeUnpinned, w.path, m.at, "`%s` is not pinned", clip(m.value.str()))
		}
		for _, s := range j.steps {
			if s.uses != "" && !c.pinned(s.uses) {
				c.add(CodeUnpinned, w.path, s.body.member("uses").at, "`%s` is not pinned", clip(s.uses))
			}
			if forChanges && s.action() == "actions/checkout" && s.input("persist-credentials").str() != "false" && j.runs > s.index {
				c.add(CodeCredentials, w.path, s.at, "job %s runs code behind this checkout", clip(j.id))
			}
			if trusted != nil {
				c.checkTrusted(w, s, trusted.name)
			}
		}
	}
}

var (
	commitPin = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^@\s]+@[0-9a-f]{40}$`) })
	imagePin  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^docker://[^@\s]+@sha256:[0-9a-f]{64}$`) })
	release   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`) })
)

// pinned says whether what a step uses cannot become other code: a full commit, an image's digest, a file of the
// checkout. The gate's own releases are immutable, so that a whole version of it is one commit.
func (c *checker) pinned(uses string) bool {
	if strings.HasPrefix(uses, "./") || strings.HasPrefix(uses, "$/") || uses == "." {
		return true
	}
	if _, version, _ := strings.Cut(uses, "@"); c.isGate(uses) && release().MatchString(version) {
		return true
	}
	return commitPin().MatchString(uses) || imagePin().MatchString(uses)
}

// changeMarks are expressions and refs that lead to what a change holds. A list of known words finds what is commonly
// written, and not everything that can be.
func changeMarks() []string {
	return []string{
		"github.event.pull_request.head", "github.head_ref", "refs/pull/", "github.event.workflow_run.head_", "merge_commit_sha",
		"gh pr checkout", "pull/${{", "github.event.pull_request.number", "github.event.issue.number",
	}
}

// checkTrusted looks for a step that brings the change into a job that runs with the default branch's rights.
func (c *checker) checkTrusted(w *workflow, s *step, event string) {
	text := ""
	switch {
	case s.action() == "actions/checkout":
		if s.input("allow-unsafe-pr-checkout").str() == "true" {
			c.add(CodeUntrustedCheckout, w.path, s.at, "`allow-unsafe-pr-checkout: true` in a workflow on `%s`", event)
			return
		}
		text = s.input("ref").str() + "\n" + s.input("repository").str()
	case strings.Contains(s.run, "git fetch") || strings.Contains(s.run, "git checkout") || strings.Contains(s.run, "git clone") || strings.Contains(s.run, "gh pr checkout"):
		text = s.run
	}
	for _, mark := range changeMarks() {
		if strings.Contains(text, mark) {
			c.add(CodeUntrustedCheckout, w.path, s.at, "this step checks out what `%s` leads to, in a workflow on `%s`", mark, event)
			return
		}
	}
}

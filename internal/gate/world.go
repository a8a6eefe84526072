// Package gate is the eight steps: event, contract, scope, report, evidence, verdict, receipt, publish.
//
// Run calls the first seven in that order, and nobody else calls them in part; publishing what it returns is
// the caller's. It decides nothing itself: what could not be read becomes a fact, and package verdict
// concludes. It trusts only what its caller says about where bytes come from.
package gate

import (
	"context"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// World is everything that the gate can ask about what it judges. A nil function is a question that nobody
// can answer: its answer is then unknown, never assumed. Functions are called at most once each, but for
// Facts, whose own documentation says so.
type World struct {
	Version string
	Clock   func() time.Time

	// Event reads the pull request (or commit) that is judged, live.
	Event func(ctx context.Context) (*Event, error)
	// Contract reads the contract of the trusted branch.
	Contract func(ctx context.Context) (*Source, error)
	// Proposed reads the head commit's version of the contract at path; nil bytes mean that it has none.
	Proposed func(ctx context.Context, path string) ([]byte, error)
	// Head reads the head commit again, to see whether it moved while the gate looked.
	Head func(ctx context.Context) (string, error)
	// BaseBranches lists the base branches that the default branch's contract trusts. It is asked only for a
	// contract that was read from another branch.
	BaseBranches func(ctx context.Context) ([]string, error)
	// Again reads anew what a pull request can change under the gate; where it is given, Head is not asked.
	Again func(ctx context.Context) (Again, error)
	// Reviews lists the reviews of the pull request.
	Reviews func(ctx context.Context) ([]scope.Review, error)

	// ReportFile reads the report that lies in the workspace; nil means that there is none. It is asked only where the
	// contract names the carrier file. What is there and cannot be read is an error, and counts as a broken report.
	ReportFile func(ctx context.Context) (*report.Text, error)

	// Boundary gives the freshness boundary under the judging contract, where Facts.Circumstances has none, and
	// where it comes from; a zero time with the reason why there is none.
	Boundary func(ctx context.Context, c *contract.Contract) (time.Time, string)

	Workspace *collect.Workspace
	Facts     collect.Facts

	AgentExit  *int // the agent's own exit status, if somebody observed it
	TaskID     string
	DispatchID string
	Only       []string // outcome ids to look at; empty: all. A selection is never a pass of the whole.
}

// Again is a pull request as it is when everything was read.
type Again struct {
	Head    string // its head commit
	BaseRef string // its base branch
	// Shared says that another open pull request has this head: a status belongs to the commit, so a pass of one
	// would be a pass of the other.
	Shared bool
}

// Event is what is judged.
type Event struct {
	Subject receipt.Subject
	// Pull says that the subject is a pull request; otherwise it is a commit.
	Pull   bool
	Change scope.Change
	// Commits are the pull request's commit names, newest last.
	Commits []string
	// Texts are the carriers' texts but for the file's; comments in the order of their creation.
	Texts []report.Text
	// Own is the gate's own identity as "login/type"; its marked comments never carry a report. "" if there is none.
	Own           string
	DefaultBranch string // "" means that the base is trusted as it is (a local check)
	SharedHead    bool   // another open pull request has this head
	// OnBranch says that the subject is a commit of the branch whose contract judges. What it changes is there already,
	// so nothing of it waits to be let in: no path is protected from it, and no contract is proposed by it.
	OnBranch   bool
	MergeGroup bool
	// Reviewed is the commit that approvals have to be of; "" is the head. A merge group has a commit of its own.
	Reviewed     string
	RunStartedAt time.Time // the run attempt's start, from which windows count; zero: not known
	FirstSeen    time.Time // when the gate first saw this head commit, from which deadlines count; zero: now
	ServerNow    time.Time // now by GitHub's clock, where the machine's is known to be another; zero: the machine's
	// Notes are for the receipt: what a reader should know of how this was looked at.
	Notes []string
	// RepairUsed names the outcomes whose one authorized repair was used up.
	RepairUsed map[string]bool
	// AskedAbout is the digest of the texts about which a correction was asked for at this head commit, "" if none was.
	AskedAbout string
}

// CommentMarker begins every comment of the gate.
const CommentMarker = "<!-- outcome-gate:"

// Source is a contract with its origin.
type Source struct {
	Path   string // in the repository, slash separated
	Branch string
	Commit string
	Data   []byte
	Link   bool // it is a symbolic link, whose target nobody reads
	// Found lists the contract files on the trusted branch; none means that there is no contract.
	Found []string
}

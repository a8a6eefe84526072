package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/scope"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// readReport is step 4.
func (j *run) readReport(ctx context.Context) error {
	if j.r.Scope.Gating != verdict.Gated {
		return nil
	}
	opts := report.Options{Authors: []string{j.event.Change.Author.Identity()}, Gate: j.event.Own, Marker: CommentMarker, Wrappers: j.c.Report.Carriers}
	for _, login := range j.c.Report.CommentAuthors {
		opts.Authors = append(opts.Authors, CommentAuthor(login).Identity())
	}
	if path := j.c.Report.Schema; path != "" {
		if j.w.Facts.TrustedFile == nil {
			return fmt.Errorf("read the report's schema %s: the trusted branch cannot be read", path)
		}
		data, err := j.w.Facts.TrustedFile(ctx, path)
		if err != nil {
			return fmt.Errorf("read the report's schema %s: %w", path, err)
		}
		if opts.Schema, err = report.CompileSchema(path, data); err != nil {
			return fmt.Errorf("read the report's schema %s: %w", path, err)
		}
	}
	texts, err := j.carried(ctx)
	if err != nil {
		return err
	}
	reading := report.Read(texts, opts)
	j.noteInput(texts, opts)
	j.r.Report.Facts = j.reportFacts(reading)
	j.r.Report.Carrier, j.r.Report.Author, j.r.Report.At = reading.Carrier, reading.Author, reading.At
	j.r.Report.Errors = reading.Errors
	if reading.Report != nil {
		j.r.Report.Claimed = claimed(reading.Report)
	}
	j.missed(texts, opts)
	if !j.r.Scope.ReportUnheard {
		f := foundClaims(texts, &reading)
		j.r.Report.Claims, j.r.Report.ClaimsUnread = f.Claims, f.Unread
	}
	return nil
}

// missed records of a report that missed its form what asking for a correction hangs on: whether this head commit's
// one correction was asked for, and of other texts than these.
func (j *run) missed(texts []report.Text, opts report.Options) {
	r := &j.r.Report
	if verdict.Classify(r.Facts).Reason != verdict.ContractMiss {
		return
	}
	r.Miss, r.Mention = report.Digest(texts, opts), j.c.Report.Mention
	if asked := j.event.AskedAbout; asked != "" && asked != r.Miss {
		r.Asked = 1
	}
}

// noteInput tells of a text that somebody handed in as the report and that holds none: where no report is asked for,
// nothing else would.
func (j *run) noteInput(texts []report.Text, opts report.Options) {
	given := slices.DeleteFunc(slices.Clone(texts), func(t report.Text) bool { return t.Carrier != "input" })
	if len(given) == 0 {
		return
	}
	if r := report.Read(given, opts); !r.Found && r.Problem == report.NoBlock {
		j.r.Notes = append(j.r.Notes, "the text handed in holds no report: gate classify says what is looked for")
	}
}

// carried are the texts of the carriers that the contract names; what the operator hands in is always read.
func (j *run) carried(ctx context.Context) ([]report.Text, error) {
	var out []report.Text
	for _, t := range j.event.Texts {
		if t.Carrier == "input" || slices.Contains(j.c.Report.Carriers, t.Carrier) {
			out = append(out, t)
		}
	}
	if j.w.ReportFile == nil || !slices.Contains(j.c.Report.Carriers, fileCarrier) {
		return out, nil
	}
	t, err := j.w.ReportFile(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("read the report's file: %w", context.Cause(ctx))
	case err != nil:
		out = append(out, report.Text{Carrier: fileCarrier, Unreadable: err.Error()})
	case t != nil:
		out = append(out, *t)
	}
	return out, nil
}

// fileCarrier is the carrier whose text lies in the workspace, which the change can fill with anything.
const fileCarrier = "file"

// CommentAuthor is the account that an entry of comment_authors names: a bot by its suffix, else a person.
func CommentAuthor(login string) scope.Account {
	if strings.HasSuffix(login, "[bot]") {
		return scope.Account{Login: login, Type: "Bot"}
	}
	return scope.Account{Login: login, Type: "User"}
}

// reportFacts adds what only the run knows to the facts of a reading.
func (j *run) reportFacts(reading report.Reading) verdict.ReportFacts {
	f := verdict.FactsOf(reading)
	e := j.event
	f.Exit = j.w.AgentExit
	f.Draft = e.Pull && (e.Change.Draft || scope.WorkInProgress(e.Change.Title))
	f.Bind = j.c.Report.BindCommit
	if r := reading.Report; r != nil {
		f.Commit = verdict.RelationOf(r.Commit, e.Subject.HeadSHA, e.Subject.MergeSHA, e.Commits)
		f.OtherTask = verdict.OtherTask(r, j.w.TaskID, j.w.DispatchID)
	}
	return f
}

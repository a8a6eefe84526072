package remote

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/github"
)

const (
	// maxUploads bounds the uploads that one glob may mean: shards of a suite.
	maxUploads = 100
	// maxArchives bounds the bytes of all archives of a run: they are kept until they are judged.
	maxArchives = 256 << 20
	// maxEarlier is how many earlier attempts are asked for the jobs that an older upload may be of.
	maxEarlier = 10
	// endSlack is how much later than its job's end an upload may be: both are told in whole seconds.
	endSlack = time.Second
)

// jobList is the jobs of one attempt.
type jobList = []github.Job

// uploads looks at what the evidence's run uploaded under a name, and downloads it if it counts.
func (r *Run) uploads(ctx context.Context, up collect.Upload) collect.Uploads {
	fail := func(code, detail string) collect.Uploads { return collect.Uploads{Code: code, Detail: detail} }
	switch {
	case r.apart() && r.other.run == nil:
		return fail(evidence.CodeUploadMissing, r.noEvidence().Error())
	case r.other.unfit != "":
		return fail(evidence.CodeUploadRun, r.other.unfit)
	}
	run, attempt := r.evidenceOf()
	jobs, err := r.jobsOf(ctx, attempt)
	if err != nil {
		return fail(evidence.CodeArtifactUnlisted, err.Error())
	}
	name := up.Name
	if strings.ContainsAny(name, `*?[{\`) {
		name = ""
	}
	list, err := r.c.Artifacts(ctx, run, name)
	if err == nil && list.Cut {
		err = errors.New("GitHub does not list all uploads of this run")
	}
	if err != nil {
		return fail(evidence.CodeArtifactUnlisted, err.Error())
	}
	skew, _ := r.c.Skew()
	out := collect.Uploads{}
	makers := named(jobs, up.MadeBy)
	running := slices.ContainsFunc(makers, func(j github.Job) bool { return j.Status != "completed" })
	for _, j := range makers {
		if !running && j.CompletedAt.After(out.Ended.Add(skew)) {
			out.Ended = j.CompletedAt.Add(-skew).UTC()
		}
		if !running && (out.Producer == "" || worse(j.Conclusion, out.Producer)) {
			out.Producer = j.Conclusion
		}
	}
	found := newest(list.Items, up.Name)
	switch {
	case running:
		out.Code, out.Detail = evidence.CodeUploadRunning, fmt.Sprintf("job %s has not ended in this attempt", up.MadeBy)
	case len(found) == 0:
		out.Code, out.Detail = evidence.CodeUploadMissing, fmt.Sprintf("%s uploaded nothing that is named %s", r.runName(), up.Name)
	case len(found) > maxUploads:
		out.Code, out.Detail = evidence.CodeArtifactTooMany, fmt.Sprintf("over %d uploads are named %s", maxUploads, up.Name)
	default:
		l := &look{r: r, up: up, jobs: jobs, skew: skew}
		for i := range found {
			out.Parts = append(out.Parts, l.part(ctx, &found[i]))
		}
	}
	return out
}

// runName is what a finding calls the run that makes the evidence.
func (r *Run) runName() string {
	if r.other.run != nil {
		return fmt.Sprintf("run %d", r.other.run.ID)
	}
	return "this run"
}

// jobsOf lists the jobs of one attempt of the evidence's run, all or none. Another run than this one has ended, and is
// asked once.
func (r *Run) jobsOf(ctx context.Context, attempt int) (jobList, error) {
	if list, known := r.jobs[attempt]; known {
		return list, nil
	}
	run, _ := r.evidenceOf()
	jobs, err := r.c.Jobs(ctx, run, attempt)
	if err == nil && jobs.Cut {
		err = fmt.Errorf("GitHub does not list all jobs of attempt %d", attempt)
	}
	if err == nil && r.other.run != nil {
		if r.jobs == nil {
			r.jobs = map[int]jobList{}
		}
		r.jobs[attempt] = jobs.Items
	}
	return jobs.Items, err
}

// named are the jobs that a contract means by a job's id: GitHub shows the id as the name, with the members of a matrix
// behind it, `test (linux)`, or the jobs of a workflow that it calls, `test / unit`.
func named(jobs jobList, id string) jobList {
	var out jobList
	for _, j := range jobs {
		if id != "" && (j.Name == id || strings.HasPrefix(j.Name, id+" (") || strings.HasPrefix(j.Name, id+" / ")) {
			out = append(out, j)
		}
	}
	return out
}

// newest keeps the newest upload of each name that fits, in the order of their names.
func newest(all []github.Artifact, glob string) []github.Artifact {
	byName := map[string]github.Artifact{}
	for _, a := range all {
		if !collect.NameMatches(glob, a.Name) {
			continue
		}
		if have, ok := byName[a.Name]; !ok || a.CreatedAt.After(have.CreatedAt) || a.CreatedAt.Equal(have.CreatedAt) && a.ID > have.ID {
			byName[a.Name] = a
		}
	}
	var out []github.Artifact
	for _, a := range byName {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b github.Artifact) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// look is one look at uploads.
type look struct {
	r       *Run
	up      collect.Upload
	jobs    jobList // of this attempt
	skew    time.Duration
	earlier []jobList // of the attempts before it, once they were asked for
	began   time.Time // of this attempt, once it was asked for
}

// part settles whether one upload counts, and downloads it if it does.
func (l *look) part(ctx context.Context, a *github.Artifact) collect.Uploaded {
	out := collect.Uploaded{Name: a.Name, CreatedAt: a.CreatedAt.Add(-l.skew).UTC()}
	head := l.r.event.Subject.HeadSHA
	run, _ := l.r.evidenceOf()
	switch {
	case a.RunID == 0 || a.HeadSHA == "":
		out.Code, out.Detail = evidence.CodeUploadUnknown, "GitHub does not say which run made it"
	case a.RunID != run:
		out.Code, out.Detail = evidence.CodeUploadOtherRun, fmt.Sprintf("it is of run %d", a.RunID)
	case a.HeadSHA != head:
		out.Code, out.Detail = evidence.CodeUploadOtherRun, fmt.Sprintf("it is of commit %.12q, not of %.12s", a.HeadSHA, head)
	case a.Expired:
		out.Code, out.Detail = evidence.CodeUploadExpired, "its bytes are gone from GitHub"
	default:
		p := l.place(ctx, a)
		if out.Code, out.Detail = p.code, p.detail; p.code == "" {
			out.Boundary, out.BoundarySource = p.from.Add(-l.skew).UTC(), p.source
			l.download(ctx, a, &out)
		}
	}
	return out
}

// download fetches the archive and holds it to the digest that GitHub names.
func (l *look) download(ctx context.Context, a *github.Artifact, out *collect.Uploaded) {
	limit := min(collect.MaxArchiveBytes, maxArchives-l.r.archives)
	if a.SizeBytes > limit {
		out.Code, out.Detail = evidence.CodeArtifactOverLimit, fmt.Sprintf("its archive has %d bytes; one may have %d, all together %d", a.SizeBytes, collect.MaxArchiveBytes, maxArchives)
		return
	}
	data, err := l.r.c.ArtifactZip(ctx, a.ID, limit)
	sum := sha256.Sum256(data)
	switch {
	case errors.Is(err, github.ErrTooLarge):
		out.Code, out.Detail = evidence.CodeArtifactOverLimit, err.Error()
	case github.IsStatus(err, http.StatusGone):
		out.Code, out.Detail = evidence.CodeUploadExpired, "its bytes are gone from GitHub"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		out.Code, out.Detail = evidence.CodeArtifactTimeout, err.Error()
	case err != nil:
		out.Code, out.Detail = evidence.CodeArtifactUnreadable, err.Error()
	case a.SHA256 != "" && hex.EncodeToString(sum[:]) != a.SHA256:
		out.Code, out.Detail = evidence.CodeUploadDigest, fmt.Sprintf("its archive has sha256 %s, GitHub names %s", hex.EncodeToString(sum[:]), a.SHA256)
	default:
		if a.SHA256 == "" {
			out.BoundarySource += "; GitHub names no digest of it"
		}
		l.r.archives += int64(len(data))
		out.Archive = data
	}
}

// placed is where in the run an upload belongs: the start of its job, or why it does not count.
type placed struct {
	code   string
	detail string
	from   time.Time
	source string
}

// place finds the job that made an upload, as far as GitHub tells it: by the time, since it names none.
func (l *look) place(ctx context.Context, a *github.Artifact) placed {
	if makers := named(l.jobs, l.up.MadeBy); len(makers) > 0 {
		return l.ofJob(ctx, a, makers)
	}
	if l.began.IsZero() {
		id, attempt := l.r.evidenceOf()
		run, err := l.r.c.RunAttempt(ctx, id, attempt)
		if err != nil {
			return placed{code: evidence.CodeUploadUnknown, detail: err.Error()}
		}
		l.began = run.StartedAt
	}
	if !a.CreatedAt.Before(l.began) {
		return placed{from: l.began, source: "the run attempt's start, as GitHub has it"}
	}
	return l.carried(ctx, a)
}

// ofJob holds an upload to the job that has to have made it.
func (l *look) ofJob(ctx context.Context, a *github.Artifact, makers jobList) placed {
	during, first := at(makers, a.CreatedAt), makers[0]
	again := false // one of them ran after it was made
	for _, j := range makers {
		if j.StartedAt.Before(first.StartedAt) {
			first = j
		}
		again = again || j.StartedAt.After(a.CreatedAt)
	}
	switch {
	case len(during) == 0 && a.CreatedAt.Before(first.StartedAt):
		return placed{code: evidence.CodeUploadSuperseded, detail: fmt.Sprintf("it was made at %s, and job %s started at %s", stamp(a.CreatedAt), l.up.MadeBy, stamp(first.StartedAt))}
	case len(during) == 0:
		return placed{code: evidence.CodeUploadOtherRun, detail: fmt.Sprintf("it was made at %s, when job %s did not run", stamp(a.CreatedAt), l.up.MadeBy)}
	}
	if _, attempt := l.r.evidenceOf(); again && attempt > 1 { // of a matrix, some ran again: what they made before counts no more
		earlier, err := l.before(ctx)
		if err != nil {
			return placed{code: evidence.CodeUploadUnknown, detail: err.Error()}
		}
		for _, jobs := range earlier {
			for _, j := range at(named(jobs, l.up.MadeBy), a.CreatedAt) {
				if l.ranAgain(j) {
					return placed{code: evidence.CodeUploadUnknown, detail: fmt.Sprintf("%q, which ran again since, may have made it", j.Name)}
				}
			}
		}
	}
	return placed{from: earliest(during), source: "the start of job " + l.up.MadeBy + ", as GitHub has it"}
}

// carried holds an upload of an earlier attempt to the jobs that may have made it then: none may have run again.
func (l *look) carried(ctx context.Context, a *github.Artifact) placed {
	earlier, err := l.before(ctx)
	if err != nil {
		return placed{code: evidence.CodeUploadUnknown, detail: err.Error()}
	}
	var kept, again jobList
	for _, jobs := range earlier {
		if makers := named(jobs, l.up.MadeBy); len(makers) > 0 {
			jobs = makers
		}
		for _, j := range at(jobs, a.CreatedAt) {
			if l.ranAgain(j) {
				again = append(again, j)
			} else {
				kept = append(kept, j)
			}
		}
	}
	switch {
	case len(kept) > 0 && len(again) == 0:
		return placed{from: earliest(kept), source: "the start of its job in an earlier attempt, as GitHub has it"}
	case len(kept) > 0:
		return placed{code: evidence.CodeUploadUnknown, detail: fmt.Sprintf("%q, which ran again since, may have made it", again[0].Name)}
	case len(again) > 0:
		return placed{code: evidence.CodeUploadSuperseded, detail: fmt.Sprintf("it was made at %s, and %q ran again since", stamp(a.CreatedAt), again[0].Name)}
	}
	return placed{code: evidence.CodeUploadUnknown, detail: fmt.Sprintf("no job of this run was running at %s, when it was made", stamp(a.CreatedAt))}
}

// before lists the jobs of the attempts before this one.
func (l *look) before(ctx context.Context) ([]jobList, error) {
	if l.earlier == nil {
		_, attempt := l.r.evidenceOf()
		if attempt-1 > maxEarlier {
			return nil, fmt.Errorf("it may be of one of %d earlier attempts, and at most %d are looked at", attempt-1, maxEarlier)
		}
		for k := attempt - 1; k >= 1; k-- {
			jobs, err := l.r.jobsOf(ctx, k)
			if err != nil {
				return nil, err
			}
			l.earlier = append(l.earlier, jobs)
		}
	}
	return l.earlier, nil
}

// ranAgain reports whether a job of an earlier attempt ran anew in this one: GitHub shows a job that did not under its
// name with the start that it had, or not at all.
func (l *look) ranAgain(j github.Job) bool {
	there := false
	for _, k := range l.jobs {
		if k.Name == j.Name {
			if k.StartedAt.Equal(j.StartedAt) {
				return false
			}
			there = true
		}
	}
	return there
}

// at are the jobs that had begun at a time and were at work, or just at their end, and have ended since.
func at(jobs jobList, t time.Time) jobList {
	var out jobList
	for _, j := range jobs {
		if j.Status == "completed" && !j.StartedAt.IsZero() && !t.Before(j.StartedAt) && !t.After(j.CompletedAt.Add(endSlack)) {
			out = append(out, j)
		}
	}
	return out
}

func earliest(jobs jobList) time.Time {
	return slices.MinFunc(jobs, func(a, b github.Job) int { return a.StartedAt.Compare(b.StartedAt) }).StartedAt
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

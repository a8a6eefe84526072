package verdict

import (
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// window turns the absence of a check into a wait while its bounded window is open.
func window(o *contract.Outcome, f evidence.Finding, from, at time.Time) evidence.Finding {
	if f.Code == evidence.CodeCheckAbsent && windowOpenAt(o, from, at) {
		f.State, f.Code = evidence.Waiting, evidence.CodeWaitWindow
	}
	return f
}

// lastLook is when the outcome's checks were last looked at, or when the gate began.
func lastLook(obs *evidence.Observation, c *evidence.Circumstances) time.Time {
	last := c.Now
	for _, v := range obs.Validators {
		if v.ObservedAt != nil && v.ObservedAt.After(last) {
			last = *v.ObservedAt
		}
	}
	return last
}

func windowOpenAt(o *contract.Outcome, from, at time.Time) bool {
	return o.ObserveFor > 0 && !from.IsZero() && !at.IsZero() && at.Before(from.Add(time.Duration(o.ObserveFor)*time.Second))
}

// awaited turns what is not yet at an address, or not yet uploaded, into a wait, if its window was open when it was
// last looked at. The window counts from the end of the job that makes an upload, if that is known.
func awaited(o *contract.Outcome, a *contract.Artifact, seen *evidence.FileSet, set *judgedSet, c *evidence.Circumstances) bool {
	if a.URL == "" && a.Upload == "" || seen == nil || seen.ObservedAt == nil {
		return false
	}
	from := c.RunStartedAt
	if seen.WindowFrom != nil {
		from = *seen.WindowFrom
	}
	if !windowOpenAt(o, from, *seen.ObservedAt) {
		return false
	}
	waits := false
	for _, list := range [][]evidence.Finding{set.files, set.all} {
		for i := range list {
			switch list[i].Code {
			case evidence.CodeAddressStatus, evidence.CodeAddressUnreachable, evidence.CodeUploadMissing, evidence.CodeUploadRunning:
				list[i].State, list[i].Code, waits = evidence.Waiting, evidence.CodeWaitWindow, true
			}
		}
	}
	return waits
}

// awaitJudged lets the validators of an artifact that is awaited wait with it: they had nothing to look at.
func awaitJudged(o *contract.Outcome, findings []evidence.Finding) {
	for i := range findings {
		kind, ok := evidence.KindByName(o.Validators[i].Kind)
		if ok && kind.NeedsArtifact && findings[i].State == evidence.Unverified {
			findings[i].State, findings[i].Code = evidence.Waiting, evidence.CodeWaitWindow
		}
	}
}

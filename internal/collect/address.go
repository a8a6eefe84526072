package collect

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

const (
	// lookAgain is the time between two looks at an address: deployments take minutes, and who answers there is not ours.
	lookAgain = 5 * time.Second
	// longestLook bounds the looking at all addresses, uploads and checks of a contract whatever their windows, so that no runner is held
	// for nothing and the judgement comes within its own time. A window that is longer then is still open.
	longestLook = 5 * time.Minute
)

// Address is what a contract says of an address.
type Address struct {
	URL       string
	Status    int // that it must answer with
	Redirects int // that may be followed
}

// Answer is what one look at an address saw: a body, or the code and the detail of why there is none.
type Answer struct {
	Code   string // "": it answered with the status that is asked for
	Detail string
	Body   []byte
}

// look looks at an address, and again while what is asked for is not there and its window is open. The body is read
// once, for everything that wants something of it.
func (o *observer) look(ctx context.Context, r *reader, at Address, n need) (out *reading) {
	out = &reading{name: at.URL}
	out.git.Reason = "an address lies in no tree"
	defer func() {
		if p := recover(); p != nil {
			out.trouble = &trouble{evidence.CodeArtifactUnreadable, clip(fmt.Sprint("reading it broke: ", p), maxReason)}
		}
	}()
	answer := o.answer(ctx, at, out)
	if answer.Code != "" {
		out.trouble = &trouble{answer.Code, answer.Detail}
		return out
	}
	out.size = int64(len(answer.Body))
	out.noKey = n.keyed && len(r.key) == 0
	n.blob = false
	s, err := scanAll(ctx, bytes.NewReader(answer.Body), out.size, n, r.key, r.buf)
	if err != nil {
		out.trouble = readTrouble(err)
		return out
	}
	out.scanned = *s
	return out
}

// answer is the last answer of an address.
func (o *observer) answer(ctx context.Context, at Address, out *reading) Answer {
	for {
		a := o.f.Look(ctx, at)
		if o.f.Now != nil {
			out.seen = o.f.Now().UTC()
		}
		switch a.Code {
		case evidence.CodeAddressStatus, evidence.CodeAddressUnreachable:
		default:
			return a
		}
		if !o.pause(ctx, out.seen, o.f.Circumstances.RunStartedAt, o.plan.windows[at], lookAgain) {
			return a
		}
	}
}

// pause waits before another look, and reports whether there is one. The last look is at the window's end, so that what
// is not there by then is missing, and not awaited.
func (o *observer) pause(ctx context.Context, seen, from time.Time, window, every time.Duration) bool {
	if o.f.Now == nil || o.f.Pause == nil || from.IsZero() {
		return false
	}
	end := from.Add(window)
	if last := o.began.Add(longestLook); end.After(last) {
		end = last
	}
	return seen.Before(end) && o.f.Pause(ctx, min(every, end.Sub(seen))) == nil
}

// source is where the set's files come from.
func (s *fileSet) source() source { return source{head: s.head, at: s.at, up: s.up} }

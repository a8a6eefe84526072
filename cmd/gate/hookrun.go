package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/hook"
	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/sessions"
)

// hookRun is one event of a runtime under way.
type hookRun struct {
	*outside
	f     *hookFlags
	e     hook.Event
	store sessions.Store
	place []string // of the session's memory
}

// hook is gate hook.
func (m *outside) hook(ctx context.Context, rt hook.Runtime, f *hookFlags, args []string) error {
	if err := f.usable(); err != nil {
		return err
	}
	h := &hookRun{outside: m, f: f, store: sessions.Store{Dir: sessions.Dir(m.getenv), Limit: hook.MaxMemory, Now: m.now}}
	event, err := m.hookEvent(rt, args)
	h.e = event
	h.place = h.memoryPlace(err != nil)
	var reply hook.Reply
	if err != nil {
		reply = h.trouble(fmt.Errorf("read the hook's input: %w", err))
	} else {
		reply = h.answer(ctx)
	}
	m.answered = true
	// The code holds an agent back even where nobody reads why.
	_, errOut := m.stdout.Write([]byte(reply.Stdout))
	_, errErr := m.stderr.Write([]byte(reply.Stderr))
	if reply.Code != exitDone {
		return answer(reply.Code)
	}
	return errors.Join(errOut, errErr)
}

// hookEvent reads the event.
func (m *outside) hookEvent(rt hook.Runtime, args []string) (hook.Event, error) {
	if len(args) == 1 {
		return hook.ParseNotify([]byte(args[0]))
	}
	data, err := local.ReadAll(m.stdin, hook.MaxInput)
	if err != nil {
		return hook.Event{Runtime: rt}, err
	}
	return hook.Parse(rt, data)
}

// memoryPlace names the session's memory. An event that cannot be read is of no session: all of a day share one memory.
func (h *hookRun) memoryPlace(unread bool) []string {
	top := h.workspace(h.f.check.workspace)
	if abs, err := filepath.Abs(top); err == nil {
		top = abs
	}
	if unread {
		return []string{"unread", top, h.now().UTC().Format(time.DateOnly)}
	}
	return []string{string(h.e.Runtime), top, string(h.e.Kind), h.e.Session}
}

// answer answers an event that was read.
func (h *hookRun) answer(ctx context.Context) hook.Reply {
	e := &h.e
	switch {
	case e.Kind == hook.Other:
		return hook.Note(e.Runtime, "nothing is asked by "+render.Line(e.Name)+": gate hook answers when an agent stops")
	case e.Background > 0:
		return hook.Quiet("waiting: " + render.Many(e.Background, "task") + " of the session still in the background, nothing was judged")
	}
	ctx, cancel := context.WithTimeout(ctx, h.f.timeout)
	defer cancel()
	o, err := h.checkOptions(&h.f.check)
	if err != nil {
		return h.trouble(err)
	}
	if e.Message != "" {
		o.Given.Report = []byte(e.Message)
	}
	key := h.key(ctx, &o)
	if feedback, ok := h.known(key); ok && e.Answers() {
		return h.hold(key, feedback)
	}
	r, _, err := h.judge(ctx, o, false)
	if err == nil && h.f.check.receipt != "" {
		err = h.keepReceipt(r, h.f.check.receipt)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("the hook did not end in %s: %w", h.f.timeout, context.Cause(ctx))
		}
		return h.trouble(err)
	}
	if !hook.Repeats(r) {
		key = ""
	}
	return h.say(r, key)
}

// say turns a judgement into an answer.
func (h *hookRun) say(r *receipt.Receipt, key string) hook.Reply {
	text := hook.Feedback(r)
	finding := hook.Judge(r)
	switch {
	case finding == hook.Trouble:
		return h.trouble(errors.New(render.Title(r)))
	case !h.e.Answers():
		return hook.Note(h.e.Runtime, text)
	case finding == hook.Open:
		return h.hold(key, text)
	}
	h.release()
	reply := hook.Quiet(render.Title(r))
	switch finding {
	case hook.Waiting:
		reply = hook.Note(h.e.Runtime, text+"What is left is nothing that work here changes.")
	case hook.Admitted:
		reply = hook.Note(h.e.Runtime, render.Title(r)+"\nThe agent reports "+render.Line(r.Report.Facts.Outcome)+", so it claims no completion.")
	case hook.Observed:
		reply = hook.Note(h.e.Runtime, text+"The contract is in mode: observe, which holds nobody back.")
	case hook.Accepted, hook.Trouble, hook.Open:
	}
	if cwd := h.e.Cwd; filepath.IsAbs(cwd) {
		if _, ok := inside(h.workspace(h.f.check.workspace), cwd); !ok {
			reply.Stderr += "gate: the event names the folder " + render.Line(cwd) + ", which is not looked at\n"
		}
	}
	return reply
}

// key is of everything that the judgement sees; "" if that cannot be known.
func (h *hookRun) key(ctx context.Context, o *local.Options) string {
	if o.ContractFile != "" {
		return "" // it may lie anywhere
	}
	given := sha256.New()
	for _, data := range []string{hook.Reports(h.e.Message), string(o.Given.Steps)} {
		given.Write(fmt.Appendf(nil, "%d:%s\n", len(data), data))
	}
	now := h.now()
	return sessions.Inputs(ctx, o.Workspace, now, o.Version, now.UTC().Format(time.DateOnly), o.ContractRef, o.Base, fmt.Sprint(o.Only), fmt.Sprintf("%x", given.Sum(nil)))
}

// known is the feedback of the last judgement, if nothing changed since. A memory that cannot be read knows nothing.
func (h *hookRun) known(key string) (string, bool) {
	if key == "" {
		return "", false
	}
	data, err := h.store.Read(h.place...)
	if err != nil {
		return "", false
	}
	memory, err := hook.ParseMemory(data)
	if err != nil {
		return "", false
	}
	return memory.Known(key)
}

// hold holds the agent back, as often as it may be.
func (h *hookRun) hold(key, feedback string) hook.Reply {
	var memory hook.Memory
	held := false
	err := h.store.Update(func(data []byte) ([]byte, error) {
		memory = hook.Memory{}
		if data != nil {
			var err error
			// Counting from the start must have an end as well: within one turn a memory that was spoiled counts as used up.
			if memory, err = hook.ParseMemory(data); err != nil && h.e.Continued {
				memory.GaveUp = true
			}
		}
		held = memory.Hold(h.f.blocks, h.e.Continued, key, feedback)
		return memory.Bytes(), nil
	}, h.place...)
	switch {
	case err == nil && held:
		return hook.Hold(h.e.Runtime, hook.Countdown(&memory, h.f.blocks, feedback))
	case err == nil:
		return hook.Note(h.e.Runtime, hook.GiveUp(&memory, feedback))
	case h.f.failClosed && !h.e.Continued:
		return hook.Hold(h.e.Runtime, feedback+"\nHow often the agent was held back cannot be counted: "+render.Line(err.Error()))
	}
	return hook.Note(h.e.Runtime, "how often the agent was held back cannot be counted, so it is let go, and the contract is NOT met: "+render.Line(err.Error())+"\n"+feedback)
}

// release forgets the times in a row. Where that cannot be written, the next time is only counted as one more.
func (h *hookRun) release() {
	err := h.store.Update(func(data []byte) ([]byte, error) {
		if data == nil {
			return nil, nil
		}
		memory, err := hook.ParseMemory(data)
		if err != nil {
			memory = hook.Memory{}
		}
		memory.Release()
		return memory.Bytes(), nil
	}, h.place...)
	if err != nil {
		h.outside.say("write the hook's memory: %v", err)
	}
}

// trouble is the answer where the hook itself goes wrong.
func (h *hookRun) trouble(err error) hook.Reply {
	text := "could not judge: " + render.Line(err.Error())
	if !h.f.failClosed {
		return hook.Note(h.e.Runtime, text+"\nThe agent is let go, and NOTHING was verified (--fail-closed would hold it back).")
	}
	return h.hold("", text+"\nThe hook is told to hold the agent back then (--fail-closed).")
}

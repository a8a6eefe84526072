// Package hook decides what an agent's runtime is told when the agent wants to stop: let it go, or hold it back.
//
// It reads what a runtime writes to a completion hook, judges by a receipt whether the contract holds the agent back, counts
// how often it did, and puts the answer into the runtime's own form. It trusts nothing that a runtime writes: no path in it is
// followed, and what cannot be read is never a reason to hold an agent back, unless the user asked for that. What it
// remembers is no evidence: the agent can write it, and all it can do there is to be held back less often than the limit
// says. It reads no file, reaches no network and knows no clock.
package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Runtime is the agent's runtime. The zero value is none.
type Runtime string

// The runtimes that have completion hooks.
const (
	Claude  Runtime = "claude"
	Codex   Runtime = "codex"
	Copilot Runtime = "copilot"
)

// Runtimes are all of them, in alphabetical order.
func Runtimes() []string { return []string{string(Claude), string(Codex), string(Copilot)} }

// MaxInput is the largest input that is read, in bytes: a runtime's last message is a few KiB.
const MaxInput = 1 << 20

// maxName bounds a name in an event, in bytes.
const maxName = 256

// Kind is what an event asks. The zero value asks nothing.
type Kind string

// The kinds of events.
const (
	Other    Kind = ""         // nothing that this hook answers
	Stop     Kind = "stop"     // the agent wants to stop
	Subagent Kind = "subagent" // an agent that it started wants to stop
	Task     Kind = "task"     // a task is to be called completed
	Notify   Kind = "notify"   // the agent stopped: nobody waits for an answer
)

// Event is what a runtime says to a hook.
type Event struct {
	Runtime Runtime
	Kind    Kind
	Name    string // as the runtime calls it
	Session string // the runtime's own id of the session, and of the agent in it
	Cwd     string // where the runtime says it is: for a note only
	Message string // the agent's last message, "" if the event has none
	// Continued says that the agent goes on only because it was held back before.
	Continued bool
	// Background is how many tasks of the session still run.
	Background int
}

// members is one JSON object.
type members map[string]json.RawMessage

// Parse reads what a runtime writes to standard input. The error says what about it cannot be read.
func Parse(rt Runtime, data []byte) (Event, error) {
	e := Event{Runtime: rt}
	m, err := object(data)
	if err != nil {
		return e, err
	}
	r := reader{m: m}
	switch rt {
	case Claude, Codex:
		e.Name = r.name("hook_event_name")
		if e.Name == "" && r.err == nil {
			r.err = errors.New("the member hook_event_name is missing")
		}
		e.claude(&r)
	case Copilot:
		e.copilot(&r)
	default:
		return e, fmt.Errorf("no runtime %q is known", rt)
	}
	if r.err != nil {
		return Event{Runtime: rt}, r.err
	}
	return e, nil
}

// ParseNotify reads the argument that Codex gives to the program of notify.
func ParseNotify(data []byte) (Event, error) {
	e := Event{Runtime: Codex}
	m, err := object(data)
	if err != nil {
		return e, err
	}
	r := reader{m: m}
	e.Name, e.Session, e.Cwd, e.Message = r.name("type"), r.name("thread-id"), r.text("cwd"), r.text("last-assistant-message")
	if e.Name == "agent-turn-complete" {
		e.Kind = Notify
	}
	if r.err != nil {
		return Event{Runtime: Codex}, r.err
	}
	return e, nil
}

// claude reads the members of Claude Code's events, whose names Codex has as well.
func (e *Event) claude(r *reader) {
	e.Session, e.Cwd = r.name("session_id"), r.text("cwd")
	switch e.Name {
	case "Stop":
		e.Kind = Stop
	case "SubagentStop":
		e.Kind = Subagent
		e.Session += "\x00" + r.name("agent_id")
	case "TaskCompleted":
		if e.Runtime == Claude {
			e.Kind = Task
			e.Session += "\x00task\x00" + r.name("task_id")
		}
		return
	default:
		return
	}
	e.Continued, e.Message = r.flag("stop_hook_active"), r.text("last_assistant_message")
	e.Background = r.count("background_tasks")
}

// copilot reads Copilot's events. Those of a name in camel case do not say it: each has members that no other has.
func (e *Event) copilot(r *reader) {
	if _, named := r.m["hook_event_name"]; named {
		e.Name = r.name("hook_event_name")
		e.claude(r)
		return
	}
	e.Session, e.Cwd = r.name("sessionId"), r.text("cwd")
	switch {
	case r.has("stopReason") && (r.has("agentId") || r.has("agentName")):
		e.Name, e.Kind, e.Message = "subagentStop", Subagent, r.text("response")
		e.Session += "\x00" + r.name("agentId")
	case r.has("stopReason"):
		e.Name, e.Kind, e.Continued = "agentStop", Stop, r.flag("stop_hook_active")
	case r.has("reason"):
		e.Name = "sessionEnd"
	default:
		e.Name = "an event without a name"
	}
}

// object reads one JSON object, and nothing behind it. Names of members are compared whole, in their own case.
func object(data []byte) (members, error) {
	if len(data) > MaxInput {
		return nil, fmt.Errorf("it is over the limit of %d bytes", MaxInput)
	}
	if len(data) == 0 {
		return nil, errors.New("it is empty: the runtime writes an event to standard input")
	}
	var m members
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	if m == nil {
		return nil, errors.New("it is no JSON object, but null")
	}
	return m, nil
}

// reader reads members and keeps the first error.
type reader struct {
	m   members
	err error
}

func (r *reader) has(member string) bool {
	_, ok := r.m[member]
	return ok
}

// read decodes a member that may be absent or null.
func (r *reader) read(member, what string, into any) {
	raw, ok := r.m[member]
	if !ok || r.err != nil {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil {
		r.err = fmt.Errorf("the member %s is no %s", member, what)
	}
}

func (r *reader) text(member string) (s string) {
	r.read(member, "text", &s)
	return s
}

// name is a text that something is called by.
func (r *reader) name(member string) string {
	s := r.text(member)
	if len(s) > maxName && r.err == nil {
		r.err = fmt.Errorf("the member %s is over %d bytes", member, maxName)
	}
	return s
}

func (r *reader) flag(member string) (b bool) {
	r.read(member, "true or false", &b)
	return b
}

func (r *reader) count(member string) int {
	var list []json.RawMessage
	r.read(member, "list", &list)
	return len(list)
}

// Answers says whether the runtime waits for an answer to the event, and can be held back by it.
func (e *Event) Answers() bool { return slices.Contains([]Kind{Stop, Subagent, Task}, e.Kind) }

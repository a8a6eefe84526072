package report

import (
	"encoding/json"
	"fmt"
	"strings"
)

// openHermes takes apart what Hermes Agent hands back for a delegated task: the entry of one task, a list of them, the
// event or the handle of a task that runs apart, or the notice that one failed.
func openHermes(d *document) (unwrapped, bool) {
	var u unwrapped
	o := d.object
	if o == nil {
		if d.part || !u.notices(string(d.src)) {
			return unwrapped{}, false
		}
		return u, true
	}
	entries, list := hermesList(o)
	switch {
	case list:
		u.entries(o, entries)
	case isEntry(o) || d.forced && str(o, "status") != "":
		u.entry(o, "")
		if weakEntry(o) && has(o, "evidence") {
			// A report of the agent's own that has members of an entry's names: both count.
			u.text = true
			u.blocks = append(u.blocks, d.strict())
		}
	case d.forced && isHandle(o):
		u.runtime = RuntimeNoOutput
	default:
		return unwrapped{}, false
	}
	return u, true
}

// hermesList gives the entries of a list of results or of the event of a batch.
func hermesList(o map[string]any) ([]any, bool) {
	entries, ok := o["results"].([]any)
	if !ok || has(o, "type") && str(o, "type") != asyncEvent {
		return nil, false
	}
	if len(entries) == 0 {
		_, timed := o["total_duration_seconds"].(json.Number)
		return nil, timed
	}
	first, ok := entries[0].(map[string]any)
	return entries, ok && isEntry(first)
}

const asyncEvent = "async_delegation"

// isEntry says whether an object has the form of a result: a status, and a member that only results have.
func isEntry(o map[string]any) bool {
	if _, ok := o["status"].(string); !ok || has(o, "type") && str(o, "type") != asyncEvent {
		return false
	}
	return !weakEntry(o) || has(o, "schema_valid") || has(o, "exit_reason")
}

// weakEntry says whether an object lacks the members that number or name a task.
func weakEntry(o map[string]any) bool {
	_, index := o["task_index"].(json.Number)
	_, id := o["delegation_id"].(string)
	return !index && !id && str(o, "type") != asyncEvent
}

// entries takes the results of a batch. All of them count: what one lacks, another does not make up for.
func (u *unwrapped) entries(batch map[string]any, entries []any) {
	if has(batch, "status") {
		u.state(batch, "")
	}
	if len(entries) == 0 {
		u.runtime = worse(u.runtime, RuntimeNoOutput)
	}
	for i, e := range entries {
		where := fmt.Sprintf("results[%d]", i)
		o, ok := e.(map[string]any)
		if !ok || !isEntry(o) {
			u.broken(where, "no result of a task")
			continue
		}
		if n, state := u.entry(o, where); n == 0 && state == "" && len(entries) > 1 {
			u.broken(where, "the result holds no report")
		}
	}
}

// entry takes the result of one task. It gives the number of reports in it, and what the runtime says of it.
func (u *unwrapped) entry(o map[string]any, where string) (int, Runtime) {
	state := u.state(o, where)
	runs, _ := o["unread_completions"].([]any)
	for _, r := range runs {
		if r, ok := r.(map[string]any); ok {
			u.ran(r["command"], r["exit_code"])
		}
	}
	place := strings.TrimPrefix(where+".summary", ".")
	summary, isText := o["summary"].(string)
	switch {
	case !isText && o["summary"] != nil:
		u.broken(place, "expected a text")
		return 1, state
	case isText && u.notices(summary), handsBack(summary):
		u.runtime = worse(u.runtime, RuntimeNoOutput)
		return 0, worse(state, RuntimeNoOutput)
	}
	n := u.answer(place, withoutNotes(summary))
	if n == 0 && (list(o, "handed_off_processes") || list(o, "orphaned_processes")) {
		u.runtime, state = worse(u.runtime, RuntimeNoOutput), worse(state, RuntimeNoOutput)
		u.say(where, "a process was left running, and nothing was delivered")
	}
	return n, state
}

// state takes what the runtime says of a task.
func (u *unwrapped) state(o map[string]any, where string) Runtime {
	state := hermesState(o)
	u.runtime = worse(u.runtime, state)
	if state == RuntimeSchema {
		errors, _ := o["schema_errors"].([]any)
		for _, e := range errors {
			u.say(where, e)
		}
	}
	if state != "" {
		u.say(where, "status "+str(o, "status"))
		u.say(where, o["error"])
		u.say(where, o["failure_reason"])
	}
	return state
}

// hermesState is what the members of a result mean. That the answer breaks its schema outweighs the status, which may
// say completed.
func hermesState(o map[string]any) Runtime {
	if has(o, "schema_valid") && !is(o, "schema_valid", true) || schemaMissed(str(o, "error")) {
		return RuntimeSchema
	}
	switch str(o, "status") {
	case "completed":
		return worse(ended(o), doubted(o))
	case "failed", "error", "interrupted":
		return RuntimeFailed
	case "dispatched", "running":
		return RuntimeRunning
	default: // timeout, stalled, unknown, rejected, and what later versions say
		return RuntimeNoOutput
	}
}

// schemaMissed says whether the error is the one by which a generation of results told of a broken schema.
func schemaMissed(s string) bool {
	const missed = "Final answer does not satisfy the declared output_schema"
	return s == missed+"." || s == missed+" (after 1 retry)."
}

// ended is how a completed task ended.
func ended(o map[string]any) Runtime {
	reason := str(o, "exit_reason")
	if !has(o, "exit_reason") {
		reason = "completed"
	}
	switch {
	case reason == "interrupted", reason == "error":
		return RuntimeFailed
	case reason == "timeout":
		return RuntimeNoOutput
	case reason != "completed", has(o, "truncated") && !is(o, "truncated", false):
		return RuntimeTruncated
	}
	return ""
}

// doubted is what else the result of a completed task says against it.
func doubted(o map[string]any) Runtime {
	outcome := o["outcome"]
	switch {
	case outcome == "failed", has(o, "interrupted") && !is(o, "interrupted", false),
		is(o, "error_authoritative", true) && o["error"] != nil:
		return RuntimeFailed
	case outcome == "unknown":
		return RuntimeNoOutput
	case o["error"] != nil && o["error"] != "":
		return RuntimeTruncated
	case weakEntry(o) && has(o, "evidence"): // the outcome is a report's own
		return ""
	case has(o, "outcome") && outcome != "unverified":
		return RuntimeTruncated
	}
	return ""
}

// withoutNotes cuts what the runtime itself writes behind the JSON of an answer.
func withoutNotes(summary string) string {
	at := len(summary) - len(strings.TrimLeft(summary, " \t\r\n"))
	if at == len(summary) || summary[at] != '{' {
		return summary
	}
	_, d := decodeObject([]byte(summary), at)
	if d.fault != nil {
		return summary
	}
	rest := strings.TrimSpace(summary[d.i:])
	note := strings.HasPrefix(rest, "[steer did not land — ") || strings.HasPrefix(rest, "[NOTE: subagent modified files ")
	if !note || !strings.HasSuffix(rest, "]") || strings.ContainsAny(rest, "{}`~") {
		return summary
	}
	return summary[:d.i]
}

func list(o map[string]any, name string) bool {
	items, ok := o[name].([]any)
	return ok && len(items) > 0
}

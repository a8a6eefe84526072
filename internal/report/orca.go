package report

import (
	"fmt"
	"maps"
)

// openOrca takes apart a message of Orca, or the payload of the one that says that a worker is done. Of all messages
// only that one is a delivery.
func openOrca(d *document) (unwrapped, bool) {
	o := d.object
	var u unwrapped
	switch {
	case o == nil:
		return unwrapped{}, false
	case isOrcaMessage(o) || d.forced && orcaType(str(o, "type")) != notOrca:
		u.message(o)
	case isSettlement(o):
		u.settlement(o)
	case has(o, "taskId") && has(o, "dispatchId") || d.forced && (has(o, "taskId") || has(o, "dispatchId")):
		u.payload(d.strict(), "")
	default:
		return unwrapped{}, false
	}
	return u, true
}

// orcaKind is what a type of message means. The zero value is that there is no such type.
type orcaKind int

const (
	notOrca    orcaKind = iota
	delivers            // the worker is done
	stillWorks          // it works, waits for an answer or was sent off
	handsOver           // it passes something on, and delivers nothing here
)

func orcaType(name string) orcaKind {
	switch name {
	case "worker_done":
		return delivers
	case "status", "dispatch", "escalation", "decision_gate", "question", "heartbeat":
		return stillWorks
	case "merge_ready", "handoff":
		return handsOver
	}
	return notOrca
}

// isOrcaMessage says whether an object is a row of Orca's messages.
func isOrcaMessage(o map[string]any) bool {
	kind := orcaType(str(o, "type"))
	return kind != notOrca && (has(o, "from_handle") && has(o, "to_handle") || kind == delivers && has(o, "payload"))
}

func (u *unwrapped) message(o map[string]any) {
	name := str(o, "type")
	switch orcaType(name) {
	case delivers:
		u.workerDone(o)
	case stillWorks:
		u.runtime = RuntimeRunning
		u.say("", "a message of the type "+name)
		u.say("subject", o["subject"])
	default:
		u.runtime = RuntimeNoOutput
		u.say("", "a message of the type "+name+" delivers nothing")
	}
}

// workerDone takes the payload, an object or the text of one. Where it has no evidence of its own, a report in the
// message's body that says the same gives it.
func (u *unwrapped) workerDone(o map[string]any) {
	const where = "payload"
	b := block{}
	switch p := o[where].(type) {
	case map[string]any:
		b.object = p
	case string:
		d := newDocument([]byte(p))
		if d.object == nil || d.quoted {
			u.broken(where, "expected a JSON object")
			return
		}
		b = d.strict()
		u.steps += d.steps
	default:
		u.broken(where, "expected a JSON object")
		return
	}
	before := len(u.blocks)
	u.payload(b, where)
	body, _ := o["body"].(string)
	if body == "" || b.object == nil || has(b.object, "evidence") {
		return
	}
	e := extract(body, false)
	u.steps += e.steps
	if len(e.blocks) == 1 && e.blocks[0].object != nil && len(u.blocks) == before+1 && u.blocks[before].object != nil {
		told, said := u.blocks[before].object, e.blocks[0].object
		if outcome, ok := said["outcome"].(string); ok && told["outcome"] == outcome && agree(told, said, "task_id", "dispatch_id") {
			both := maps.Clone(told)
			maps.Copy(both, said)
			u.blocks[before].object = both
			return
		}
	}
	u.take(e, "body")
}

// agree says whether two objects do not differ in any of these members where both have it.
func agree(a, b map[string]any, names ...string) bool {
	for _, name := range names {
		if has(a, name) && has(b, name) && text(a[name]) != text(b[name]) {
			return false
		}
	}
	return true
}

// payload takes the payload of a worker's end as a report. Files and the path of a report are artifacts, not evidence:
// nothing in them says what was run.
func (u *unwrapped) payload(b block, where string) {
	u.text = true
	b.where = where
	if b.object == nil {
		u.blocks = append(u.blocks, b)
		return
	}
	o := maps.Clone(b.object)
	for _, id := range [...][2]string{{"taskId", "task_id"}, {"dispatchId", "dispatch_id"}} {
		v, ok := b.object[id[0]].(string)
		switch {
		case !ok || blank([]byte(v)):
			u.broken(where, fmt.Sprintf("%s: expected the name that the dispatch gave", id[0]))
			return
		case has(o, id[1]) && o[id[1]] != v:
			u.broken(where, fmt.Sprintf("%s and %s differ", id[0], id[1]))
			return
		}
		o[id[1]] = v
	}
	if !has(o, "artifacts") && (has(o, "filesModified") || has(o, "reportPath")) {
		files, isList := o["filesModified"].([]any)
		if !isList && o["filesModified"] != nil {
			u.broken(where, "filesModified: expected a list")
			return
		}
		files = append([]any{}, files...)
		if path := str(o, "reportPath"); path != "" {
			files = append(files, path)
		}
		o["artifacts"] = files
	}
	b.object = o
	u.blocks = append(u.blocks, b)
}

// isSettlement says whether an object is Orca's answer to a worker's end.
func isSettlement(o map[string]any) bool {
	switch str(o, "action") {
	case "settled":
		_, told := o["duplicate"].(bool)
		return told
	case "rejected":
		return has(o, "code")
	}
	return false
}

// settlement takes Orca's answer to a worker's end, which says that the end was noted, and not what was done.
func (u *unwrapped) settlement(o map[string]any) {
	if o["outcome"] == "failed" {
		u.text = true
		u.blocks = append(u.blocks, block{object: map[string]any{"outcome": "failed"}})
	}
	u.say("", "the end was "+str(o, "action"))
	u.say("code", o["code"])
	switch str(o, "code") {
	case "unknown_task", "unknown_dispatch", "task_dispatch_mismatch", "inactive_dispatch", "stale_dispatch":
		u.runtime = RuntimeStale
	default:
		u.runtime = RuntimeNoOutput
	}
}

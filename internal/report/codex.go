package report

// openCodex takes apart the events of codex exec --json, one a line. The file with the last message is a plain text.
func openCodex(d *document) (unwrapped, bool) {
	var u unwrapped
	if str(d.first, "type") != "thread.started" || d.part || d.quoted {
		if !d.forced || d.part {
			return unwrapped{}, false
		}
		u.answer("", string(d.src))
		return u, true
	}
	r := codexRun{u: &u}
	fault := d.each(spoken(), r.event)
	switch {
	case r.failed, !r.done && r.trouble:
		u.runtime = RuntimeFailed
		u.say("", r.why)
	case !r.done, fault != nil:
		u.runtime = RuntimeNoOutput
		u.say("", "the turn has no end")
	}
	if fault != nil {
		u.say("", fault.reason)
	}
	u.answer("the last message", r.message)
	return u, true
}

// codexRun is what the events so far say of the last turn.
type codexRun struct {
	u       *unwrapped
	message string // the last one of the turn
	done    bool   // the turn was completed
	failed  bool   // it failed
	trouble bool   // there was an error, which the turn may have survived
	why     string // the last error's words
}

func (r *codexRun) event(o map[string]any) {
	switch str(o, "type") {
	case "turn.started":
		r.message, r.done, r.failed, r.trouble = "", false, false, false
	case "turn.completed":
		r.done = true
	case "turn.failed":
		r.failed = true
		why, _ := o["error"].(map[string]any)
		r.why = str(why, "message")
	case "error":
		r.trouble = true
		r.why = str(o, "message")
	case "item.completed":
		item, _ := o["item"].(map[string]any)
		switch str(item, "type") {
		case "agent_message":
			r.message, r.done = str(item, "text"), false
		case "command_execution":
			r.u.ran(item["command"], item["exit_code"])
		}
	}
}

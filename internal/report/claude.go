package report

// openClaude takes apart the result of Claude Code as JSON, and the list of messages, in an array or one a line, of
// which a result is the last: claude-code-action writes that as its execution file.
func openClaude(d *document) (unwrapped, bool) {
	var u unwrapped
	if o := d.object; o != nil {
		switch {
		case isClaudeResult(o):
			u.claudeResult(o)
		case d.forced && !has(o, "type") && !has(o, "subtype") && !has(o, "is_error"):
			// The action's output structured_output: the object alone.
			u.text = true
			u.blocks = append(u.blocks, d.strict())
		default:
			return unwrapped{}, false
		}
		return u, true
	}
	if d.part {
		return unwrapped{}, false
	}
	return u.session(d)
}

// isClaudeResult says whether an object is the message that ends a session.
func isClaudeResult(o map[string]any) bool {
	return str(o, "type") == "result" && (has(o, "is_error") || has(o, "subtype"))
}

// session takes the messages of a session. The last result holds the answer, and a failure of an earlier one stays.
func (u *unwrapped) session(d *document) (unwrapped, bool) {
	var last map[string]any
	n, begins, alike := 0, false, true
	state := Runtime("")
	fault := d.each(spoken(), func(o map[string]any) {
		if n == 0 {
			begins = str(o, "type") == "system" && str(o, "subtype") == "init"
		}
		n++
		alike = alike && str(o, "type") != ""
		if isClaudeResult(o) {
			last, state = o, worse(state, claudeState(o))
		}
	})
	if !alike || !begins && (last == nil || fault != nil) {
		return unwrapped{}, false
	}
	if last != nil {
		u.claudeResult(last)
	}
	u.runtime = worse(u.runtime, state)
	if last == nil || fault != nil {
		u.runtime = worse(u.runtime, RuntimeNoOutput)
		u.say("", "the session has no end")
	}
	if fault != nil {
		u.say("", fault.reason)
	}
	return *u, true
}

func (u *unwrapped) claudeResult(o map[string]any) {
	state := claudeState(o)
	u.runtime = worse(u.runtime, state)
	if state != "" {
		u.say("subtype", o["subtype"])
		errors, _ := o["errors"].([]any)
		for _, e := range errors {
			u.say("", e)
		}
	}
	switch v := o["structured_output"].(type) {
	case nil:
	case map[string]any:
		u.text = true
		u.blocks = append(u.blocks, block{object: v, where: "structured_output"})
	case string:
		u.answer("structured_output", v)
	default:
		u.broken("structured_output", "expected a JSON object")
	}
	answer, ok := o["result"].(string)
	switch {
	case !ok && o["result"] != nil:
		u.broken("result", "expected a text")
	case is(o, "is_error", true):
		u.say("", answer)
		u.answer("result", answer)
	case len(u.blocks) == 0:
		u.answer("result", answer)
	default:
		// The text tells of the same work as the value: a report in it must be the same one.
		e := extract(answer, false)
		u.steps += e.steps
		u.take(e, "result")
	}
}

// claudeState is what a result says of the session. An error outweighs the word success.
func claudeState(o map[string]any) Runtime {
	switch subtype := str(o, "subtype"); {
	case subtype == "error_max_structured_output_retries":
		return RuntimeSchema
	case is(o, "is_error", true),
		subtype == "error_max_turns", subtype == "error_during_execution", subtype == "error_max_budget_usd":
		return RuntimeFailed
	case is(o, "is_error", false) && subtype == "success":
		return ""
	}
	return RuntimeNoOutput // it does not say that the session ended well
}

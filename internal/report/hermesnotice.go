package report

import "strings"

// notices takes a text that begins with the notice by which Hermes tells that a delegated task failed: one line,
//
//	⚠️ Subagent failed|timed out[ — "goal"][: error][ (after Ns)]
//
// What follows the notices of the first lines is what the agent said. It reports whether there is one.
func (u *unwrapped) notices(text string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n")
	n := 0
	for rest != "" {
		end, next := lineEnd([]byte(rest[:min(len(rest), maxNotice)]), 0)
		line := strings.TrimSpace(rest[:end])
		state, is := notice(line)
		if !is {
			break
		}
		n++
		u.runtime = worse(u.runtime, state)
		u.say("", line)
		rest = strings.TrimLeft(rest[next:], " \t\r\n")
	}
	if n > 0 && rest != "" {
		u.answer("after the notice", rest)
	}
	return n > 0
}

// maxNotice is over the longest line that is a notice, in bytes: 60 characters of a goal and 200 of an error.
const maxNotice = 2 << 10

// notice reads one line as a notice and gives what the runtime says by it: a time that ran out is no proof that the
// worker ended.
func notice(line string) (Runtime, bool) {
	rest, ok := strings.CutPrefix(line, "\u26a0")
	if !ok {
		return "", false
	}
	if rest, ok = strings.CutPrefix(strings.TrimPrefix(rest, "\ufe0f"), " Subagent "); !ok {
		return "", false
	}
	state := RuntimeFailed
	if after, ok := strings.CutPrefix(rest, "failed"); ok {
		rest = after
	} else if rest, ok = strings.CutPrefix(rest, "timed out"); ok {
		state = RuntimeNoOutput
	} else {
		return "", false
	}
	rest = withoutDuration(rest)
	if goal, ok := strings.CutPrefix(rest, " — \""); ok {
		// A goal may hold quotes and colons itself, so only its last quote closes it where no error follows.
		return state, strings.HasSuffix(goal, `"`) || strings.Contains(goal, `": `)
	}
	return state, rest == "" || strings.HasPrefix(rest, ": ") && len(rest) > 2
}

// withoutDuration cuts " (after Ns)" from the end.
func withoutDuration(s string) string {
	head, ok := strings.CutSuffix(s, "s)")
	if !ok {
		return s
	}
	digits := len(head) - len(strings.TrimRight(head, "0123456789"))
	if before, ok := strings.CutSuffix(head[:len(head)-digits], " (after "); ok && digits > 0 {
		return before
	}
	return s
}

// handsBack says whether an answer is nothing but a process id, a handle or an admission: something was begun, and
// nothing delivered.
func handsBack(answer string) bool {
	s := strings.TrimSpace(answer)
	if strings.HasPrefix(s, "{") {
		o, d := decodeObject([]byte(s), 0)
		d.only()
		return d.fault == nil && isHandle(o)
	}
	if len(s) > maxHandle {
		return false
	}
	if id, ok := strings.CutPrefix(s, "deleg_"); ok {
		return id != "" && strings.Trim(id, "0123456789abcdef-") == ""
	}
	for _, word := range []string{"PID", "pid"} {
		s = strings.TrimLeft(strings.TrimPrefix(s, word), ":= ")
	}
	return s != "" && strings.Trim(s, "0123456789") == ""
}

const maxHandle = 64 // bytes

// isHandle says whether an object holds nothing but the name of something that was begun, and that it was.
func isHandle(o map[string]any) bool {
	begun := false
	for name, v := range o {
		switch name {
		case "pid", "process_id", "process", "session_id", "delegation_id", "job_id", "handle":
			begun = true
		case "status", "state":
			switch v {
			case "accepted", "queued", "pending", "scheduled", "started", "dispatched", "running":
				begun = true
			}
		case "accepted", "queued", "started", "admitted":
			begun = begun || is(o, name, true)
		case "ok", "success", "type", "command", "message", "note", "units", "started_at":
		default:
			return false
		}
	}
	return begun
}

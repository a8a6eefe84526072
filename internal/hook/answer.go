package hook

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Reply is what the process of the hook says and ends with.
type Reply struct {
	Stdout, Stderr string
	Code           int
}

// blockCode is the exit code by which a command hook of Claude Code and Codex holds an agent back. Every other code but 0 is
// an error of the hook to them, after which the agent goes on as if there were no hook.
const blockCode = 2

// Hold holds the agent back with a text that it reads.
func Hold(rt Runtime, feedback string) Reply {
	feedback = strings.TrimRight(feedback, "\n") + "\n"
	switch rt {
	case Copilot: // exit code 2 is a warning there: only the object on standard output holds an agent back
		return Reply{Stdout: texts("decision", "block", "reason", feedback), Stderr: feedback}
	case Claude, Codex:
	}
	// Claude Code takes 2 with an empty standard output and words such as "no such file" for a hook that is not there, and lets
	// the agent go. A line on standard output that is no JSON object is read by neither runtime, and is not empty.
	return Reply{Stdout: "gate: held back\n", Stderr: feedback, Code: blockCode}
}

// Note lets the agent go and says something to the person at the runtime, where that has a way to.
func Note(rt Runtime, text string) Reply {
	text = strings.TrimRight(text, "\n")
	r := Reply{Stderr: "gate: " + strings.ReplaceAll(text, "\n", "\ngate: ") + "\n"}
	switch rt {
	case Claude, Codex:
		r.Stdout = texts("systemMessage", "gate: "+text)
	case Copilot:
		r.Stdout = texts("type", "progress", "message", "gate: "+text)
	}
	return r
}

// Quiet lets the agent go with a line for the log.
func Quiet(text string) Reply { return Reply{Stderr: "gate: " + text + "\n"} }

// GiveUp is what is said when the limit is reached.
func GiveUp(m *Memory, feedback string) string {
	return fmt.Sprintf("GAVE UP after holding the agent back %s: it is let go, and the contract is NOT met.\n%s", times(m.Row), strings.TrimRight(feedback, "\n"))
}

// Countdown is feedback with how often the agent was held back.
func Countdown(m *Memory, limit int, feedback string) string {
	return fmt.Sprintf("%s\nHeld back %d of at most %s. Repair what is named, then stop again. If it cannot be repaired, say so in a report: outcome failed or blocked.\n",
		strings.TrimRight(feedback, "\n"), m.Row, times(limit))
}

func times(n int) string {
	if n == 1 {
		return "1 time"
	}
	return fmt.Sprintf("%d times", n)
}

// texts is a JSON object of texts on one line: names and values in turns.
func texts(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		sep := ","
		if i == 0 {
			sep = "{"
		}
		name, err := json.Marshal(pairs[i])
		value, err2 := json.Marshal(pairs[i+1])
		if err != nil || err2 != nil {
			panic("texts can be written")
		}
		fmt.Fprintf(&b, "%s%s:%s", sep, name, value)
	}
	return b.String() + "}\n"
}

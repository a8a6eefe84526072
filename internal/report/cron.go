package report

import "strings"

// openCron takes apart the Markdown record of a scheduled run of Hermes. Only what stands after "## Response" is the
// agent's answer: the prompt before it may hold the very block that the agent was to fill in.
func openCron(d *document) (unwrapped, bool) {
	const head, response, failure, status = "# Cron Job: ", "## Response", "## Error", "**Status:**"
	text := strings.TrimLeft(strings.TrimPrefix(string(d.src), "\ufeff"), " \t\r\n")
	if d.part || d.quoted || !strings.HasPrefix(text, head) {
		return unwrapped{}, false
	}
	var u unwrapped
	failed, header := false, true
	responses, answer, fault, uncertain := 0, "", "", false
	src := []byte(text)
	for b := 0; b < len(src); {
		end, next := lineEnd(src, b)
		line := strings.TrimRight(text[b:end], " \t")
		switch {
		case b == 0:
			failed = strings.HasSuffix(line, " (FAILED)")
		case header && strings.HasPrefix(line, status):
			// Blocked, skipped: no agent ran.
			u.runtime = RuntimeNoOutput
			u.say("", strings.TrimPrefix(line, status))
		case line == response:
			responses++
			uncertain = uncertain || responses > 1 || fault != ""
			answer = text[next:]
		case line == failure:
			fault = text[b:]
		}
		header = header && !strings.HasPrefix(line, "## ")
		b = next
	}
	u.steps = len(src)
	switch {
	case failed, responses == 0 && fault != "":
		u.runtime = worse(u.runtime, RuntimeFailed)
		u.say("", "the record says that the run failed")
		u.say("", firstWords(strings.TrimPrefix(fault, failure)))
	case responses == 0:
		u.runtime = worse(u.runtime, RuntimeNoOutput)
		u.say("", "the record has no response")
	}
	switch {
	case uncertain:
		u.broken("", "the line ## Response stands there twice, or after ## Error: where the answer begins is not certain")
	case responses == 1 && !u.notices(answer):
		u.answer("response", answer)
	}
	return u, true
}

// firstWords is the first line that says something, of a fenced text or a plain one.
func firstWords(s string) string {
	for range 4 {
		line, rest, _ := strings.Cut(s, "\n")
		if line = strings.TrimSpace(line); line != "" && strings.Trim(line, "`") != "" {
			return line
		}
		s = rest
	}
	return ""
}

package runstep

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// Command is one workflow command that the runner found in the log.
type Command struct {
	Stage  Stage
	Name   string // lower case
	Props  map[string]string
	Data   string
	Legacy bool // the ##[command] form
}

// knownCommands are what the runner obeys. A stop-commands token is a command too while it is in force.
func knownCommand(name string) bool {
	switch strings.ToLower(name) {
	case "set-env", "set-output", "save-state", "add-mask", "add-path", "add-matcher", "remove-matcher",
		"debug", "warning", "error", "notice", "group", "endgroup", "echo", "stop-commands":
		return true
	}
	return false
}

// parseCommand finds the command in a line as ActionCommand.cs does: ::name props::data at the start of the
// line behind blanks, or ##[name props]data anywhere in it. The name must be known, or be the token.
func parseCommand(line, token string) (Command, bool) {
	known := func(n string) bool { return knownCommand(n) || token != "" && strings.EqualFold(n, token) }
	if t, ok := strings.CutPrefix(strings.TrimLeft(line, " \t\v\f\r\u0085\u00a0\u2028\u2029\u3000"), "::"); ok {
		if info, data, ended := strings.Cut(t, "::"); ended {
			name, props, _ := strings.Cut(info, " ")
			if known(name) {
				return Command{Name: strings.ToLower(name), Props: properties(props, ",", unescapeProperty), Data: unescapeData(data)}, true
			}
		}
	}
	if _, t, ok := strings.Cut(line, "##["); ok {
		if info, data, ended := strings.Cut(t, "]"); ended {
			name, props, _ := strings.Cut(info, " ")
			if known(name) {
				return Command{Name: strings.ToLower(name), Props: properties(props, ";", unescapeLegacy), Data: unescapeLegacy(data), Legacy: true}, true
			}
		}
	}
	return Command{}, false
}

func properties(text, separator string, unescape func(string) string) map[string]string {
	out := map[string]string{}
	for kv := range strings.SplitSeq(strings.TrimSpace(text), separator) {
		if k, v, ok := strings.Cut(kv, "="); ok && k != "" {
			out[strings.TrimSpace(k)] = unescape(v)
		}
	}
	return out
}

func unescapeData(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(s)
}

func unescapeProperty(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(s)
}

func unescapeLegacy(s string) string {
	return strings.NewReplacer("%3B", ";", "%0D", "\r", "%0A", "\n", "%5D", "]", "%25", "%").Replace(s)
}

// logScanner reads standard output and standard error of one stage as the runner does: both are searched for
// commands, and one token stops both.
type logScanner struct {
	mu    sync.Mutex
	stage Stage
	into  *Result
	token string // in force since a stop-commands; empty: commands are obeyed
}

// read scans one stream to its end.
func (s *logScanner) read(r io.Reader) {
	b := bufio.NewReader(r)
	for {
		line, err := b.ReadString('\n')
		if line != "" {
			s.line(strings.TrimRight(line, "\r\n"))
		}
		if err != nil {
			return
		}
	}
}

func (s *logScanner) line(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.into.Lines = append(s.into.Lines, Line{s.stage, line})
	c, ok := parseCommand(line, s.token)
	if !ok {
		return
	}
	c.Stage = s.stage
	if s.token != "" {
		if strings.EqualFold(c.Name, s.token) {
			s.token = ""
		}
		return
	}
	s.into.Commands = append(s.into.Commands, c)
	switch c.Name {
	case "stop-commands":
		if c.Data == "" || knownCommand(c.Data) || strings.EqualFold(c.Data, "pause-logging") {
			s.into.fail("stop-commands with the token %q", c.Data)
			return
		}
		s.token = c.Data
	case "set-output": // deprecated, and still obeyed
		s.into.Outputs[c.Props["name"]] = c.Data
	case "save-state":
		s.into.State[c.Props["name"]] = c.Data
	case "set-env", "add-path":
		s.into.fail("the `%s` command is disabled", c.Name)
	}
}

// FindCommand finds the command in one line as the runner does where no stop-commands is in force.
func FindCommand(line string) (Command, bool) { return parseCommand(line, "") }

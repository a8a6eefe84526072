package evidence

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	// defaultCommandTimeout and maxCommandTimeout bound a command that is run now.
	defaultCommandTimeout = 5 * time.Minute
	maxCommandTimeout     = time.Hour
	// maxOutputBytes is how much of a command's output the facts keep: its last lines say what went wrong.
	maxOutputBytes = 4 << 10
)

const commandSchema = `{
  "type": "object",
  "description": "A command that local checks and hooks run now. In the action it is not run: record it in a step and judge that.",
  "properties": {
    "run": {"type": "array", "minItems": 1, "maxItems": 100,
      "items": {"type": "string", "maxLength": 4096, "pattern": "^[^\\x00]*$"},
      "description": "The program and its arguments, each an item; no shell reads them."},
    "timeout": {"type": "string", "pattern": "^[1-9][0-9]{0,4}(s|m|h)$", "x-form": "a duration such as 90s, 5m or 1h", "default": "5m",
      "description": "How long it may take, at most 1h; past it nothing is proved."}
  },
  "required": ["run"],
  "additionalProperties": false,
  "examples": [{"run": ["npm", "run", "docs:check"], "timeout": "5m"}, {"run": ["make", "lint"]}]
}`

type commandParams struct {
	Run     []string `json:"run"`
	Timeout string   `json:"timeout,omitempty"`
}

type commandFacts struct {
	Here     bool   `json:"here"` // commands are run here at all
	Ran      bool   `json:"ran"`
	ExitCode int    `json:"exit_code"`
	TimedOut bool   `json:"timed_out"`
	Reason   string `json:"reason,omitempty"`
	Output   string `json:"output,omitempty"`
}

func commandKind() Kind {
	return Kind{
		Name: "command", Version: "1", Schema: commandSchema, Deterministic: true,
		Doc:     "A command of the contract, run now by local checks and hooks, exits with 0.",
		Observe: observeCommand,
		Judge:   judging(judgeCommand),
	}
}

// Command gives what a command validator's parameters ask to run: the program with its arguments, and how long
// it may take.
func Command(params json.RawMessage) (argv []string, timeout time.Duration, err error) {
	var p commandParams
	if err := decodeStrict(params, &p); err != nil {
		return nil, 0, fmt.Errorf("read command parameters: %w", err)
	}
	if len(p.Run) == 0 || p.Run[0] == "" {
		return nil, 0, fmt.Errorf("read command parameters: no program")
	}
	timeout = defaultCommandTimeout
	if p.Timeout != "" {
		if timeout, err = time.ParseDuration(p.Timeout); err != nil {
			return nil, 0, fmt.Errorf("read command parameters: %w", err)
		}
	}
	if timeout <= 0 || timeout > maxCommandTimeout {
		return nil, 0, fmt.Errorf("read command parameters: timeout %s is not between 1s and %s", timeout, maxCommandTimeout)
	}
	return p.Run, timeout, nil
}

func observeCommand(params json.RawMessage, in Input) json.RawMessage {
	r, ok := in.Commands[string(params)]
	f := commandFacts{Here: ok}
	if ok {
		f.Ran, f.ExitCode, f.TimedOut = r.Ran, r.ExitCode, r.TimedOut
		f.Reason = clip(r.Reason, maxNameBytes)
		if !f.Ran && f.Reason == "" {
			f.Reason = "the reason is not known"
		}
		out := r.Output
		if len(out) > maxOutputBytes {
			out = out[len(out)-maxOutputBytes:]
		}
		f.Output = clip(out, maxOutputBytes)
	}
	return encodeFacts(f)
}

func judgeCommand(p *commandParams, f *commandFacts) Finding {
	name := ""
	if len(p.Run) > 0 {
		name = clip(p.Run[0], 100)
	}
	switch why := f.unusable(); {
	case why != "":
		return find(Unverified, CodeInputFacts, "%s", why)
	case !f.Here:
		return find(Unverified, CodeCommandNotHere, "%s is not run here: record it in a step and judge that by step or exit_code", name)
	case f.TimedOut:
		return find(Unverified, CodeExitTimedOut, "%s did not end in time", name)
	case !f.Ran:
		return find(Unverified, CodeCommandNotRun, "%s could not be run%s", name, because(f.Reason))
	}
	m := commandExit(f.ExitCode, p.Run)
	return find(m.State, m.Code, "%s: %s", name, m.Meaning)
}

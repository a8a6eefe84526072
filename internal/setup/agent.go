package setup

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/prompt"
)

// Where agents' runtimes read hooks and instructions, slash separated and relative to the repository's top folder.
const (
	claudeSettings = ".claude/settings.json"
	codexHooks     = ".codex/hooks.json"
	copilotHooks   = ".github/hooks/outcome-gate.json"
	claudeFile     = "CLAUDE.md"
	copilotFile    = ".github/copilot-instructions.md"
)

// hook is how a runtime is told of the completion hook.
type hook struct {
	agent  string
	file   string
	fresh  string // the file where there is none yet, but for its hooks
	event  string // the member of hooks that holds the list
	entry  string // what is added to that list, a tab for each level of indentation
	block  string // the file of instructions that the runtime reads
	target prompt.Target
	notes  []string
}

// hookTimeout is how long runtimes let the hook run, in seconds. They let an agent go when it is over, so it is longer
// than what the hook allows itself.
const hookTimeout = "600"

// hookOf is the hook of an agent's runtime; nil if the agent is none that has one.
func hookOf(agent string) *hook {
	list := func(command string) string {
		return "{\n\t\"hooks\": [\n\t\t{\n\t\t\t\"type\": \"command\",\n\t\t\t\"command\": " + command + ",\n\t\t\t\"timeout\": " + hookTimeout + "\n\t\t}\n\t]\n}"
	}
	const onPath = "The hook runs `gate` from the PATH. Where it is not found, or takes too long, the runtime lets the agent go."
	switch agent {
	case "claude":
		return &hook{
			agent: agent, file: claudeSettings, fresh: "{\n}\n", event: "Stop", block: claudeFile, target: prompt.Claude,
			entry: list(`"gate hook claude --workspace \"$CLAUDE_PROJECT_DIR\""`), notes: []string{onPath},
		}
	case "codex":
		return &hook{
			agent: agent, file: codexHooks, fresh: "{\n}\n", event: "Stop", block: AgentsPath, target: prompt.Agents, entry: list(`"gate hook codex"`),
			notes: []string{onPath, "Codex runs the hook only in a project that is trusted, and once a person has looked at it with /hooks."},
		}
	case "copilot":
		return &hook{
			agent: agent, file: copilotHooks, fresh: "{\n  \"version\": 1\n}\n", event: "agentStop", block: copilotFile, target: prompt.Copilot,
			entry: "{\n\t\"type\": \"command\",\n\t\"bash\": \"gate hook copilot\",\n\t\"powershell\": \"gate hook copilot\",\n\t\"timeoutSec\": " + hookTimeout + "\n}",
			notes: []string{onPath, "Copilot's cloud agent reads the hook from the branch that it works on, and has `gate` only if .github/workflows/copilot-setup-steps.yml installs it."},
		}
	}
	return nil
}

// HookAgents are the agents whose runtimes have a completion hook.
func HookAgents() []string { return []string{"claude", "codex", "copilot"} }

// HiddenFiles are the files that a plan may change in folders that are not looked at otherwise.
func HiddenFiles() []string { return []string{claudeSettings, codexHooks, copilotHooks} }

// ExistingContract is the path of the contract that a repository has; "" if there is none.
func ExistingContract(facts *Facts) string {
	for _, p := range contract.DefaultPaths() {
		if slices.Contains(facts.Paths, p) || facts.Unread[p] != "" {
			return p
		}
	}
	return ""
}

// addAgent plans only what an agent's runtime reads, by the contract that is there.
func addAgent(facts *Facts, opts *Options) (*Plan, error) {
	name := ExistingContract(facts)
	if opts.Isolated {
		return nil, &Refusal{Reason: "there is a contract already: " + name, Hint: "leave --isolated out, or leave --agent out"}
	}
	if why := facts.Unread[name]; why != "" {
		return nil, &Refusal{Reason: fmt.Sprintf("read %s: it is %s", name, why), Hint: "put a regular file there"}
	}
	p := &Plan{Suites: []Suite{}}
	if err := p.instruct(facts, opts, name, facts.Files[name], hookOf(opts.Agent)); err != nil {
		return nil, err
	}
	err := p.addHook(facts, hookOf(opts.Agent))
	return p, err
}

// instruct plans the blocks of instructions for a contract: in AGENTS.md, unless only one agent's files are planned, and
// in the file that the agent's runtime reads.
func (p *Plan) instruct(facts *Facts, opts *Options, name string, data []byte, h *hook) error {
	if opts.NoAgents {
		return nil
	}
	c, problems := contract.Parse(name, data, opts.Kinds)
	if mistakes := problems.Mistakes(); c == nil || len(mistakes) > 0 {
		return &Refusal{Reason: "the contract is not valid: " + mistakes.Error(), Hint: "run: gate contract lint " + name}
	}
	o := prompt.Options{Path: name, Contract: c}
	if s := c.Report.Schema; s != "" {
		if o.Schema = facts.Files[s]; o.Schema == nil {
			return &Refusal{Reason: "read " + s + ", which the contract names as the schema of reports: there is no such file", Hint: "write it, or leave the instructions alone with --no-agents"}
		}
	}
	files := []string{AgentsPath}
	if h != nil && len(p.Files) == 0 {
		files = nil
	}
	if h != nil && !slices.Contains(files, h.block) {
		place := p.readBy(facts, h)
		if !slices.Contains(files, place) {
			files = append(files, place)
		}
	}
	for _, f := range files {
		if err := writable(facts, f); err != nil {
			return err
		}
		o.Target = prompt.TargetOf(f)
		after, err := withBlock(f, facts.Files[f], prompt.Text(o))
		if err != nil {
			return err
		}
		p.Files = append(p.Files, File{Path: f, Before: facts.Files[f], After: after})
	}
	return nil
}

// readBy is the file that takes the block for a runtime: its own, or AGENTS.md where its own only leads there.
func (p *Plan) readBy(facts *Facts, h *hook) string {
	if h.block != claudeFile {
		return h.block
	}
	if facts.Unread[claudeFile] == symlink {
		p.Notes = append(p.Notes, claudeFile+" is a symbolic link and stays as it is: the block is in "+AgentsPath+".")
		return AgentsPath
	}
	for l := range strings.Lines(string(facts.Files[claudeFile])) {
		if strings.TrimSpace(l) == "@"+AgentsPath {
			return AgentsPath
		}
	}
	return claudeFile
}

// symlink is how facts call a symbolic link.
const symlink = "a symbolic link"

// withBlock is a file of instructions with the block in it.
func withBlock(name string, before []byte, block string) ([]byte, error) {
	after, err := prompt.Splice(name, before, block)
	var r *prompt.Refusal
	if errors.As(err, &r) {
		return nil, &Refusal{Reason: r.Reason, Hint: r.Hint}
	}
	return after, err
}

// addHook plans the file that tells a runtime of the hook: everything that is in it stays, byte for byte.
func (p *Plan) addHook(facts *Facts, h *hook) error {
	if err := writable(facts, h.file); err != nil {
		return err
	}
	before := facts.Files[h.file]
	data := before
	if len(strings.TrimSpace(string(before))) == 0 {
		data = []byte(h.fresh)
	}
	after, err := merged(data, h)
	if err != nil {
		return &Refusal{Reason: fmt.Sprintf("read %s: %v", h.file, err), Hint: "correct it by hand, or add the hook by hand: docs/agents.md"}
	}
	if after == nil {
		after = before
	}
	p.Files = append(p.Files, File{Path: h.file, Before: before, After: after})
	p.Notes = append(p.Notes, h.notes...)
	return nil
}

// merged is a file of settings with the hook; nil if it has it already.
func merged(data []byte, h *hook) ([]byte, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	if root.kind != '{' {
		return nil, errors.New("it is no JSON object")
	}
	hooks := root.members["hooks"]
	if hooks == nil {
		return insertInto(data, root, 0, "\"hooks\": {\n\t\""+h.event+"\": [\n\t\t"+strings.ReplaceAll(h.entry, "\n", "\n\t\t")+"\n\t]\n}"), nil
	}
	if hooks.kind != '{' {
		return nil, errors.New("its member hooks is no JSON object")
	}
	list := hooks.members[h.event]
	switch {
	case list == nil:
		return insertInto(data, hooks, 1, "\""+h.event+"\": [\n\t"+strings.ReplaceAll(h.entry, "\n", "\n\t")+"\n]"), nil
	case list.kind != '[':
		return nil, fmt.Errorf("its member hooks.%s is no list", h.event)
	case list.holds(h.own):
		return nil, nil
	}
	return insertInto(data, list, 2, h.entry), nil
}

// own says whether a command runs the hook already, in whatever folder the program lies and with whatever flags.
func (h *hook) own(command string) bool {
	words := strings.Fields(command)
	for i := range len(words) - 2 {
		program := path.Base(strings.ReplaceAll(strings.Trim(words[i], `"'`), `\`, "/"))
		if (program == "gate" || program == "gate.exe") && words[i+1] == "hook" && words[i+2] == h.agent {
			return true
		}
	}
	return false
}

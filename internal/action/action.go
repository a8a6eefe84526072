// Package action speaks the runner's protocol: inputs, context, event, outputs, state, summary, log.
//
// It decides nothing. It trusts the runner's own variables and files, and nothing else of the environment:
// earlier steps of the job can set any other variable through the runner's environment file, so the variables
// that would change how this process trusts its peers are cleared first. Text from the change never reaches
// the log, an output or the summary raw.
package action

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sethvargo/go-githubactions"
)

// planted lists the variables that earlier steps could plant to change certificates, proxies, resolvers or
// the Go runtime of this process. A name that ends in * stands for every name with that beginning.
func planted() []string {
	return []string{
		"SSL_CERT_FILE", "SSL_CERT_DIR", "GODEBUG", "GOTRACEBACK", "GOFIPS140", "GOGC", "GOMEMLIMIT", "GOMAXPROCS",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"RES_OPTIONS", "LOCALDOMAIN", "HOSTALIASES", "NETRC", "GATE_*",
	}
}

// Scrub clears what earlier steps could have planted and returns the names that were set, in order. It is
// called before anything else of a stage.
func Scrub() []string {
	var found []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		for _, p := range planted() {
			if beginning, many := strings.CutSuffix(p, "*"); name == p || many && strings.HasPrefix(name, beginning) {
				_ = os.Unsetenv(name) // fails only for names that cannot be set either
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found
}

// Ignored says in the log which variables were cleared.
func (r *Runner) Ignored(planted []string) {
	if len(planted) > 0 {
		r.Print([]string{"gate: variables that earlier steps could have set are ignored: " + strings.Join(planted, ", ")})
	}
}

// Runner is the runner as this step sees it.
type Runner struct {
	gh     *githubactions.Action
	getenv func(string) string
	log    io.Writer
}

// New gives the runner over an environment and the step's log.
func New(getenv func(string) string, log io.Writer) *Runner {
	// The library would read the event payload, which lies in a file that earlier steps can write, whatever its
	// size, or wait for ever where they put a pipe in its place. Nothing that decides is taken from it.
	noPayload := func(name string) string {
		if name == eventPath {
			return ""
		}
		return getenv(name)
	}
	return &Runner{
		gh:     githubactions.New(githubactions.WithGetenv(noPayload), githubactions.WithWriter(log)),
		getenv: getenv, log: log,
	}
}

// eventPath is the runner's variable that names the event payload.
const eventPath = "GITHUB_EVENT_PATH"

// Surface says whether a surface is written: auto writes where the token allows.
type Surface string

// The three settings of a surface.
const (
	Auto     Surface = "auto"
	Required Surface = "required"
	Off      Surface = "off"
)

// Inputs are the action's inputs, parsed. Their names are those of action.yml.
type Inputs struct {
	Contract   string
	Token      string
	Steps      []byte // the steps context as JSON; nil when it was not given
	Needs      []byte
	Report     string
	ReportFile string
	AgentExit  *int
	PRNumber   int // 0: not given
	// EvidenceWorkflow is the path of the workflow file whose runs make the evidence; empty: the gate's own run does.
	EvidenceWorkflow string
	RunID            int64 // of the run that started this one by workflow_run; 0: none
	RunStartedAt     string
	CheckName        string
	CheckRun         Surface
	Status           Surface
	Comment          Surface
	TaskID           string
	DispatchID       string
	CAFile           string
	HMACKey          []byte
	ReceiptPath      string
	WaitExitZero     bool
}

// InputError is an input whose value cannot be used.
type InputError struct{ Name, Problem string }

// Error names the input and what is wrong with it.
func (e *InputError) Error() string { return fmt.Sprintf("input %s: %s", e.Name, e.Problem) }

// Both are far above what GitHub counts to, and below what JSON keeps exactly.
const (
	maxPRNumber = 1 << 40
	maxRunID    = 1 << 52
)

// Inputs reads and checks every input. All mistakes are reported, joined.
func (r *Runner) Inputs() (*Inputs, error) {
	in := &Inputs{
		Contract: r.gh.GetInput("contract"), Token: r.gh.GetInput("token"),
		Report: r.gh.GetInput("report"), ReportFile: r.gh.GetInput("report-file"),
		RunStartedAt: r.gh.GetInput("run-started-at"), CheckName: r.gh.GetInput("check-name"),
		TaskID: r.gh.GetInput("task-id"), DispatchID: r.gh.GetInput("dispatch-id"),
		CAFile: r.gh.GetInput("ca-file"), ReceiptPath: r.gh.GetInput("receipt-path"), EvidenceWorkflow: r.gh.GetInput("evidence-workflow"),
	}
	var errs []error
	if in.Contract == "" {
		in.Contract = ".github/outcome-contract.yml"
	}
	if in.CheckName == "" {
		in.CheckName = "Outcome Gate"
	}
	for name, dst := range map[string]*Surface{"check-run": &in.CheckRun, "status": &in.Status, "comment": &in.Comment} {
		var err error
		if *dst, err = surface(name, r.gh.GetInput(name)); err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, r.numbers(in)...)
	for name, dst := range map[string]*[]byte{"steps": &in.Steps, "needs": &in.Needs} {
		if v := r.gh.GetInput(name); v != "" {
			*dst = []byte(v)
		}
	}
	if key := r.gh.GetInput("hmac-key"); key != "" {
		in.HMACKey = []byte(key)
		r.gh.AddMask(key)
	}
	if in.Token != "" {
		r.gh.AddMask(in.Token)
	}
	if in.WaitExitZero && in.Status == Off {
		errs = append(errs, &InputError{"wait-exit-zero", "it needs the commit status, which is off: a wait would look like a pass"})
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return in, errors.Join(errs...)
}

// numbers parses the inputs that are not text.
func (r *Runner) numbers(in *Inputs) []error {
	var errs []error
	if v := r.gh.GetInput("agent-exit-status"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > 255 {
			errs = append(errs, &InputError{"agent-exit-status", "a whole number from 0 to 255 is needed"})
		} else {
			in.AgentExit = &n
		}
	}
	if v := r.gh.GetInput("pr-number"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxPRNumber {
			errs = append(errs, &InputError{"pr-number", "the number of a pull request is needed"})
		}
		in.PRNumber = n
	}
	if v := r.gh.GetInput("run-id"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 || n > maxRunID {
			errs = append(errs, &InputError{"run-id", "the id of a workflow run is needed"})
		}
		in.RunID = n
	}
	if dir, file := path.Split(in.EvidenceWorkflow); in.EvidenceWorkflow != "" && (dir != ".github/workflows/" || !slices.Contains([]string{".yml", ".yaml"}, path.Ext(file)) || path.Clean(in.EvidenceWorkflow) != in.EvidenceWorkflow) {
		errs = append(errs, &InputError{"evidence-workflow", "the path of a workflow file is needed, such as .github/workflows/tests.yml"})
	}
	switch v := r.gh.GetInput("wait-exit-zero"); v {
	case "", "false":
	case "true":
		in.WaitExitZero = true
	default:
		errs = append(errs, &InputError{"wait-exit-zero", "true or false is needed"})
	}
	return errs
}

func surface(name, v string) (Surface, error) {
	switch s := Surface(v); s {
	case "":
		return Auto, nil
	case Auto, Required, Off:
		return s, nil
	}
	return Off, &InputError{name, "auto, required or off is needed"}
}

// Context is what the runner says of this run. Every member comes from a variable that the runner itself sets
// and no workflow can override.
type Context struct {
	Repository string // owner/name
	EventName  string
	SHA        string
	Ref        string
	RunID      int64
	RunAttempt int
	Job        string
	Workflow   string
	RunnerName string
	APIURL     string
	ServerURL  string
	Workspace  string
	Temp       string
	EventPath  string // of the payload, which earlier steps can write: only what may be a hint is taken from it
}

// Context reads the runner's own variables.
func (r *Runner) Context() (*Context, error) {
	c, err := r.gh.Context()
	if err != nil {
		return nil, fmt.Errorf("read the runner's context: %w", err)
	}
	out := &Context{
		Repository: c.Repository, EventName: c.EventName, SHA: c.SHA, Ref: c.Ref, RunID: c.RunID, RunAttempt: int(c.RunAttempt),
		Job: c.Job, Workflow: c.Workflow, APIURL: c.APIURL, ServerURL: c.ServerURL, Workspace: c.Workspace,
		RunnerName: r.getenv("RUNNER_NAME"), Temp: r.getenv("RUNNER_TEMP"), EventPath: r.getenv(eventPath),
	}
	if out.Repository == "" || strings.Count(out.Repository, "/") != 1 {
		return nil, errors.New("read the runner's context: GITHUB_REPOSITORY is not owner/name: this command runs as a step of a workflow")
	}
	return out, nil
}

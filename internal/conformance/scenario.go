package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/mail"
	"os"
	"path/filepath"
	"time"
)

// Scenario is one situation with its right answer, as its directory says.
type Scenario struct {
	Name string // of the directory
	Dir  string

	Intent   *Intent // the contract on the base branch, in words; nil if the directory holds a contract instead
	Head     *Intent // the change's own version, if it has one
	Contract []byte  // contract.yml, used instead of Intent
	HeadText []byte  // contract.head.yml, used instead of Head

	Pull     Pull
	Run      Run
	Files    Files
	Links    map[string]string // path of a symbolic link to its target
	Expected Expected
}

// Pull is pr.json: the pull request as the service shows it.
type Pull struct {
	Number        int       `json:"number"`
	Title         string    `json:"title"`
	Draft         bool      `json:"draft"`
	Author        string    `json:"author"`
	AuthorLogin   string    `json:"author_login"`
	AuthorType    string    `json:"author_type"`
	Branch        string    `json:"branch"`
	HeadSHA       string    `json:"head_sha"`
	HeadAtEvent   string    `json:"head_sha_at_event"` // the head when the run began, where it moved since
	BaseSHA       string    `json:"base_sha"`
	BaseRef       string    `json:"base_ref"`
	DefaultBranch string    `json:"default_branch"` // "": main
	HeadRepo      string    `json:"head_repo"`
	BaseRepo      string    `json:"base_repo"`
	Labels        []Label   `json:"labels"`
	Body          string    `json:"body"`
	Commits       []Commit  `json:"commits"`
	Comments      []Comment `json:"comments"`
	Reviews       []Review  `json:"reviews"`
	Changed       []Changed `json:"files"`
	// AlsoOpen are other open pull requests; one with this head and another base shares the head.
	AlsoOpen []OtherPull `json:"also_open"`
}

// Label is a label's name; the service's longer form is read too.
type Label string

// UnmarshalJSON takes a name, or an object with one.
func (l *Label) UnmarshalJSON(data []byte) error {
	var long struct {
		Name string `json:"name"`
	}
	if len(data) > 0 && data[0] == '{' {
		if err := json.Unmarshal(data, &long); err != nil {
			return err
		}
		*l = Label(long.Name)
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}

// Commit is one commit of a pull request. Trailers are "Key: value" lines.
type Commit struct {
	SHA       string   `json:"sha"`
	Message   string   `json:"message"`
	Trailers  []string `json:"trailers"`
	Author    Person   `json:"author"`
	Committer Person   `json:"committer"`
}

// Person is who made a commit: what the commit says, and the account that the service knows for it.
type Person struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	Login string `json:"login"`
	Type  string `json:"type"`
}

// UnmarshalJSON takes an object, or a login or "Name <address>" as one text.
func (p *Person) UnmarshalJSON(data []byte) error {
	type plain Person
	if len(data) == 0 || data[0] != '"' {
		return json.Unmarshal(data, (*plain)(p))
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if who, err := mail.ParseAddress(text); err == nil {
		p.Name, p.Email = who.Name, who.Address
		return nil
	}
	p.Login = text
	return nil
}

// Account is a user of the service.
type Account struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

// Comment is one comment on the pull request.
type Comment struct {
	ID        int64   `json:"id"`
	User      Account `json:"user"`
	Body      string  `json:"body"`
	CreatedAt string  `json:"created_at"`
	UpdatedAt string  `json:"updated_at"`
}

// Review is one review of the pull request.
type Review struct {
	User        Account `json:"user"`
	State       string  `json:"state"`
	CommitID    string  `json:"commit_id"`
	Permission  string  `json:"permission"`         // of the reviewer: read, write, maintain or admin
	Association string  `json:"author_association"` // used where no permission is given
	SubmittedAt string  `json:"submitted_at"`
}

// Changed is one file of the change.
type Changed struct {
	Name     string `json:"filename"`
	Previous string `json:"previous_filename"`
	Status   string `json:"status"`
}

// OtherPull is another open pull request.
type OtherPull struct {
	HeadSHA string `json:"head_sha"`
	BaseRef string `json:"base_ref"`
}

// Run is steps.json: the workflow run and its contexts.
type Run struct {
	Workflow  Workflow         `json:"workflow"`
	AgentExit *Status          `json:"agent_exit_status"`
	Steps     map[string]*Step `json:"steps"`
	Needs     map[string]Need  `json:"needs"`
	Only      []string         `json:"only"` // outcomes that were asked for; none: all
	Checks    []Check          `json:"checks"`
	// Addresses are what answers at the addresses of the contract; nothing answers at others.
	Addresses map[string]Served `json:"addresses"`
	// Teams are the members of the teams that the token may look into, by slug; others are not known.
	Teams map[string][]string `json:"teams"`
	// Uploads are what the jobs of the run uploaded, the newest of each name.
	Uploads []Uploaded `json:"uploads"`
}

// Uploaded is one upload, as internal/remote says it.
type Uploaded struct {
	Name      string            `json:"name"`
	Code      string            `json:"code"` // why it does not count, if it does not
	CreatedAt time.Time         `json:"created_at"`
	JobStart  time.Time         `json:"job_started_at"` // of the newest attempt of its job
	Files     map[string]string `json:"files"`
}

// Served is the answer of one address.
type Served struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

// Status is an observed exit status. What is no number is a bad observation, not a mistake of the scenario.
type Status int

// badStatus stands for an observation that no process can have.
const badStatus Status = -1

// UnmarshalJSON takes any value.
func (e *Status) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*int)(e)); err != nil {
		*e = badStatus
	}
	return nil
}

// Workflow names the run.
type Workflow struct {
	Event      string    `json:"event"`
	RunID      int64     `json:"run_id"`
	RunAttempt int       `json:"run_attempt"`
	HeadSHA    string    `json:"head_sha"`
	MergeSHA   string    `json:"merge_sha"`
	StartedAt  time.Time `json:"run_started_at"`
	// Apart says that this run only made the evidence, and that the gate is one of its own behind it.
	Apart bool `json:"apart"`
}

// Step is one entry of the steps context. A pointer to nil is a step that the context does not know.
type Step struct {
	Outcome    string `json:"outcome"`
	Conclusion string `json:"conclusion"`
	// FinishedAt is when it ended, in seconds from the run's start. The steps context does not tell it.
	FinishedAt *float64 `json:"finished_at_s"`
	// ExitCode is the exit status of its command. The steps context does not tell it either: see recordPath.
	ExitCode *int `json:"exit_code"`
}

// Need is one entry of the needs context.
type Need struct {
	Result string `json:"result"`
}

// Check is one check run at any commit.
type Check struct {
	Name       string    `json:"name"`
	App        string    `json:"app"`
	Status     string    `json:"status"`
	Conclusion *string   `json:"conclusion"`
	HeadSHA    string    `json:"head_sha"`
	RunAttempt int       `json:"run_attempt"`
	StartedAt  time.Time `json:"started_at"`
	ID         int64     `json:"id"`
}

// Files is mtimes.json: when each file was written and what git knows of it.
type Files struct {
	RunStartedAt time.Time       `json:"run_started_at"`
	NowOffset    float64         `json:"gate_now_offset_s"` // seconds
	Files        map[string]File `json:"files"`
	Submodules   []string        `json:"submodules"`              // paths that the trees hold as submodules
	FirstSeen    *float64        `json:"first_gate_run_offset_s"` // of this commit; nil: this run is the first
}

// File is one file of the workspace.
type File struct {
	Type   string   `json:"type"`           // file (also when empty), directory, symlink or fifo
	Offset *float64 `json:"mtime_offset_s"` // seconds from the run's start
	Git    string   `json:"git"`            // tracked, untracked or ignored
	Status string   `json:"pr_status"`      // its status in the change, "" if it is not part of it
	Bytes  *int64   `json:"bytes"`
	SHA256 string   `json:"sha256"`
}

// Expected is expected.json: the right answer.
type Expected struct {
	Class            string              `json:"class"`
	Gate             string              `json:"gate"` // pass, block, wait or neutral
	States           map[string]string   `json:"states"`
	AcceptableGate   []string            `json:"acceptable_gate"`
	AcceptableStates map[string][]string `json:"acceptable_states"`
	WrongGate        []string            `json:"wrong_gate"`
	MustNot          []string            `json:"must_not"`
	// The product's own names, where a scenario holds it to them.
	ProductVerdict string            `json:"product_verdict"`
	ProductReason  string            `json:"product_reason"`
	ProductReport  string            `json:"product_report"` // reason of the report's class
	ProductCodes   map[string]string `json:"product_codes"`  // finding code by outcome
	ProductNext    string            `json:"product_next"`
	ProductRetry   *bool             `json:"product_may_retry"`
	ProductWeakens []string          `json:"product_weakens"` // "weaker KEY" or "changed KEY" of a changed contract, all of them
	Threats        []int             `json:"threats"`         // rows of the table of threats that the scenario is about
}

// Load reads a scenario's directory. Members that it does not know are ignored, those of another type refused.
func Load(dir string) (*Scenario, error) {
	s := &Scenario{Name: filepath.Base(dir), Dir: dir}
	for _, part := range []struct {
		name     string
		into     any
		optional bool
	}{
		{name: "intent.json", into: &s.Intent, optional: true},
		{name: "intent.head.json", into: &s.Head, optional: true},
		{name: "pr.json", into: &s.Pull},
		{name: "steps.json", into: &s.Run},
		{name: "mtimes.json", into: &s.Files},
		{name: "links.json", into: &s.Links, optional: true},
		{name: "expected.json", into: &s.Expected},
	} {
		err := readJSON(filepath.Join(dir, part.name), part.into)
		if err != nil && !(part.optional && errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
	}
	for name, into := range map[string]*[]byte{"contract.yml": &s.Contract, "contract.head.yml": &s.HeadText} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read scenario %s: %w", s.Name, err)
		}
		*into = data
	}
	if s.Intent == nil && s.Contract == nil {
		return nil, fmt.Errorf("read scenario %s: neither intent.json nor contract.yml", s.Name)
	}
	if s.Files.RunStartedAt.IsZero() {
		return nil, fmt.Errorf("read scenario %s: mtimes.json names no run_started_at", s.Name)
	}
	if s.Expected.Gate == "" {
		return nil, fmt.Errorf("read scenario %s: expected.json names no gate", s.Name)
	}
	return s, nil
}

func readJSON(name string, into any) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read scenario: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("read scenario %s: %w", name, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("read scenario %s: more than one value", name)
	}
	return nil
}

// Now is the time at which the gate runs.
func (s *Scenario) Now() time.Time { return s.at(s.Files.NowOffset) }

// at is the time that many seconds after the run's start.
func (s *Scenario) at(offset float64) time.Time {
	return s.Files.RunStartedAt.Add(time.Duration(offset * float64(time.Second))).UTC()
}

// Tested is the commit that the run tested: what is judged.
func (s *Scenario) Tested() string {
	for _, sha := range []string{s.Pull.HeadAtEvent, s.Run.Workflow.HeadSHA} {
		if sha != "" {
			return sha
		}
	}
	return s.Pull.HeadSHA
}

// ContractPath is where the contract lies in the repository.
func (s *Scenario) ContractPath() string {
	if s.Intent != nil && s.Intent.Path != "" {
		return s.Intent.Path
	}
	return ".github/outcome-contract.yml"
}

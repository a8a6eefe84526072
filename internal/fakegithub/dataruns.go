package fakegithub

import "time"

// CheckRun is a check run of an app.
type CheckRun struct {
	ID          int64        `json:"id"`
	App         int64        `json:"app"`
	Suite       int64        `json:"suite"`
	Name        string       `json:"name"`
	HeadSHA     string       `json:"head_sha"`
	ExternalID  string       `json:"external_id,omitempty"`
	DetailsURL  string       `json:"details_url,omitempty"`
	Status      string       `json:"status"`               // queued, in_progress, completed
	Conclusion  string       `json:"conclusion,omitempty"` // empty: null
	StartedAt   *time.Time   `json:"started_at,omitempty"`
	CompletedAt *time.Time   `json:"completed_at,omitempty"`
	Title       *string      `json:"title,omitempty"`
	Summary     *string      `json:"summary,omitempty"`
	Text        *string      `json:"text,omitempty"`
	Annotations []Annotation `json:"annotations,omitempty"`
}

// Annotation is one remark of a check run on lines of a file.
type Annotation struct {
	Path        string `json:"path"`
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	StartColumn int    `json:"start_column,omitempty"`
	EndColumn   int    `json:"end_column,omitempty"`
	Level       string `json:"annotation_level"`
	Message     string `json:"message"`
	Title       string `json:"title,omitempty"`
	RawDetails  string `json:"raw_details,omitempty"`
}

// Status is a commit status. The newest of a context counts.
type Status struct {
	ID          int64     `json:"id"`
	SHA         string    `json:"sha"`
	State       string    `json:"state"` // error, failure, pending, success
	Context     string    `json:"context"`
	Description *string   `json:"description"`
	TargetURL   *string   `json:"target_url"`
	Creator     User      `json:"creator"`
	CreatedAt   time.Time `json:"created_at"`
}

// Run is a workflow run with all its attempts, first one first.
type Run struct {
	ID             int64       `json:"id"`
	Workflow       string      `json:"workflow"`
	WorkflowID     int64       `json:"workflow_id"`
	Path           string      `json:"path"` // of the workflow file
	Event          string      `json:"event"`
	HeadSHA        string      `json:"head_sha"`
	HeadBranch     string      `json:"head_branch"`
	HeadRepository string      `json:"head_repository,omitempty"` // empty: the same
	Suite          int64       `json:"suite,omitempty"`           // 0: the run's id
	CreatedAt      time.Time   `json:"created_at"`
	Attempts       []*Attempt  `json:"attempts"`
	Artifacts      []*Artifact `json:"artifacts,omitempty"`
	Approvals      []*Approval `json:"approvals,omitempty"`
	Pending        []*Pending  `json:"pending_deployments,omitempty"`
}

// Attempt is one attempt of a run.
type Attempt struct {
	StartedAt  time.Time `json:"run_started_at"`
	UpdatedAt  time.Time `json:"updated_at"`
	Status     string    `json:"status"`
	Conclusion string    `json:"conclusion,omitempty"`
	Jobs       []*Job    `json:"jobs,omitempty"`
}

// Job is one job of an attempt. It shows as a check run of GitHub Actions with the job's id.
type Job struct {
	ID          int64      `json:"id"`
	Name        string     `json:"name"`
	Status      string     `json:"status"`
	Conclusion  string     `json:"conclusion,omitempty"`
	CreatedAt   time.Time  `json:"created_at"`
	StartedAt   time.Time  `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
	RunnerID    int64      `json:"runner_id,omitempty"`
	RunnerName  string     `json:"runner_name,omitempty"`
	Labels      []string   `json:"labels,omitempty"`
	Steps       []Step     `json:"steps,omitempty"`
}

// Step is one step of a job.
type Step struct {
	Name        string     `json:"name"`
	Number      int        `json:"number"`
	Status      string     `json:"status"`
	Conclusion  string     `json:"conclusion,omitempty"`
	StartedAt   *time.Time `json:"started_at,omitempty"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
}

// Artifact is an upload of a run.
type Artifact struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Size      int64     `json:"size_in_bytes"`
	Digest    string    `json:"digest,omitempty"` // sha256:...
	Expired   bool      `json:"expired,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	Zip       []byte    `json:"zip,omitempty"`      // what its download gives
	OfRun     int64     `json:"of_run,omitempty"`   // the run that it says it is of; 0: the run that has it
	HeadSHA   string    `json:"head_sha,omitempty"` // the commit that it says it is of; empty: the run's
}

// Approval is a person's answer to a run that waited for an environment.
type Approval struct {
	User         User     `json:"user"`
	State        string   `json:"state"` // approved, rejected, pending
	Comment      string   `json:"comment,omitempty"`
	Environments []string `json:"environments"`
}

// Environment is where deployments go to, and who lets them through.
type Environment struct {
	Name      string `json:"name"`
	Reviewers []User `json:"reviewers,omitempty"` // one of them has to approve; none: nobody is asked
}

// Pending is an environment that a run waits for.
type Pending struct {
	Environment string `json:"environment"`
	Reviewers   []User `json:"reviewers,omitempty"`
}

package fakegithub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Data is everything that a world holds. It is read from JSON, and shown as JSON.
type Data struct {
	Tokens       map[string]*Token `json:"tokens"`
	Apps         []App             `json:"apps,omitempty"`  // besides GitHub Actions, which is always there
	Users        []User            `json:"users,omitempty"` // besides those who own, wrote or may do something
	Repositories []*Repository     `json:"repositories"`
	Teams        map[string][]User `json:"teams,omitempty"` // members by ORGANIZATION/SLUG
}

// Token is who a request comes from, and what it may do.
type Token struct {
	User User  `json:"user"`
	App  int64 `json:"app,omitempty"` // the app that the token is an installation of; 0: a personal token
	// Permissions is read, write or none by area: contents, checks, statuses, pull_requests, issues, actions, members.
	// Absent: write everywhere, but for members, which a workflow's own token never reads. Naming one area sets all others to none, as in a workflow.
	Permissions map[string]string `json:"permissions,omitempty"`
	ReadOnly    bool              `json:"read_only,omitempty"` // as for a pull request of a fork
	Limit       *Limit            `json:"limit,omitempty"`     // absent: 5000 an hour that never run out
}

// Limit is a primary rate limit. A request at Remaining 0 is refused until Reset.
type Limit struct {
	Limit     int       `json:"limit"`
	Remaining int       `json:"remaining"`
	Reset     time.Time `json:"reset"`
}

// App is a GitHub App.
type App struct {
	ID   int64  `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// User is an account. A user without a login is one that was deleted: null in answers.
type User struct {
	Login string `json:"login"`
	ID    int64  `json:"id,omitempty"`   // 0: made from the login
	Type  string `json:"type,omitempty"` // empty: Bot for NAME[bot], else User
}

// Repository is one repository with all that hangs on it.
type Repository struct {
	FullName      string            `json:"full_name"`
	Private       bool              `json:"private,omitempty"`
	Fork          bool              `json:"fork,omitempty"`
	DefaultBranch string            `json:"default_branch"`
	Commits       []*Commit         `json:"commits,omitempty"`       // applied in this order
	Branches      map[string]string `json:"branches,omitempty"`      // commit name by branch; commits move them
	Collaborators map[string]string `json:"collaborators,omitempty"` // role by login; everyone else reads what is public
	TreeLimit     int               `json:"tree_limit,omitempty"`    // entries of a recursive listing before it is cut; 0: 100000
	Pulls         []*Pull           `json:"pulls,omitempty"`
	Comments      []*Comment        `json:"comments,omitempty"`
	Reviews       []*Review         `json:"reviews,omitempty"`
	CheckRuns     []*CheckRun       `json:"check_runs,omitempty"`
	Statuses      []*Status         `json:"statuses,omitempty"`
	Runs          []*Run            `json:"runs,omitempty"`
	Environments  []*Environment    `json:"environments,omitempty"`

	Rules            map[string][]*Rule         `json:"rules,omitempty"`           // active ones by branch
	RequiredChecks   map[string][]RequiredCheck `json:"required_checks,omitempty"` // of the classic protection, by branch
	WorkflowSettings WorkflowSettings           `json:"workflow_settings,omitzero"`
}

// Rule is one rule of a ruleset. Parameters are as in the API.
type Rule struct {
	Type       string         `json:"type"`
	Parameters map[string]any `json:"parameters,omitempty"`
}

// RequiredCheck is a check that a protected branch asks for.
type RequiredCheck struct {
	Context string `json:"context"`
	App     *int64 `json:"app_id"` // null: any source
}

// WorkflowSettings is what workflows' tokens may do where no workflow says it.
type WorkflowSettings struct {
	Default  string `json:"default,omitempty"` // read or write; empty: read
	Approves bool   `json:"approves,omitempty"`
}

// Commit is a commit to be made: changes to the tree of its parent.
type Commit struct {
	SHA       string          `json:"sha,omitempty"`    // given: the name to answer to, instead of the true one
	Branch    string          `json:"branch,omitempty"` // the branch that moves to it
	From      string          `json:"from,omitempty"`   // parent of a branch's first commit: branch or commit name; empty: none
	Merges    []string        `json:"merges,omitempty"` // further parents
	Whole     bool            `json:"whole,omitempty"`  // Files is the whole tree
	Files     map[string]File `json:"files"`
	Message   string          `json:"message"`
	Author    Person          `json:"author"`
	Committer Person          `json:"committer"` // empty: the author

	Tree    string   `json:"tree,omitempty"`    // name of the tree; set when it is made
	Parents []string `json:"parents,omitempty"` // set when it is made
}

// Person is a commit's author or committer. The login is what GitHub makes of the address, if anything.
type Person struct {
	Name  string    `json:"name"`
	Email string    `json:"email"`
	Login string    `json:"login,omitempty"`
	Date  time.Time `json:"date"`
}

// File is a file of a commit. In JSON it is its text, null for one that is removed, or an object.
type File struct {
	Text    string `json:"text,omitempty"`
	Bytes   []byte `json:"base64,omitempty"` // instead of Text
	Mode    string `json:"mode,omitempty"`   // empty: 100644; 120000 a link to Text, 160000 a submodule at commit Text
	Removed bool   `json:"removed,omitempty"`
}

// UnmarshalJSON reads the three forms.
func (f *File) UnmarshalJSON(data []byte) error {
	switch {
	case bytes.Equal(data, []byte("null")):
		*f = File{Removed: true}
		return nil
	case bytes.HasPrefix(data, []byte(`"`)):
		*f = File{}
		return json.Unmarshal(data, &f.Text)
	}
	type plain File
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(f)); err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	return nil
}

// Pull is a pull request. What is computed from commits may be given instead, to show what a list that
// does not agree does.
type Pull struct {
	Number         int        `json:"number"`
	Title          string     `json:"title"`
	Body           *string    `json:"body"`
	State          string     `json:"state,omitempty"` // empty: open
	Draft          bool       `json:"draft,omitempty"`
	Merged         bool       `json:"merged,omitempty"`
	User           User       `json:"user"`
	Labels         []string   `json:"labels,omitempty"`
	HeadRepository string     `json:"head_repository,omitempty"` // empty: the same; "none": deleted since
	HeadRef        string     `json:"head_ref"`
	HeadSHA        string     `json:"head_sha,omitempty"` // empty: where the branch is now
	BaseRef        string     `json:"base_ref"`
	BaseSHA        string     `json:"base_sha,omitempty"` // empty: where the branch is now
	MergeSHA       string     `json:"merge_sha,omitempty"`
	Mergeable      *bool      `json:"mergeable"` // null: not computed yet
	Files          []*Changed `json:"files,omitempty"`
	ChangedFiles   *int       `json:"changed_files,omitempty"`
	CommitCount    *int       `json:"commit_count,omitempty"`
	CreatedAt      time.Time  `json:"created_at"`
	ClosedAt       *time.Time `json:"closed_at,omitempty"` // absent, of a closed one: now

	BaseChanged []time.Time `json:"base_changed,omitempty"` // when it was given another base branch
}

// Changed is one file that differs.
type Changed struct {
	Path     string `json:"path"`
	Previous string `json:"previous,omitempty"`
	Status   string `json:"status"` // added, removed, modified, renamed
	SHA      string `json:"sha"`
	Patch    string `json:"patch,omitempty"`
}

// Comment is a comment on an issue or a pull request's conversation.
type Comment struct {
	ID        int64     `json:"id"`
	Issue     int       `json:"issue"`
	Body      string    `json:"body"`
	User      User      `json:"user"`
	App       int64     `json:"app,omitempty"` // the app that it was written through
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Review is a review of a pull request.
type Review struct {
	ID          int64     `json:"id"`
	Pull        int       `json:"pull"`
	User        User      `json:"user"`
	Body        string    `json:"body,omitempty"`
	State       string    `json:"state"` // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING
	CommitID    string    `json:"commit_id"`
	SubmittedAt time.Time `json:"submitted_at"`
}

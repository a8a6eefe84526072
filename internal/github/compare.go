package github

import (
	"context"
	"net/http"

	gogithub "github.com/google/go-github/v62/github"
)

// Limits of GitHub's on a comparison that is asked for without pages (docs.github.com/rest/commits/commits).
const (
	maxComparedFiles   = 300
	maxComparedCommits = 250
)

// Comparison is what one commit has and another has not. Both are named by their objects, so it cannot change.
type Comparison struct {
	// Commits are those that head has and base has not, oldest first; if the list is cut, the newest ones.
	Commits List[Commit]
	// Files are what differs between head and the commit where the two parted.
	Files List[ChangedFile]
	// Fork is the commit where the two parted: base itself if head stands on it.
	Fork string
}

// Compare compares two commits in one request. Each list is cut if it has as many members as GitHub gives at
// most, or fewer than the answer's own count.
func (c *Client) Compare(ctx context.Context, base, head string) (*Comparison, error) {
	for _, sha := range []string{base, head} {
		if err := object(sha); err != nil {
			return nil, c.fail(err, "compare commits")
		}
	}
	raw, _, err := c.gh.Repositories.CompareCommits(ctx, c.owner, c.name, base, head, nil)
	if err != nil {
		return nil, c.fail(err, "compare %s with %s", head, base)
	}
	out, err := comparison(raw, base)
	if err != nil {
		return nil, c.fail(err, "compare %s with %s", head, base)
	}
	return out, nil
}

func comparison(raw *gogithub.CommitsComparison, base string) (*Comparison, error) {
	switch {
	case raw.GetBaseCommit().GetSHA() != base:
		return nil, malformed("it is about base %.60q", raw.GetBaseCommit().GetSHA())
	case raw.TotalCommits == nil || raw.Commits == nil || raw.Files == nil:
		return nil, malformed("there is no count, no commits or no files")
	}
	commits, err := each(List[*gogithub.RepositoryCommit]{Items: raw.Commits}, commit)
	if err != nil {
		return nil, err
	}
	files, err := each(List[*gogithub.CommitFile]{Items: raw.Files}, changedFile)
	if err != nil {
		return nil, err
	}
	commits.Cut = len(commits.Items) < *raw.TotalCommits || len(commits.Items) > maxComparedCommits
	files.Cut = len(files.Items) >= maxComparedFiles
	return &Comparison{Commits: commits, Files: files, Fork: raw.GetMergeBaseCommit().GetSHA()}, nil
}

// NotCompared reports whether an error says that GitHub could not compare: it sees no common history, or the
// difference is too much for it. The pull request's own lists can be there all the same.
func NotCompared(err error) bool {
	for _, status := range []int{http.StatusNotFound, http.StatusNotAcceptable, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		if IsStatus(err, status) {
			return true
		}
	}
	return false
}

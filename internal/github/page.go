package github

import (
	"fmt"
	"regexp"
	"sync"
	"time"

	gogithub "github.com/google/go-github/v62/github"
)

// pageSize is the most that GitHub gives of any list at once.
const pageSize = 100

// Bounds on lists that GitHub does not bound. A list over its bound is cut and says so.
const (
	maxReviews   = 3000
	maxCheckRuns = 3000
	maxStatuses  = 3000
	maxJobs      = 1000
	maxPulls     = 300
	maxRunsAt    = 100  // workflow runs of one commit: one page
	maxMembers   = 3000 // of a team
)

// What is listed of a conversation that is too long: that many from its beginning, and as many from its end.
const (
	OldestComments = 4000
	NewestComments = 1000
)

// reObject is git's name of an object as GitHub writes it: SHA-1 in full.
var reObject = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) })

// collect asks for page after page until there is none or the bound is reached. A page that is null instead
// of empty is an error, and so is one that leads back: a list must not end early by mistake.
func collect[T any](bound int, ask func(gogithub.ListOptions) ([]T, *gogithub.Response, error)) (List[T], error) {
	var out List[T]
	for page := 1; ; {
		opts := gogithub.ListOptions{PerPage: pageSize}
		if page > 1 {
			opts.Page = page
		}
		items, res, err := ask(opts)
		if err != nil {
			return List[T]{}, err
		}
		if items == nil {
			return List[T]{}, malformed("page %d of the list is null", page)
		}
		out.Items = append(out.Items, items...)
		next := res.NextPage
		if len(out.Items) >= bound {
			out.Cut = next != 0 || len(out.Items) > bound
			out.Items = out.Items[:bound]
			return out, nil
		}
		switch {
		case next == 0:
			return out, nil
		case next != page+1 || len(items) == 0:
			return List[T]{}, malformed("page %d of the list has %d items and leads to page %d", page, len(items), next)
		}
		page = next
	}
}

// pageQuery asks for a page of a list that the library has no method for.
func pageQuery(o gogithub.ListOptions) string {
	if o.Page == 0 {
		return fmt.Sprintf("per_page=%d", o.PerPage)
	}
	return fmt.Sprintf("per_page=%d&page=%d", o.PerPage, o.Page)
}

// each converts a list, and stops at the first member that cannot be.
func each[A, B any](in List[A], convert func(A) (B, error)) (List[B], error) {
	out := List[B]{Items: make([]B, 0, len(in.Items)), Cut: in.Cut}
	for i, a := range in.Items {
		b, err := convert(a)
		if err != nil {
			return List[B]{}, malformed("member %d of the list: %w", i, err)
		}
		out.Items = append(out.Items, b)
	}
	return out, nil
}

// object refuses what is no object name, so that nothing else becomes part of a path.
func object(sha string) error {
	if !reObject().MatchString(sha) {
		return malformed("%.60q is no object name", sha)
	}
	return nil
}

// when is a time, or zero.
func when(t *gogithub.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// stamp is a time to send, or nothing for zero.
func stamp(t time.Time) *gogithub.Timestamp {
	if t.IsZero() {
		return nil
	}
	return &gogithub.Timestamp{Time: t.UTC()}
}

// text is a string to send, or nothing for an empty one.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

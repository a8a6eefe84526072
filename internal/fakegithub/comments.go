package fakegithub

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// commentsOf are the comments on an issue or pull request, oldest first.
func (c *call) commentsOf(issue int) []*Comment {
	var out []*Comment
	for _, m := range c.repo.Comments {
		if m.Issue == issue {
			out = append(out, m)
		}
	}
	return out
}

func listComments(c *call) answer {
	p := c.pull("issue_number")
	if p == nil {
		return notFound()
	}
	all := c.commentsOf(p.Number)
	if since, err := time.Parse(time.RFC3339, c.r.URL.Query().Get("since")); err == nil {
		all = slices.DeleteFunc(all, func(m *Comment) bool { return m.UpdatedAt.Truncate(time.Second).Before(since) })
	}
	return ok(each(page(c, all), c.commentObject))
}

// commentBody reads the body of a request, or says why GitHub would not take it.
func (c *call) commentBody() (string, answer, bool) {
	var in struct {
		Body string `json:"body"`
	}
	if err := c.decode(&in); err != nil {
		return "", refuse(http.StatusBadRequest, "%v", err), false
	}
	wrong := ""
	switch n := len([]rune(in.Body)); {
	case n == 0:
		wrong = "Body can't be blank"
	case n > maxComment:
		wrong = fmt.Sprintf("Body is too long (maximum is %d characters)", maxComment)
	}
	if wrong != "" {
		a := refuse(http.StatusUnprocessableEntity, "Validation Failed")
		if o, is := a.value.(obj); is {
			o["errors"] = []obj{{"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": wrong}}
		}
		return "", a, false
	}
	return in.Body, answer{}, true
}

// createComment writes a comment as the token's user.
func createComment(c *call) answer {
	p := c.pull("issue_number")
	if p == nil {
		return notFound()
	}
	body, a, good := c.commentBody()
	if !good {
		return a
	}
	m := &Comment{ID: c.id(), Issue: p.Number, Body: body, User: c.token.User, App: c.token.App, CreatedAt: c.now(), UpdatedAt: c.now()}
	c.repo.Comments = append(c.repo.Comments, m)
	return created(c.commentObject(m))
}

// updateComment changes a comment, whoever wrote it: a token that may write may edit others' comments.
func updateComment(c *call) answer {
	for _, m := range c.repo.Comments {
		if m.ID != c.int("comment_id") {
			continue
		}
		body, a, good := c.commentBody()
		if !good {
			return a
		}
		m.Body, m.UpdatedAt = body, c.now()
		return ok(c.commentObject(m))
	}
	return notFound()
}

// deleteComment takes a comment away, whoever wrote it.
func deleteComment(c *call) answer {
	for i, m := range c.repo.Comments {
		if m.ID == c.int("comment_id") {
			c.repo.Comments = slices.Delete(c.repo.Comments, i, i+1)
			return answer{status: http.StatusNoContent, raw: []byte{}, kind: "text/plain"}
		}
	}
	return notFound()
}

// getUser says whose a personal token is. An app's installation is no user.
func getUser(c *call) answer {
	if c.token.App != 0 {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	user, _ := c.user(c.token.User).(obj)
	for _, key := range []string{"bio", "blog", "company", "email", "hireable", "location", "name"} {
		user[key] = nil
	}
	for _, key := range []string{"followers", "following", "public_gists", "public_repos"} {
		user[key] = 0
	}
	user["created_at"], user["updated_at"] = stamp(time.Unix(0, 0)), stamp(time.Unix(0, 0))
	return ok(user)
}

func (c *call) commentObject(m *Comment) obj {
	issue := fmt.Sprintf("%s/repos/%s/issues/%d", c.base, c.repo.FullName, m.Issue)
	at := fmt.Sprintf("%s/repos/%s/issues/comments/%d", c.base, c.repo.FullName, m.ID)
	return obj{
		"id": m.ID, "node_id": node("IC", m.ID), "url": at, "html_url": at, "issue_url": issue, "body": m.Body,
		"user": c.user(m.User), "created_at": stamp(m.CreatedAt), "updated_at": stamp(m.UpdatedAt),
		"author_association": "NONE", "performed_via_github_app": c.app(m.App),
	}
}

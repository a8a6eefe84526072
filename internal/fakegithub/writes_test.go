package fakegithub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestCheckRunRules(t *testing.T) {
	s := start(t)
	post := func(status int, body string) (run struct {
		ID         int64
		Status     string
		Conclusion *string
		DetailsURL string             `json:"details_url"`
		HTMLURL    string             `json:"html_url"`
		Suite      struct{ ID int64 } `json:"check_suite"`
		Output     struct {
			Count int `json:"annotations_count"`
			Title *string
		}
	}) {
		t.Helper()
		s.want(status, "POST", widgets+"/check-runs", body).get(t, &run)
		return run
	}
	head := `"name":"Gate","head_sha":"` + s.head + `"`
	run := post(201, `{`+head+`,"status":"in_progress","details_url":"https://elsewhere.example"}`)
	if run.Suite.ID != 900 {
		t.Errorf("suite %d, want the one that the workflow has at this commit", run.Suite.ID)
	}
	if run.DetailsURL != run.HTMLURL {
		t.Errorf("details %q: a workflow's token cannot choose them", run.DetailsURL)
	}
	post(422, `{`+head+`,"status":"completed"}`)
	post(422, `{"name":"Gate","head_sha":"`+strings.Repeat("2", 40)+`"}`)
	post(422, `{`+head+`,"output":{"title":"t","summary":"`+strings.Repeat("é", 40000)+`"}}`)

	at := widgets + "/check-runs/" + itoa(run.ID)
	note := `{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"}`
	s.want(200, "PATCH", at, `{"output":{"title":"t","summary":"s","annotations":[`+note+`]}}`).get(t, &run)
	s.want(200, "PATCH", at, `{"conclusion":"failure","output":{"summary":"s","annotations":[`+note+`,`+note+`]}}`).get(t, &run)
	if run.Output.Count != 3 || *run.Output.Title != "t" || run.Status != "completed" || *run.Conclusion != "failure" {
		t.Errorf("completed run %+v", run)
	}
	s.want(200, "PATCH", at, `{"status":"in_progress"}`).get(t, &run)
	if run.Status != "completed" {
		t.Errorf("a completed run opened again: %s", run.Status)
	}

	count := func(query string, want ...string) {
		t.Helper()
		var list struct {
			Total int                     `json:"total_count"`
			Runs  []struct{ Name string } `json:"check_runs"`
		}
		s.want(200, "GET", widgets+"/commits/"+s.head+"/check-runs"+query, "").get(t, &list)
		names := []string{}
		for _, r := range list.Runs {
			names = append(names, r.Name)
		}
		if fmt.Sprint(names) != fmt.Sprint(want) || list.Total != len(want) {
			t.Errorf("%q: %v, total %d, want %v", query, names, list.Total, want)
		}
	}
	count("", "Gate", "test", "robot") // newest first; of one name and suite the newest
	count("?filter=all", "Gate", "test", "test", "robot", "robot")
	count("?check_name=robot", "robot")
	count("?app_id=77&filter=all&status=completed", "robot")
	s.fits()
}

func TestCommentsAndStatuses(t *testing.T) {
	s := start(t)
	var m struct {
		ID   int64
		User struct {
			Login string
			ID    int64
			Type  string
		}
	}
	s.want(201, "POST", widgets+"/issues/7/comments", `{"body":"`+strings.Repeat("é", 65536)+`"}`).get(t, &m)
	if m.User.Login != "github-actions[bot]" || m.User.ID != 41898282 || m.User.Type != "Bot" {
		t.Errorf("written by %+v", m.User)
	}
	for body, says := range map[string]string{
		strings.Repeat("é", 65537): "Body is too long (maximum is 65536 characters)",
		"":                         "Body can't be blank",
	} {
		if r := s.want(422, "POST", widgets+"/issues/7/comments", `{"body":"`+body+`"}`); !strings.Contains(r.body, says) {
			t.Errorf("%s", r.body)
		}
	}
	s.want(404, "POST", widgets+"/issues/99/comments", `{"body":"x"}`)
	s.want(404, "PATCH", widgets+"/issues/comments/99", `{"body":"x"}`)
	s.want(422, "POST", widgets+"/statuses/"+s.head, `{"state":"success","description":"`+strings.Repeat("x", 141)+`"}`)
	s.want(422, "POST", widgets+"/statuses/"+s.head, `{"state":"success","target_url":"javascript:x"}`)
	s.want(422, "POST", widgets+"/statuses/"+strings.Repeat("2", 40), `{"state":"success"}`)
	var combined struct {
		State string
		Total int `json:"total_count"`
	}
	for _, step := range []struct{ post, state string }{
		{"", "success"}, {`{"state":"pending","context":"gate"}`, "pending"}, {`{"state":"error","context":"gate"}`, "failure"},
	} {
		if step.post != "" {
			s.want(201, "POST", widgets+"/statuses/"+s.head, step.post)
		}
		s.want(200, "GET", widgets+"/commits/"+s.head+"/status", "").get(t, &combined)
		if combined.State != step.state {
			t.Errorf("state %s after %s, want %s", combined.State, step.post, step.state)
		}
	}
	s.fits()
}

func TestPermissions(t *testing.T) {
	s := start(t)
	for login, want := range map[string]string{
		"acme": "admin admin", "Maya": "write maintain", "tomas": "read triage", "stranger": "read read", "agent%5Bbot%5D": "read read",
	} {
		var got struct {
			Permission string
			Role       string `json:"role_name"`
		}
		s.want(200, "GET", widgets+"/collaborators/"+login+"/permission", "").get(t, &got)
		if got.Permission+" "+got.Role != want {
			t.Errorf("%s: %+v, want %s", login, got, want)
		}
	}
	s.want(404, "GET", widgets+"/collaborators/nobody/permission", "")
	s.fits()
}

func TestFaults(t *testing.T) {
	s := start(t)
	add := func(f Fault) {
		t.Helper()
		if err := s.Fault(f); err != nil {
			t.Fatal(err)
		}
	}
	add(Fault{Match: `^GET /repos/acme/widgets/pulls/7$`, Status: 429, Times: 2, Headers: map[string]string{"Retry-After": "3"}, Body: `{"message":"slow down"}`})
	for _, want := range []int{429, 429, 200} {
		r := s.ask("job", "GET", widgets+"/pulls/7", "")
		if r.status != want || want == 429 && (r.header.Get("Retry-After") != "3" || r.body != `{"message":"slow down"}`) {
			t.Errorf("status %d, want %d: %s", r.status, want, r.body)
		}
	}
	add(Fault{Match: `/pulls/7$`, Status: 200, Body: "[]", Pad: 5000})
	if r := s.ask("job", "GET", widgets+"/pulls/7", ""); len(r.body) != 5002 {
		t.Errorf("%d bytes of a padded body", len(r.body))
	}
	for name, f := range map[string]Fault{"before": {Match: "GET", Cut: true}, "within": {Match: "GET", Status: 200, Body: "[1,2,3]", Cut: true}} {
		add(f)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+widgets, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Close = true
		res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err == nil {
			_, err = io.ReadAll(res.Body)
			_ = res.Body.Close()
		}
		if err == nil {
			t.Errorf("a connection that was cut %s the answer went well", name)
		}
	}
	add(Fault{Match: "/files", Push: &Push{Repository: "acme/widgets", Commit: Commit{Branch: "feature/turn", Message: "Meanwhile", Files: map[string]File{"x": {}}}}})
	s.want(200, "GET", widgets+"/pulls/7/files", "")
	var p struct{ Head struct{ SHA string } }
	s.want(200, "GET", widgets+"/pulls/7", "").get(t, &p)
	if p.Head.SHA == s.head {
		t.Error("the head did not move")
	}
	add(Fault{Match: "^POST .*/statuses/", Lose: true})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+widgets+"/statuses/"+p.Head.SHA, strings.NewReader(`{"state":"success","context":"lost"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer job")
	req.Header.Set("Content-Type", "application/json")
	if res, err := http.DefaultClient.Do(req); err == nil {
		_ = res.Body.Close()
		t.Error("an answer that is lost arrived")
	}
	if r := s.want(200, "GET", widgets+"/commits/"+p.Head.SHA+"/statuses", ""); !strings.Contains(r.body, `"context":"lost"`) {
		t.Error("what was carried out is not there")
	}
	add(Fault{Match: "GET", DelayMS: 1})
	s.want(200, "GET", widgets, "")
	if err := s.Fault(Fault{Match: "("}); err == nil {
		t.Error("a broken expression was taken")
	}
	s.fits()
}

func TestControl(t *testing.T) {
	s := start(t)
	s.want(201, "POST", widgets+"/issues/7/comments", `{"body":"kept"}`)
	var state struct {
		Data     Data
		Requests []Request
	}
	s.want(200, "GET", "/__state", "").get(t, &state)
	r := state.Requests[len(state.Requests)-1]
	if len(state.Data.Repositories[0].Comments) != 3 || r.Method != http.MethodPost || r.URI != widgets+"/issues/7/comments" || r.Status != 201 || r.Login != "github-actions[bot]" || r.Body != `{"body":"kept"}` {
		t.Errorf("state: %d comments, request %+v", len(state.Data.Repositories[0].Comments), r)
	}
	s.want(200, "POST", "/__fault", `{"match":"GET","status":500}`)
	s.want(500, "GET", widgets, "")
	var pushed struct{ SHA string }
	s.want(200, "POST", "/__push", `{"repository":"acme/widgets","branch":"feature/turn","message":"m","files":{"x":"y"}}`).get(t, &pushed)
	if pushed.SHA == "" || s.data.Repositories[0].Branches["feature/turn"] != pushed.SHA {
		t.Errorf("pushed %q", pushed.SHA)
	}
	s.want(404, "GET", "/repos/acme/widgets/nothing", "")
	var violations []string
	s.want(200, "GET", "/__violations", "").get(t, &violations)
	if len(violations) != 1 {
		t.Errorf("violations %q", violations)
	}
	for path, body := range map[string]string{"/__fault": `{"mach":""}`, "/__push": `{"repository":"none"}`} {
		s.want(400, "POST", path, body)
	}
	s.want(404, "GET", "/__nothing", "")
	s.want(400, "PUT", "/__world", `{"wat":1}`)
	s.want(200, "PUT", "/__world", `{"tokens":{"job":{"user":{"login":"x"}}},"repositories":[{"full_name":"b/c","default_branch":"main","commits":[{"branch":"main","message":"m","files":{}}]}]}`)
	s.want(404, "GET", widgets, "")
	s.want(200, "GET", "/repos/b/c/branches/main", "")
	s.fits()
}

// TestStateLoadsAgain shows that what /__state gives is a world again, with the same names.
func TestStateLoadsAgain(t *testing.T) {
	s := start(t)
	first, err := json.Marshal(s.data)
	if err != nil {
		t.Fatal(err)
	}
	w := New(nil)
	if err := w.Read(bytes.NewReader(first)); err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(w.data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Errorf("the second state differs:\n%s\n%s", first, second)
	}
}

// TestCommentsSince holds that a list from a time on has what was changed then or later.
func TestCommentsSince(t *testing.T) {
	s := start(t)
	s.now = s.now.Add(time.Hour)
	s.want(201, "POST", widgets+"/issues/7/comments", `{"body":"Later"}`)
	var all, late []struct{ Body string }
	s.want(200, "GET", widgets+"/issues/7/comments", "").get(t, &all)
	s.want(200, "GET", widgets+"/issues/7/comments?since="+s.now.UTC().Format(time.RFC3339), "").get(t, &late)
	if len(all) < 2 || len(late) != 1 || late[0].Body != "Later" {
		t.Errorf("%d comments, of which %+v later", len(all), late)
	}
	s.fits()
}

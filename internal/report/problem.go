package report

import (
	"encoding/json"
	"strconv"
	"strings"
)

// openProblem takes a problem document (RFC 9457): bad news, and never a report. A member of the wrong type is as if
// it were not there.
func openProblem(d *document) (unwrapped, bool) {
	if d.part || d.object == nil || !d.forced && !isProblem(d.object) {
		return unwrapped{}, false
	}
	u := unwrapped{runtime: RuntimeProblem, text: true}
	u.say("title", d.object["title"])
	u.say("detail", d.object["detail"])
	u.say("type", d.object["type"])
	return u, true
}

// isProblem says whether an object is a problem document where no media type tells: it has a type that is an absolute
// reference, with words for people, or an HTTP status of an error with a title.
func isProblem(o map[string]any) bool {
	title, detail := str(o, "title"), str(o, "detail")
	if absolute(str(o, "type")) && (title != "" || detail != "") {
		return true
	}
	status, _ := o["status"].(json.Number)
	n, err := strconv.Atoi(string(status))
	return err == nil && n >= 100 && n <= 599 && title != ""
}

// absolute says whether a reference begins with a scheme (RFC 3986, section 3.1).
func absolute(ref string) bool {
	scheme, rest, ok := strings.Cut(ref, ":")
	if !ok || rest == "" || scheme == "" || !letter(scheme[0]) {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !letter(c) && !digit(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

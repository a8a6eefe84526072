package report

import "slices"

// Carrier is a place that a report may come from.
type Carrier struct {
	Name string // as contracts and receipts write it
	Doc  string // one sentence
	// Bare says that what it carries is meant as a report: a JSON object is one even without an outcome member.
	Bare bool
	// Newest says that it is a row of texts by different authors, oldest first: only the newest report by an
	// author who may report counts. Otherwise every text of the carrier counts.
	Newest bool
}

// Carriers lists all carriers by name.
func Carriers() []Carrier {
	return []Carrier{
		{Name: "body", Doc: "The description of the pull request."},
		{Name: "comment", Doc: "The newest comment with a report by the pull request's author or one of comment_authors.", Newest: true},
		{Name: "file", Doc: "A file of the workspace.", Bare: true},
		{Name: "input", Doc: "The action's input or standard input.", Bare: true},
	}
}

func carrierOf(name string) (Carrier, bool) {
	all := Carriers()
	i := slices.IndexFunc(all, func(c Carrier) bool { return c.Name == name })
	if i < 0 {
		return Carrier{}, false
	}
	return all[i], true
}

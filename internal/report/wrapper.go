package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Wrapper is a form in which an agent's runtime hands back what the agent said.
type Wrapper struct {
	Name string // as contracts, flags and answers write it
	Doc  string // one sentence
	// inText says that an object of this form inside a text is looked at too, not only a text that is nothing else.
	inText bool
	// quoted says that the form may also come as the text of a JSON string.
	quoted bool
	// open takes a document apart. The second result says whether it has the form: by its members and their types,
	// never by a word somewhere in it.
	open func(d *document) (unwrapped, bool)
}

// Wrappers lists all wrappers by name. No text has two of these forms.
func Wrappers() []Wrapper {
	return []Wrapper{
		{Name: "claude", Doc: "The JSON result of Claude Code, and the execution file of claude-code-action.", inText: true, open: openClaude},
		{Name: "codex", Doc: "The event stream of codex exec --json, or its last message.", open: openCodex},
		{Name: "cron", Doc: "The record of a scheduled run of Hermes: what stands after ## Response.", open: openCron},
		{Name: "hermes", Doc: "A result of Hermes: an entry, a list of them, a completion event, a handle, or the failure notice.", inText: true, open: openHermes},
		{Name: "orca", Doc: "A message of Orca, or the payload of its worker_done.", inText: true, quoted: true, open: openOrca},
		{Name: "problem", Doc: "A problem document (RFC 9457), which is never a report.", open: openProblem},
	}
}

// Unwrapped names the choice to read texts as they are.
const Unwrapped = "none"

// Exit is an exit status that a runtime's result tells of: a claim about one command, never the agent's own status.
type Exit struct {
	Command string `json:"command"` // cut
	Status  string `json:"status"`  // as it was written
}

// Limits of what is kept of the commands that a runtime tells of.
const (
	maxExits   = 64
	maxCommand = 200 // bytes
)

// document is a text or an object in one, to be taken apart.
type document struct {
	src    []byte         // the text
	object map[string]any // set if the text is one JSON object: what wrappers speak by
	first  map[string]any // the object that the text begins with
	full   map[string]any // the whole object, if it was decoded already
	part   bool           // an object inside a text
	forced bool           // the form is given, not guessed
	quoted bool           // the text of a JSON string
	steps  int
}

// spoken are the arrays and objects by which wrappers speak.
func spoken() rule {
	entry := map[string]rule{"schema_errors": {}, "unread_completions": {}, "handed_off_processes": {}, "orphaned_processes": {}}
	return rule{inside: map[string]rule{
		"results": {inside: entry}, "schema_errors": {}, "unread_completions": {}, "handed_off_processes": {}, "orphaned_processes": {},
		"structured_output": {whole: true}, "errors": {}, "payload": {whole: true}, "item": {}, "error": {},
	}}
}

func newDocument(body []byte) *document {
	d := &document{src: body}
	at := len(body) - len(bytes.TrimLeft(body, " \t\r\n"))
	if at == len(body) {
		return d
	}
	switch body[at] {
	case '"':
		p := decoder{src: body, i: at}
		text := p.str()
		p.only()
		d.steps += p.i - at
		if p.fault != nil || !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
			return d
		}
		d.src, d.quoted = []byte(text), true
		at = len(text) - len(strings.TrimLeft(text, " \t\r\n"))
		fallthrough
	case '{':
		object, p := skim(d.src, at, spoken())
		d.steps += p.i - at
		if d.first = object; object == nil {
			return d
		}
		if p.only(); p.fault == nil {
			d.object = object
		}
	}
	return d
}

// strict is the document's object as a report is read.
func (d *document) strict() block {
	if d.full != nil {
		return block{object: d.full}
	}
	at := len(d.src) - len(bytes.TrimLeft(d.src, " \t\r\n"))
	object, p := decodeObject(d.src, at)
	d.steps += p.i - at
	p.only()
	if p.fault != nil {
		object = nil
	}
	return block{at: at, object: object, fault: p.fault, src: d.src}
}

// unwrapped is what a wrapper holds: what the runtime says of the run, and the reports in what the agent said.
type unwrapped struct {
	runtime Runtime
	blocks  []block
	text    bool     // the agent said something, a report or not
	said    []string // the runtime's own words of why, at most maxErrors
	exits   []Exit
	steps   int
}

// answer takes what the agent said. It gives the number of reports in it.
func (u *unwrapped) answer(where, text string) int {
	e := extract(text, true)
	u.steps += e.steps
	u.text = u.text || !e.nothing
	u.take(e, where)
	return len(e.blocks)
}

// take takes the reports that were found in a text of the wrapper.
func (u *unwrapped) take(e extraction, where string) {
	for _, b := range e.blocks {
		b.where, b.src = where, e.body
		u.blocks = append(u.blocks, b)
	}
}

// broken adds a defect of the wrapper itself. It counts as a broken report.
func (u *unwrapped) broken(where, reason string) {
	u.text = true
	u.blocks = append(u.blocks, block{where: where, fault: &fault{reason: reason}, src: []byte{}})
}

// say keeps words of the runtime.
func (u *unwrapped) say(where string, v any) {
	s, _ := v.(string)
	if s = strings.Join(strings.Fields(s), " "); s == "" || len(u.said) == maxErrors {
		return
	}
	if where != "" {
		s = where + ": " + s
	}
	u.said = append(u.said, cut(s))
}

// ran keeps the exit status of a command that the runtime tells of.
func (u *unwrapped) ran(command, status any) {
	s := text(status)
	if s == "" || len(u.exits) == maxExits {
		return
	}
	c := strings.Join(strings.Fields(text(command)), " ")
	if len(c) > maxCommand {
		c = strings.ToValidUTF8(c[:maxCommand], "") + "…"
	}
	u.exits = append(u.exits, Exit{Command: c, Status: s[:min(len(s), maxNumber)]})
}

// worse is the graver of two things that runtimes said: one that failed among several outweighs all others.
func worse(a, b Runtime) Runtime {
	order := []Runtime{"", RuntimeTruncated, RuntimeProblem, RuntimeRunning, RuntimeStale, RuntimeNoOutput, RuntimeSchema, RuntimeFailed}
	if slices.Index(order, a) >= slices.Index(order, b) {
		return a
	}
	return b
}

// opened takes the document apart by the wrappers. A text of several forms is a broken report: each reading may be wrong.
func opened(ws []Wrapper, d *document) (name string, u unwrapped, ok bool) {
	var names []string
	for _, w := range ws {
		if d.part && !w.inText || d.quoted && !w.quoted {
			continue
		}
		if one, has := w.open(d); has {
			names, u = append(names, w.Name), one
		}
	}
	switch len(names) {
	case 0:
		return "", unwrapped{}, false
	case 1:
		return names[0], u, true
	}
	u = unwrapped{}
	u.broken("", "the text has the forms of "+strings.Join(names, " and "))
	return names[0], u, true
}

// wrappersOf are the wrappers that are looked for in a carrier's texts.
func (o Options) wrappersOf(c Carrier) (ws []Wrapper, forced bool) {
	switch {
	case o.Wrapper == Unwrapped && c.Bare:
		return nil, false
	case o.Wrapper != "" && c.Bare:
		return slices.DeleteFunc(Wrappers(), func(w Wrapper) bool { return w.Name != o.Wrapper }), true
	case c.Bare:
		return Wrappers(), false
	default:
		return slices.DeleteFunc(Wrappers(), func(w Wrapper) bool { return !slices.Contains(o.Wrappers, w.Name) }), false
	}
}

// extract finds the reports of a carrier's text, in a wrapper or without one.
func (o Options) extract(t Text, c Carrier) extraction {
	ws, forced := o.wrappersOf(c)
	x := &extractor{always: c.Bare, wrappers: ws}
	body := []byte(strings.TrimPrefix(t.Body, "\ufeff"))
	if len(ws) == 0 && !forced || len(body) > maxText || nothing(body) {
		return x.extract(t.Body)
	}
	d := newDocument(body)
	d.forced = forced
	name, u, ok := opened(ws, d)
	switch {
	case !ok && forced:
		name = o.Wrapper
		u.broken("", fmt.Sprintf("the text has not the form of %s: gate classify --help lists the forms", shown(name)))
	case !ok:
		out := x.extract(t.Body)
		out.steps += d.steps
		return out
	}
	return extraction{
		blocks: u.blocks, nothing: !u.text && u.runtime == "", offset: len(t.Body) - len(body), steps: d.steps + u.steps,
		wrapper: name, runtime: u.runtime, said: u.said, exits: u.exits,
	}
}

// unwrap takes a candidate apart if it has the form of a wrapper.
func (x *extractor) unwrap(b block) bool {
	if b.object == nil || len(x.wrappers) == 0 {
		return false
	}
	d := &document{object: b.object, first: b.object, full: b.object, part: true}
	name, u, ok := opened(x.wrappers, d)
	if !ok {
		return false
	}
	x.steps += u.steps
	x.wrapper, x.inner = name, append(x.inner, u)
	for _, in := range u.blocks {
		if in.src == nil {
			in.at = b.at
		}
		x.reports = append(x.reports, in)
	}
	return true
}

// str is a member that is a string, "" otherwise.
func str(o map[string]any, name string) string {
	s, _ := o[name].(string)
	return s
}

// has says whether the object has the member, with any value.
func has(o map[string]any, name string) bool {
	_, ok := o[name]
	return ok
}

// is says whether a member is this word: true or false.
func is(o map[string]any, name string, word bool) bool {
	b, ok := o[name].(bool)
	return ok && b == word
}

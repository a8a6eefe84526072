package sarif

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// reader reads one log, token by token.
type reader struct {
	in        *rationed
	dec       *json.Decoder
	out       *Log
	depth     int
	versioned bool
	problem   defect
}

// token gives the next token; nesting and size are bounded.
func (d *reader) token() (json.Token, error) {
	d.in.left = maxToken
	t, err := d.dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'), json.Delim('['):
		if d.depth++; d.depth > maxDepth {
			return nil, &defect{ProblemOverLimit, "it is nested deeper than " + strconv.Itoa(maxDepth)}
		}
	case json.Delim('}'), json.Delim(']'):
		d.depth--
	}
	return t, nil
}

// more reports whether an object or list goes on. False may also be an error, which end comes upon.
func (d *reader) more() bool {
	d.in.left = maxToken
	return d.dec.More()
}

// end takes the end of an object or list: where more could not read on, something else may come.
func (d *reader) end(want json.Delim, what string) error {
	t, err := d.token()
	if err == nil && t != want {
		err = invalid("%s does not end where it should", what)
	}
	return err
}

// rest skips the value that began with a token.
func (d *reader) rest(t json.Token) error {
	if t != json.Delim('{') && t != json.Delim('[') {
		return nil
	}
	for depth := d.depth; d.depth >= depth; {
		if _, err := d.token(); err != nil {
			return err
		}
	}
	return nil
}

// skip skips one value.
func (d *reader) skip() error {
	t, err := d.token()
	if err != nil {
		return err
	}
	return d.rest(t)
}

// members calls one for each member of the object that comes next, which has to take the member's value. null is an
// object without members, and is reported as absent.
func (d *reader) members(what string, one func(name string) error) (present bool, err error) {
	t, err := d.token()
	switch {
	case err != nil:
		return false, err
	case t == nil:
		return false, nil
	case t != json.Delim('{'):
		return false, invalid("%s is no object", what)
	}
	seen := map[string]string{}
	for d.more() {
		t, err := d.token()
		if err != nil {
			return false, err
		}
		name, ok := t.(string)
		// Readers that do not look at the case take such members for one, the first or the last of them.
		folded := strings.ToLower(strings.ToUpper(name))
		switch before, there := seen[folded]; {
		case !ok || there && before == name:
			return false, invalid("%s has the member %s twice", what, clip(name))
		case there:
			return false, invalid("%s has the members %s and %s, which differ in case alone", what, clip(before), clip(name))
		}
		if len(seen) >= maxMembers {
			return false, &defect{ProblemOverLimit, what + " has over " + strconv.Itoa(maxMembers) + " members"}
		}
		seen[folded] = name
		if err := one(name); err != nil {
			return false, err
		}
	}
	return true, d.end('}', what)
}

// object is members for what stands in a list, where null is no object.
func (d *reader) object(what string, one func(name string) error) error {
	present, err := d.members(what, one)
	if err == nil && !present {
		err = invalid("%s is null", what)
	}
	return err
}

// items calls one for each item of the array that comes next; null is none, and is reported as absent.
func (d *reader) items(what string, one func(i int) error) (present bool, err error) {
	t, err := d.token()
	switch {
	case err != nil:
		return false, err
	case t == nil:
		return false, nil
	case t != json.Delim('['):
		return false, invalid("%s is no list", what)
	}
	for i := 0; d.more(); i++ {
		if err := one(i); err != nil {
			return false, err
		}
	}
	return true, d.end(']', what)
}

// text reads a text; null is "".
func (d *reader) text(what string) (string, error) {
	t, err := d.token()
	if err != nil || t == nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", invalid("%s is no text", what)
	}
	return s, nil
}

// ref reads an identifier that is compared.
func (d *reader) ref(what string) (string, error) {
	s, err := d.text(what)
	if err == nil && len(s) > maxRef {
		err = &defect{ProblemOverLimit, what + " has over " + strconv.Itoa(maxRef) + " bytes"}
	}
	return s, err
}

// index reads an array index (3.7.4): -1 is none, and so is null.
func (d *reader) index(what string) (int, error) {
	t, err := d.token()
	if err != nil || t == nil {
		return -1, err
	}
	n, ok := t.(json.Number)
	if !ok {
		return -1, invalid("%s is no index", what)
	}
	i, err := strconv.ParseInt(n.String(), 10, 32)
	if err != nil || i < -1 {
		return -1, invalid("%s is no index", what)
	}
	return int(i), nil
}

// level reads a level, "" for null.
func (d *reader) level(what string) (Level, error) {
	s, err := d.text(what)
	switch l := Level(s); l {
	case "", Error, Warning, Note, None:
		return l, err
	}
	return "", errors.Join(err, invalid("%s is %q", what, clip(s)))
}

// log reads the whole document (3.13).
func (d *reader) log() error {
	present, err := d.members("the log", func(name string) error {
		switch name {
		case "version":
			s, err := d.text("version")
			if err == nil && s != Version {
				err = &defect{ProblemOtherVersion, "its version is " + strconv.Quote(clip(s))}
			}
			d.versioned = true
			return err
		case "$schema":
			s, err := d.text("$schema")
			if err == nil && otherSchema(s) {
				err = &defect{ProblemOtherVersion, "its schema is " + strconv.Quote(clip(s))}
			}
			return err
		case "runs":
			_, err := d.items("runs", func(int) error { return d.run() })
			return err
		case "inlineExternalProperties":
			n := 0
			_, err := d.items(name, func(int) error { n++; return d.skip() })
			if n > 0 {
				d.trouble(ProblemElsewhere, "parts of runs stand beside the runs (inlineExternalProperties)")
			}
			return err
		}
		return d.skip()
	})
	if err == nil && !present {
		err = invalid("it is no object")
	}
	return err
}

// run reads one run (3.14). Rules and invocations may come after the results that go by them, so results without a
// level of their own are counted by what they name, and settled at the end.
func (d *reader) run() error {
	r := newRun()
	results := false
	present, err := d.members("a run", func(name string) (err error) {
		switch name {
		case "tool":
			return d.tool(r)
		case "results":
			results, err = d.items("results", func(int) error { return d.result(r) })
			return err
		case "invocations":
			_, err = d.items("invocations", func(int) error { return d.invocation(r) })
			return err
		case "externalPropertyFileReferences":
			return d.external()
		}
		return d.skip()
	})
	switch {
	case err != nil:
		return err
	case !present || !r.named:
		return invalid("a run does not name its tool")
	}
	d.out.Runs++
	switch {
	case !results && r.succeeded == len(r.overrides) && r.succeeded > 0:
		d.out.Without++
	case !results:
		d.trouble(ProblemNoResults, "run "+strconv.Itoa(d.out.Runs)+" has no list of results: it looked for nothing")
	}
	return d.settle(r)
}

// external looks for results, and what decides their level, in other files (3.15).
func (d *reader) external() error {
	_, err := d.members("externalPropertyFileReferences", func(name string) error {
		switch name {
		case "results", "driver", "extensions", "invocations", "policies":
		default:
			return d.skip()
		}
		t, err := d.token()
		if err != nil {
			return err
		}
		some := t == json.Delim('{') || t == json.Delim('[') && d.more()
		if some {
			d.trouble(ProblemElsewhere, "the "+name+" of a run lie in another file")
		}
		return d.rest(t)
	})
	return err
}

// tool reads a run's tool (3.18): the rules of its driver and extensions.
func (d *reader) tool(r *run) error {
	_, err := d.members("tool", func(name string) error {
		switch name {
		case "driver":
			return d.component(r, &r.driver)
		case "extensions":
			_, err := d.items("extensions", func(int) error {
				r.extensions = append(r.extensions, component{})
				if len(r.extensions) > maxRules {
					return tooManyRules()
				}
				return d.component(r, &r.extensions[len(r.extensions)-1])
			})
			return err
		}
		return d.skip()
	})
	r.named = r.driver.name != ""
	return err
}

func tooManyRules() error {
	return &defect{ProblemOverLimit, "a run has over " + strconv.Itoa(maxRules) + " rules"}
}

// component reads a tool component (3.19).
func (d *reader) component(r *run, c *component) error {
	present, err := d.members("a tool component", func(name string) (err error) {
		switch name {
		case "name":
			c.name, err = d.ref("a tool's name")
			return err
		case "guid":
			c.guid, err = d.ref("a tool's guid")
			return err
		case "rules":
			_, err = d.items("rules", func(int) error {
				if r.rules++; r.rules > maxRules {
					return tooManyRules()
				}
				one, err := d.rule()
				c.rules = append(c.rules, one)
				return errors.Join(err, r.hold(one.id, one.guid))
			})
			return err
		}
		return d.skip()
	})
	if err == nil && !present && c != &r.driver { // a run without a driver names no tool
		err = invalid("a tool component is null")
	}
	return err
}

// rule reads a reporting descriptor (3.49), of which only identity and level matter.
func (d *reader) rule() (rule, error) {
	var out rule
	err := d.object("a rule", func(name string) (err error) {
		switch name {
		case "id":
			out.id, err = d.ref("a rule's id")
			return err
		case "guid":
			out.guid, err = d.ref("a rule's guid")
			return err
		case "defaultConfiguration":
			out.level, err = d.configuration()
			return err
		}
		return d.skip()
	})
	return out, err
}

// configuration reads the level of a reporting configuration (3.50), "" if it has none.
func (d *reader) configuration() (level Level, err error) {
	_, err = d.members("a rule's configuration", func(name string) (err error) {
		if name == "level" {
			level, err = d.level("a rule's level")
			return err
		}
		return d.skip()
	})
	return level, err
}

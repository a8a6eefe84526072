package sarif

import (
	"encoding/json"
	"strconv"
)

// rule is a reporting descriptor's identity and default level.
type rule struct {
	id, guid string
	level    Level // "" is warning (3.50.3)
}

// component is a tool's driver or one of its extensions.
type component struct {
	name, guid string
	rules      []rule
	byID       map[string]*rule // this and the next are made when results are settled
	byGUID     map[string]*rule
}

// ruleRef is how a result, or an override, names a rule (3.52).
type ruleRef struct {
	id, guid           string
	index              int // -1: none
	component          int // of the extensions; -1: by name, else the driver
	compName, compGUID string
}

func noRef() ruleRef { return ruleRef{index: -1, component: -1} }

// openKey is what results without a level of their own go by.
type openKey struct {
	ref        ruleRef
	invocation int
	unchanged  bool
	suppressed bool
}

type openCount struct {
	n       int
	example Example
}

// override is a rule's level in one invocation (3.51).
type override struct {
	ref   ruleRef
	level Level
}

// run is what is known of the run that is being read.
type run struct {
	named      bool
	succeeded  int // invocations that say so
	driver     component
	extensions []component
	rules      int
	held       int          // bytes of texts
	overrides  [][]override // by invocation
	open       map[openKey]*openCount
	order      []openKey
	shown      map[Level]int
	byName     map[string]*component // extensions
	byGUID     map[string]*component
	levels     []map[*rule]Level // that invocations give rules
}

func newRun() *run { return &run{open: map[openKey]*openCount{}, shown: map[Level]int{}} }

// found is a result as it is read.
type found struct {
	ref        ruleRef
	kind       string
	level      Level
	baseline   string
	accepted   bool
	refused    bool
	invocation int
	example    Example
}

// result reads one result (3.27) and counts it.
func (d *reader) result(r *run) error {
	f := found{ref: noRef(), invocation: -1}
	err := d.object("a result", func(name string) (err error) {
		switch name {
		case "ruleId":
			var id string
			if id, err = d.ref("ruleId"); id != "" {
				f.ref.id = id
			}
		case "ruleIndex":
			var i int
			if i, err = d.index("ruleIndex"); i >= 0 {
				f.ref.index = i
			}
		case "rule":
			err = d.ruleRef(&f.ref)
		case "kind":
			f.kind, err = d.text("kind")
		case "level":
			f.level, err = d.level("level")
		case "baselineState":
			f.baseline, err = d.text("baselineState")
		case "suppressions":
			err = d.suppressions(&f)
		case "provenance":
			_, err = d.members("provenance", func(name string) (err error) {
				if name == "invocationIndex" {
					f.invocation, err = d.index(name)
					return err
				}
				return d.skip()
			})
		case "message":
			err = d.message(&f.example)
		case "locations":
			err = d.locations(&f.example)
		default:
			err = d.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.count(r, &f)
}

// ruleRef reads a reporting descriptor reference (3.52) over what is known of it.
func (d *reader) ruleRef(ref *ruleRef) error {
	_, err := d.members("a rule's reference", func(name string) (err error) {
		switch name {
		case "id":
			var id string
			if id, err = d.ref("a rule's id"); id != "" {
				ref.id = id
			}
		case "guid":
			ref.guid, err = d.ref("a rule's guid")
		case "index":
			var i int
			if i, err = d.index("a rule's index"); i >= 0 {
				ref.index = i
			}
		case "toolComponent":
			_, err = d.members("a tool's reference", func(name string) (err error) {
				switch name {
				case "name":
					ref.compName, err = d.ref("a tool's name")
				case "guid":
					ref.compGUID, err = d.ref("a tool's guid")
				case "index":
					ref.component, err = d.index("a tool's index")
				default:
					err = d.skip()
				}
				return err
			})
		default:
			err = d.skip()
		}
		return err
	})
	return err
}

// suppressions reads the requests to suppress a result (3.35). One that is accepted, which is what a request without
// status is, suppresses it, unless another is under review or rejected.
func (d *reader) suppressions(f *found) error {
	_, err := d.items("suppressions", func(int) error {
		status := ""
		err := d.object("a suppression", func(name string) (err error) {
			if name == "status" {
				status, err = d.text("a suppression's status")
				return err
			}
			return d.skip()
		})
		switch status {
		case "", "accepted":
			f.accepted = true
		case "underReview", "rejected":
			f.refused = true
		default:
			if err == nil {
				err = invalid("a suppression's status is %q", clip(status))
			}
		}
		return err
	})
	return err
}

func (d *reader) message(e *Example) error {
	_, err := d.members("message", func(name string) (err error) {
		switch name {
		case "text", "markdown", "id":
			var s string
			if s, err = d.text("a message's " + name); name == "text" || e.Message == "" {
				e.Message = clip(s)
			}
			return err
		}
		return d.skip()
	})
	return err
}

// locations reads the first place of a result.
func (d *reader) locations(e *Example) error {
	_, err := d.items("locations", func(i int) error {
		if i > 0 {
			return d.skip()
		}
		err := d.object("a location", func(name string) error {
			if name != "physicalLocation" {
				return d.skip()
			}
			_, err := d.members(name, func(name string) error {
				switch name {
				case "artifactLocation":
					_, err := d.members(name, func(name string) error {
						if name != "uri" {
							return d.skip()
						}
						s, err := d.text("uri")
						e.URI = clip(s)
						return err
					})
					return err
				case "region":
					_, err := d.members(name, func(name string) error {
						if name != "startLine" {
							return d.skip()
						}
						return d.number(&e.Line)
					})
					return err
				}
				return d.skip()
			})
			return err
		})
		return err
	})
	return err
}

// number reads a whole number that is only shown; anything else is 0.
func (d *reader) number(into *int) error {
	t, err := d.token()
	if err != nil {
		return err
	}
	if n, ok := t.(json.Number); ok {
		if i, err := strconv.ParseInt(n.String(), 10, 32); err == nil && i > 0 {
			*into = int(i)
		}
	}
	return d.rest(t)
}

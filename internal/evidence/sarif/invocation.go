package sarif

import (
	"encoding/json"
	"errors"
)

// invocation is what one run of the tool says of itself (3.20).
type invocation struct {
	success, said bool
	// ended says that it did not end by itself, "" if nothing says so.
	ended     string
	overrides []override
}

// invocation reads how the tool was run. One that was ended by a signal or did not start at all did not look at
// everything, whatever else it says (3.20.11 to 3.20.14).
func (d *reader) invocation(r *run) error {
	var v invocation
	err := d.object("an invocation", func(name string) error {
		switch name {
		case "executionSuccessful":
			t, err := d.token()
			if err != nil {
				return err
			}
			v.success, v.said = t.(bool)
			return d.rest(t)
		case "exitSignalName", "processStartFailureMessage":
			s, err := d.text(name)
			if s != "" {
				v.ended = name + " is " + clip(s)
			}
			return err
		case "exitSignalNumber":
			t, err := d.token()
			if err != nil {
				return err
			}
			if n, ok := t.(json.Number); ok && n.String() != "0" {
				v.ended = name + " is " + clip(n.String())
			}
			return d.rest(t)
		case "toolExecutionNotifications":
			n, err := d.notifications(name)
			d.out.Hindered += n
			return err
		case "toolConfigurationNotifications":
			_, err := d.notifications(name)
			return err
		case "ruleConfigurationOverrides":
			return d.overrides(r, &v)
		}
		return d.skip()
	})
	r.overrides = append(r.overrides, v.overrides)
	if len(r.overrides) > maxRules {
		return tooManyRules()
	}
	switch {
	case err != nil:
	case !v.said:
		d.trouble(ProblemExecutionFailed, "an invocation does not say whether it succeeded")
	case !v.success:
		d.trouble(ProblemExecutionFailed, "an invocation says that it failed")
	case v.ended != "":
		d.trouble(ProblemExecutionFailed, "an invocation says that it succeeded, and that its "+v.ended)
	default:
		r.succeeded++
	}
	return err
}

// notifications reads what the tool says of its own work (3.58), and counts what has the level error: by the standard
// the tool stopped there, or its results are wrong or not whole (3.58.6).
func (d *reader) notifications(name string) (n int, err error) {
	_, err = d.items(name, func(int) error {
		return d.object("a notification", func(name string) error {
			if name != "level" {
				return d.skip()
			}
			l, err := d.level("a notification's level")
			if l == Error {
				n++
			}
			return err
		})
	})
	d.out.Notified += n
	return n, err
}

// overrides reads the levels that an invocation gives rules (3.51).
func (d *reader) overrides(r *run, v *invocation) error {
	_, err := d.items("ruleConfigurationOverrides", func(int) error {
		if r.rules++; r.rules > maxRules {
			return tooManyRules()
		}
		o := override{ref: noRef()}
		err := d.object("an override", func(name string) (err error) {
			switch name {
			case "descriptor":
				return d.ruleRef(&o.ref)
			case "configuration":
				o.level, err = d.configuration()
				return err
			}
			return d.skip()
		})
		v.overrides = append(v.overrides, o)
		return errors.Join(err, r.hold(o.ref.id, o.ref.guid, o.ref.compName, o.ref.compGUID))
	})
	return err
}

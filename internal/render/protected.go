package render

import (
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

func (p *page) sayProtected(r *receipt.Receipt) {
	for i, t := range r.Protected {
		head := "          "
		if i == 0 {
			p.line("")
			head = "Protected "
		}
		if i == shownProtected {
			p.line("%s and %s", head, Many(len(r.Protected)-i, "more path"))
			break
		}
		p.line("%s %s", head, Line(t))
	}
	p.sayWeakens(r)
}

// sayWeakens says what a change of the contract asks less of, and what it asks for instead.
func (p *page) sayWeakens(r *receipt.Receipt) {
	was := contract.Direction("")
	for i, w := range r.Contract.Weakens {
		head := "          "
		if i == 0 {
			p.line("")
		}
		if w.Direction != was {
			head, was = "Weakens   ", w.Direction
			if w.Direction == contract.Changed {
				head = "Changes   "
			}
		}
		p.line("%s %s", head, Line(WeakeningText(w)))
	}
	if r.Contract.WeakensMore > 0 {
		p.line("%s and %s", "          ", Many(r.Contract.WeakensMore, "more change"))
	}
}

// WeakeningText is one change of a contract in words, not yet fit for any place.
func WeakeningText(w contract.Weakening) string {
	if w.Outcome == "" || strings.Contains(w.Text, "outcome "+w.Outcome+" ") {
		return w.Text
	}
	return w.Outcome + ": " + w.Text
}

// shownProtected is how many protected paths stand open: the first ones tell what kind of change it is.
const shownProtected = 10

func protectedList(r *receipt.Receipt) string {
	var b, more strings.Builder
	for i, t := range r.Protected {
		if i == 0 {
			b.WriteString("\n**Protected paths that this change touches**\n\n")
		}
		to := &b
		if i >= shownProtected {
			to = &more
		}
		fmt.Fprintf(to, "- %s\n", Code(t))
	}
	b.WriteString(folded(Many(len(r.Protected)-shownProtected, "more path"), more.String()))
	return b.String() + weakensList(&r.Contract)
}

// shownWeakens is how many changes of the contract stand open, of each direction.
const shownWeakens = 15

func weakensList(c *receipt.Contract) string {
	var b strings.Builder
	for _, part := range []struct {
		direction contract.Direction
		head      string
	}{
		{contract.Weaker, "What the change weakens in the contract"},
		{contract.Changed, "What it asks for instead, of which nobody can tell that it is as much"},
	} {
		n := 0
		var more strings.Builder
		for _, w := range c.Weakens {
			if w.Direction != part.direction {
				continue
			}
			to := &b
			if n == 0 {
				b.WriteString("\n**" + part.head + "**\n\n")
			}
			if n >= shownWeakens {
				to = &more
			}
			n++
			fmt.Fprintf(to, "- %s\n", Prose(WeakeningText(w)))
		}
		b.WriteString(folded(Many(n-shownWeakens, "more change"), more.String()))
	}
	if c.WeakensMore > 0 {
		b.WriteString("\nand " + Many(c.WeakensMore, "further change") + " that no receipt keeps.\n")
	}
	return b.String()
}

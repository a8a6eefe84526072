package report

import (
	"fmt"
	"strings"
	"testing"
)

// TestLimits holds each limit of a report just under and just over: at the limit it is a report, one further it is
// doubt and never no report at all.
func TestLimits(t *testing.T) {
	t.Parallel()
	with := func(member string) string {
		return `{"outcome":"succeeded","evidence":["12 tests pass"],"more":` + member + `}`
	}
	for _, c := range []struct {
		name  string
		limit int
		text  func(n int) string
		over  Problem
	}{
		{"bytes of a text", maxText, func(n int) string {
			return with("1") + strings.Repeat(" ", n-len(with("1")))
		}, Broken},
		{"bytes of a block", maxBlock, func(n int) string {
			return with(`"` + strings.Repeat("x", n-len(with(`""`))) + `"`)
		}, Broken},
		{"levels", maxDepth, func(n int) string { return with(strings.Repeat("[", n-1) + strings.Repeat("]", n-1)) }, Broken},
		{"items of an array", maxItems, func(n int) string { return with("[" + strings.Repeat("0,", n-1) + "0]") }, Broken},
		{"members of an object", maxItems, func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, `,"m%d":0`, i)
			}
			return with("{" + b.String()[1:] + "}")
		}, Broken},
		{"bytes of a number", maxNumber, func(n int) string { return with("1" + strings.Repeat("0", n-1)) }, Broken},
		{"an exponent", maxExponent, func(n int) string { return with(fmt.Sprintf("1e%d", n)) }, Broken},
		{"blocks", maxBlocks, func(n int) string { return strings.Repeat("```json\n"+with("1")+"\n```\n\n", n) }, Ambiguous},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			read := func(n int) Reading { return Read([]Text{{Carrier: "file", Body: c.text(n)}}, Options{}) }
			if r := read(c.limit); !r.Found || r.Problem != "" {
				t.Errorf("at %d: %q, %v", c.limit, r.Problem, r.Errors)
			}
			if r := read(c.limit + 1); !r.Found || r.Problem != c.over || len(r.Errors) == 0 {
				t.Errorf("over %d: found %t, %q, %v", c.limit, r.Found, r.Problem, r.Errors)
			}
		})
	}
}

package input

import (
	"io"
	"strconv"
	"strings"
)

// GoJSON writes the event stream of `go test -json`: one test a package with a hundred subtests, each with its four lines of output,
// every fiftieth failed.
func GoJSON(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 7)
	for pkg := 0; p.facts.Bytes < size; pkg++ {
		name := `","Package":"example.org/shop/cart` + strconv.Itoa(pkg)
		head := func(action string) {
			p.put(`{"Time":"2026-11-30T14:43:46.`, p.dice.digits(1e9), `Z","Action":"`, action, name, `"`)
		}
		head("start")
		p.put("}\n")
		failed := false
		const parent = `,"Test":"TestTotals"`
		p.facts.Tests++
		head("run")
		p.put(parent, "}\n")
		for range 100 {
			test := "TestTotals/rounds_half_up_" + p.test()
			about := `,"Test":"` + test + `"`
			verdict, end := "PASS", "pass"
			if p.dice.oneIn(50) {
				verdict, end, failed = "FAIL", "fail", true
			}
			head("run")
			p.put(about, "}\n")
			head("output")
			p.put(about, `,"Output":"=== RUN   `, test, `\n"}`, "\n")
			for range 2 {
				head("output")
				p.put(about, `,"Output":"    cart_test.go:`, p.dice.digits(1000), `: charged \"`, p.dice.digits(100), ` items\" in \u003c`, p.dice.digits(100), ` ms\u003e\n"}`, "\n")
			}
			head("output")
			p.put(about, `,"Output":"--- `, verdict, `: `, test, ` (0.00s)\n"}`, "\n")
			head(end)
			p.put(about, ",\"Elapsed\":0.01}\n")
		}
		word, end, last := "ok  ", "pass", `PASS\n`
		if failed {
			word, end, last = "FAIL", "fail", `FAIL\nexit status 1\n`
		}
		head(end)
		p.put(parent, ",\"Elapsed\":0.02}\n")
		for line := range strings.SplitAfterSeq(strings.TrimSuffix(last, `\n`), `\n`) {
			head("output")
			p.put(`,"Output":"`, strings.TrimSuffix(line, `\n`), `\n"}`, "\n")
		}
		head("output")
		p.put(`,"Output":"`, word, `\texample.org/shop/cart`, strconv.Itoa(pkg), `\t0.012s\n"}`, "\n")
		head(end)
		p.put(",\"Elapsed\":0.02}\n")
	}
	return p.done()
}

// TAPFlat writes one level of test lines, a failure of each fiftieth with its YAML block, and the plan at the end.
func TAPFlat(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 8)
	p.put("TAP version 14\n")
	for p.facts.Bytes < size {
		p.tapLine("")
	}
	p.put("1..", strconv.Itoa(p.facts.Tests), "\n")
	return p.done()
}

func (p *page) tapLine(indent string) {
	p.tapTest(indent, p.test())
}

func (p *page) tapTest(indent, number string) {
	if p.dice.oneIn(50) {
		p.put(indent, "not ok ", number, " - rounds half up ", number, "\n", indent, "  ---\n", indent, "  message: expected ", p.dice.digits(100), "\n",
			indent, "  at: cart.js:", p.dice.digits(1000), "\n", indent, "  ...\n")
		return
	}
	p.put(indent, "ok ", number, " - rounds half up ", number, " # time=", p.dice.digits(100), "ms\n")
}

// TAPNested writes subtests of twenty lines each. The lines that close them are its tests.
func TAPNested(w io.Writer, size int64) (Facts, error) {
	const inner = 20
	p := newPage(w, 9)
	p.put("TAP version 14\n")
	outer := 0
	for p.facts.Bytes < size {
		outer++
		p.facts.Tests++
		p.put("# Subtest: cart ", strconv.Itoa(outer), "\n")
		for i := range inner {
			p.put("    ok ", strconv.Itoa(i+1), " - rounds ", p.dice.digits(1e6), " # time=", p.dice.digits(100), "ms\n")
		}
		p.put("    1..", strconv.Itoa(inner), "\nok ", strconv.Itoa(outer), " - cart ", strconv.Itoa(outer), " # time=12ms\n")
	}
	p.put("1..", strconv.Itoa(outer), "\n")
	return p.done()
}

// CTRF writes a CTRF report whose summary is right.
func CTRF(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 10)
	p.put(`{"reportFormat":"CTRF","specVersion":"0.0.0","results":{"tool":{"name":"jest"},"tests":[`)
	for p.facts.Bytes < size {
		if p.facts.Tests > 0 {
			p.put(",")
		}
		n := p.test()
		p.put("\n", `{"name":"rounds half up `, n, `","status":"passed","duration":`, p.dice.digits(1000), `,"suite":["cart","totals"],"filePath":"src/cart.test.ts","message":"charged \"`, p.dice.digits(100), `\" items"}`)
	}
	n := strconv.Itoa(p.facts.Tests)
	p.put("\n", `],"summary":{"tests":`, n, `,"passed":`, n, `,"failed":0,"pending":0,"skipped":0,"other":0,"start":1,"stop":2}}}`, "\n")
	return p.done()
}

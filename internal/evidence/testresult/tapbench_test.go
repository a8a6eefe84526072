package testresult

import (
	"bytes"
	"fmt"
	"testing"
)

// generatedTAP writes a stream of about n bytes as node:test does: subtests, comments and diagnostics.
func generatedTAP(n int) []byte {
	var b bytes.Buffer
	b.WriteString("TAP version 13\n")
	suites := 0
	for ; b.Len() < n; suites++ {
		fmt.Fprintf(&b, "# Subtest: cart %d\n", suites)
		for i := range 20 {
			fmt.Fprintf(&b, "    # Subtest: rounds half up %d\n    ok %d - rounds half up %d\n      ---\n      duration_ms: 0.%d\n      ...\n", i, i+1, i, suites%1000)
		}
		fmt.Fprintf(&b, "    1..20\nok %d - cart %d\n  ---\n  duration_ms: 1.%d\n  type: 'suite'\n  ...\n", suites+1, suites, suites%1000)
	}
	fmt.Fprintf(&b, "1..%d\n# tests %d\n# pass %d\n# fail 0\n", suites, suites*20, suites*20)
	return b.Bytes()
}

// generatedFlatTAP writes a stream of about n bytes of nothing but points.
func generatedFlatTAP(n int) []byte {
	var b bytes.Buffer
	b.WriteString("TAP version 13\n")
	points := 0
	for ; b.Len() < n; points++ {
		fmt.Fprintf(&b, "ok %d - cart > totals > rounds half up, case %d\n", points+1, points)
	}
	fmt.Fprintf(&b, "1..%d\n", points)
	return b.Bytes()
}

func generatedLibtest(n int) []byte {
	var b bytes.Buffer
	for suite := 0; b.Len() < n; suite++ {
		b.WriteString(`{ "type": "suite", "event": "started", "test_count": 200 }` + "\n")
		for i := range 200 {
			fmt.Fprintf(&b, `{ "type": "test", "event": "started", "name": "cart%d::tests::rounds_half_up_%d" }`+"\n", suite, i)
			fmt.Fprintf(&b, `{ "type": "test", "name": "cart%d::tests::rounds_half_up_%d", "event": "ok", "exec_time": 0.000003476 }`+"\n", suite, i)
		}
		b.WriteString(`{ "type": "suite", "event": "ok", "passed": 200, "failed": 0, "ignored": 0, "measured": 0, "filtered_out": 0, "exec_time": 0.152765197 }` + "\n")
	}
	return b.Bytes()
}

func benchmarkStream(b *testing.B, data []byte) {
	b.Run("read", func(b *testing.B) { plainRead(b, data) })
	b.Run("count", func(b *testing.B) { benchmarkFormat(b, data, nil) })
	b.Run("visit", func(b *testing.B) { benchmarkFormat(b, data, func(*Case) {}) })
}

func BenchmarkTAP(b *testing.B)     { benchmarkStream(b, generatedTAP(benchmarkBytes)) }
func BenchmarkTAPFlat(b *testing.B) { benchmarkStream(b, generatedFlatTAP(benchmarkBytes)) }
func BenchmarkLibtest(b *testing.B) { benchmarkStream(b, generatedLibtest(benchmarkBytes)) }

package testresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// benchmarkBytes is the size of generated inputs: larger than any cache, small enough for a laptop.
const benchmarkBytes = 32 << 20

// generatedJUnit writes a surefire-like document of about n bytes: most records bare, some failed with a stack trace.
func generatedJUnit(n int) []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"all\">\n")
	for suite := 0; b.Len() < n; suite++ {
		fmt.Fprintf(&b, "  <testsuite name=\"org.example.shop.cart.Cart%dTest\" time=\"1.5\" hostname=\"ci-7\">\n", suite)
		for i := range 200 {
			fmt.Fprintf(&b, "    <testcase name=\"totalsRoundHalfUp[%d]\" classname=\"org.example.shop.cart.Cart%dTest\" time=\"0.0%d\"", i, suite, i)
			switch {
			case i%50 == 7:
				b.WriteString(">\n      <failure message=\"expected: &lt;3&gt; but was: &lt;4&gt;\" type=\"org.opentest4j.AssertionFailedError\">" +
					strings.Repeat("\n\tat org.example.shop.cart.Cart.total(Cart.java:118)", 20) + "\n</failure>\n    </testcase>\n")
			case i%25 == 3:
				b.WriteString(">\n      <system-out><![CDATA[" + strings.Repeat("charged 3 items in 12 ms\n", 12) + "]]></system-out>\n    </testcase>\n")
			case i%40 == 11:
				b.WriteString(">\n      <skipped/>\n    </testcase>\n")
			default:
				b.WriteString("/>\n")
			}
		}
		b.WriteString("  </testsuite>\n")
	}
	b.WriteString("</testsuites>\n")
	return b.Bytes()
}

// generatedGoJSON writes an event stream of about n bytes.
func generatedGoJSON(n int) []byte {
	var b bytes.Buffer
	for pkg := 0; b.Len() < n; pkg++ {
		head := func(action, test string) {
			fmt.Fprintf(&b, `{"Time":"2026-11-30T14:43:46.004%05dZ","Action":"%s","Package":"example.org/shop/cart%d"`, b.Len()%99999, action, pkg)
			if test != "" {
				fmt.Fprintf(&b, `,"Test":"%s"`, test)
			}
		}
		head("start", "")
		b.WriteString("}\n")
		for i := range 100 {
			test := fmt.Sprintf("TestTotals/rounds_half_up_%d", i)
			head("run", test)
			b.WriteString("}\n")
			head("output", test)
			fmt.Fprintf(&b, `,"Output":"=== RUN   %s\n"}`+"\n", test)
			for line := range 3 {
				head("output", test)
				fmt.Fprintf(&b, `,"Output":"    cart_test.go:%d: charged %d items in \u003c12 ms\u003e\n"}`+"\n", line+10, i)
			}
			head("output", test)
			fmt.Fprintf(&b, `,"Output":"--- PASS: %s (0.00s)\n"}`+"\n", test)
			head("pass", test)
			b.WriteString(",\"Elapsed\":0.01}\n")
		}
		head("output", "")
		fmt.Fprintf(&b, `,"Output":"ok  \texample.org/shop/cart%d\t0.012s\n"}`+"\n", pkg)
		head("pass", "")
		b.WriteString(",\"Elapsed\":0.02}\n")
	}
	return b.Bytes()
}

// benchmarkReader hands out at most a window at a time, as a file does.
func benchmarkReader(data []byte) io.Reader { return struct{ io.Reader }{bytes.NewReader(data)} }

// plainRead reads into one buffer, as the readers' own floor.
func plainRead(b *testing.B, data []byte) {
	buf := make([]byte, windowBytes)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r := benchmarkReader(data)
		for {
			if _, err := r.Read(buf); err != nil {
				break
			}
		}
	}
}

func benchmarkFormat(b *testing.B, data []byte, visit func(*Case)) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		res := Read(benchmarkReader(data), "", Limits{}, visit)
		if res.Counts.Tests == 0 || res.Conclusion != Pass && res.Conclusion != Fail {
			b.Fatalf("reads %+v", res)
		}
	}
}

func BenchmarkJUnit(b *testing.B) {
	data := generatedJUnit(benchmarkBytes)
	b.Run("read", func(b *testing.B) { plainRead(b, data) })
	b.Run("count", func(b *testing.B) { benchmarkFormat(b, data, nil) })
	b.Run("visit", func(b *testing.B) { benchmarkFormat(b, data, func(*Case) {}) })
	b.Run("encoding-xml", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := oracleJUnit(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkGoJSON(b *testing.B) {
	data := generatedGoJSON(benchmarkBytes)
	b.Run("read", func(b *testing.B) { plainRead(b, data) })
	b.Run("count", func(b *testing.B) { benchmarkFormat(b, data, nil) })
	b.Run("visit", func(b *testing.B) { benchmarkFormat(b, data, func(*Case) {}) })
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			d := json.NewDecoder(benchmarkReader(data))
			for {
				var e oracleEvent
				if err := d.Decode(&e); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkSmallFiles is the cost of one small file, which is where a fresh buffer for each would show.
func BenchmarkSmallFiles(b *testing.B) {
	data := generatedJUnit(2 << 10)
	data, _, _ = bytes.Cut(data, []byte("</testcase>"))
	data = append(data, "</testcase></testsuite></testsuites>"...)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if res := Read(benchmarkReader(data), "", Limits{}, nil); res.Conclusion != Pass && res.Conclusion != Fail {
			b.Fatalf("reads %+v", res)
		}
	}
}

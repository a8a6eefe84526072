package testresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// generatedCTRF writes a report of about n bytes: most tests passed, some failed with a stack trace.
func generatedCTRF(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"reportFormat":"CTRF","specVersion":"0.0.0","results":{"tool":{"name":"shop-tests"},"tests":[`)
	tests, failed := 0, 0
	for ; b.Len() < n; tests++ {
		if tests > 0 {
			b.WriteByte(',')
		}
		status, more := "passed", ""
		if tests%50 == 7 {
			status = "failed"
			failed++
			more = `,"message":"expected 3\n but was 4","trace":"AssertionError` + strings.Repeat(`\n    at total (src/cart/totals.ts:118:11)`, 20) + `"`
		}
		fmt.Fprintf(&b, `{"name":"rounds half up %d","status":%q,"duration":%d,"start":1796050047%03d,"stop":1796050048%03d,"suite":"cart > totals","rawStatus":%q,"type":"unit","filePath":"src/cart/totals%d.spec.ts","retries":0,"flaky":false%s}`,
			tests, status, tests%90, tests%999, tests%999, status, tests/200, more)
	}
	fmt.Fprintf(&b, `],"summary":{"tests":%d,"passed":%d,"failed":%d,"pending":0,"skipped":0,"other":0,"start":1,"stop":2}}}`, tests, tests-failed, failed)
	return b.Bytes()
}

// generatedJest writes what jest --json does, of about n bytes.
func generatedJest(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"numRuntimeErrorTestSuites":0,"numFailedTests":0,"openHandles":[],"success":true,"wasInterrupted":false,"testResults":[`)
	files, tests := 0, 0
	for ; b.Len() < n; files++ {
		if files > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"assertionResults":[`)
		for i := range 50 {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"ancestorTitles":["cart","totals"],"duration":%d,"failureDetails":[],"failureMessages":[],"fullName":"cart totals rounds half up %d","invocations":1,"location":null,"numPassingAsserts":1,"retryReasons":[],"status":"passed","title":"rounds half up %d"}`, i, i, i)
			tests++
		}
		fmt.Fprintf(&b, `],"endTime":1796050048022,"message":"","name":"/repo/src/cart%d.test.js","startTime":1796050047419,"status":"passed","summary":""}`, files)
	}
	fmt.Fprintf(&b, `],"numPassedTests":%d,"numTotalTests":%d,"numTotalTestSuites":%d}`, tests, tests, files)
	return b.Bytes()
}

func benchmarkJSON(b *testing.B, format string, data []byte) {
	as := func(visit func(*Case)) func(b *testing.B) {
		return func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if res := Read(benchmarkReader(data), format, Limits{}, visit); res.Counts.Tests == 0 || res.Conclusion != Pass && res.Conclusion != Fail {
					b.Fatalf("reads %+v", res)
				}
			}
		}
	}
	b.Run("read", func(b *testing.B) { plainRead(b, data) })
	b.Run("count", as(nil))
	b.Run("visit", as(func(*Case) {}))
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCTRF is to be at least twice as fast as Node's JSON.parse of the same document.
func BenchmarkCTRF(b *testing.B) { benchmarkJSON(b, "ctrf", generatedCTRF(benchmarkBytes)) }

func BenchmarkJest(b *testing.B) { benchmarkJSON(b, "jest", generatedJest(benchmarkBytes)) }

// BenchmarkDetect is what telling the format of one small JSON document costs.
func BenchmarkDetect(b *testing.B) {
	head := generatedCTRF(headBytes)[:headBytes]
	for b.Loop() {
		if Detect(head) != "ctrf" {
			b.Fatal("not told")
		}
	}
}

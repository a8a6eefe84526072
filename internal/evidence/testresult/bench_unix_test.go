//go:build unix

package testresult

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// cpuSeconds is the processor time that the process has used. Ratios of it hold on a machine that is busy
// with other things, where ratios of wall time do not.
func cpuSeconds(tb testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Skipf("processor time: %v", err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// leastCPU returns the least processor time of several runs of f, in seconds.
func leastCPU(tb testing.TB, f func()) float64 {
	least := math.Inf(1)
	for range 7 {
		before := cpuSeconds(tb)
		f()
		least = min(least, cpuSeconds(tb)-before)
	}
	return least
}

// BenchmarkRatio compares the readers with the standard library's and with a plain read of the same file,
// all in one run, by processor time: x-json and x-xml say how many times faster, x-read how many times the
// cost of reading.
func BenchmarkRatio(b *testing.B) {
	for _, c := range []struct {
		name string
		data []byte
		peer func([]byte)
	}{
		{"junit/x-xml", generatedJUnit(benchmarkBytes), readXMLTokens},
		{"nunit/x-xml", generatedDotNet("nunit", benchmarkBytes), readXMLTokens},
		{"trx/x-xml", generatedDotNet("trx", benchmarkBytes), readXMLTokens},
		{"xunit/x-xml", generatedDotNet("xunit", benchmarkBytes), readXMLTokens},
		{"go-json/x-json", generatedGoJSON(benchmarkBytes), readJSONEvents},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "results")
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				read := leastCPU(b, func() { readWhole(b, path) })
				own := leastCPU(b, func() { readOwn(b, path, nil) })
				visit := leastCPU(b, func() { readOwn(b, path, func(*Case) {}) })
				peer := leastCPU(b, func() { c.peer(c.data) })
				b.ReportMetric(float64(len(c.data))/own/1e6, "MB/s")
				b.ReportMetric(float64(len(c.data))/visit/1e6, "MB/s-visited")
				b.ReportMetric(peer/own, "x-faster")
				b.ReportMetric(peer/visit, "x-faster-visited")
				b.ReportMetric(own/read, "x-read")
			}
		})
	}
}

func readWhole(tb testing.TB, path string) {
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, windowBytes)
	for {
		if _, err := f.Read(buf); err != nil {
			return
		}
	}
}

func readOwn(tb testing.TB, path string, visit func(*Case)) {
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	if res := Read(f, "", Limits{}, visit); res.Counts.Tests == 0 {
		tb.Fatalf("reads %+v", res)
	}
}

func readXMLTokens(data []byte) {
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := d.Token(); err != nil {
			return
		}
	}
}

func readJSONEvents(data []byte) {
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var e oracleEvent
		if err := d.Decode(&e); err != nil {
			return
		}
	}
}

package main

import (
	"io"

	"github.com/outcome-gate/outcome-gate/bench/input"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// scale is how large the inputs are and how often everything runs.
type scale struct {
	rounds             int
	large, script      int64 // one JUnit file: for native programs, for scripts
	events, tap, other int64
	small, tree        int // files
	many               int // small files, for what is kept of each
	noise              int64
	memory             int64 // of a huge document
	cases              int64
}

func quick() scale {
	return scale{
		rounds: 3, large: 100 * mib, script: 15 * mib, events: 100 * mib, tap: 12 * mib, other: 50 * mib,
		small: 3000, tree: 60_000, many: 20_000, noise: 256 * mib, memory: gib, cases: 100 * mib,
	}
}

func full() scale {
	return scale{
		rounds: 5, large: 300 * mib, script: 30 * mib, events: 500 * mib, tap: 32 * mib, other: 100 * mib,
		small: 20_000, tree: 300_000, many: 100_000, noise: gib, memory: 3 * gib, cases: 100 * mib,
	}
}

// measureBy is the figure that a row is judged by.
type measureBy int

const (
	byNone measureBy = iota
	byCPU            // the peer's by ours: at least the goal
	byCost           // ours by the peer's: at most the goal
	byWall           // the peer's wall time by ours: at least the goal
	byRSS            // our resident MiB: at most the goal
	byTime           // our CPU in milliseconds: at most the goal
)

// row is one line of the table: what is read, by whom, and what is asked for.
type row struct {
	name string
	peer string // "" where only our own figure counts
	by   measureBy
	goal float64
	from func(w *workshop) (ours, peer program, err error)
}

// rows lists the comparisons, in the order of the table.
func rows() []row {
	junit := func(size func(scale) int64, other peer) func(*workshop) (program, program, error) {
		return onFile("junit", size, other)
	}
	large := func(s scale) int64 { return s.large }
	script := func(s scale) int64 { return s.script }
	events := func(s scale) int64 { return s.events }
	tap := func(s scale) int64 { return s.tap }
	other := func(s scale) int64 { return s.other }
	out := []row{
		{"JUnit, one file", "cat > /dev/null", byCost, 10, junit(large, catFile)},
		{"JUnit, one file", "xmllint --stream", byCPU, 3, junit(large, xmllint)},
		{"JUnit, one file", "encoding/xml tokens", byCPU, 10, junit(large, goPeer("encoding/xml"))},
		{"JUnit, one file", "encoding/xml Unmarshal", byCPU, 10, junit(large, goPeer("encoding/xml-unmarshal"))},
		{"JUnit, one file", "joshdk/go-junit", byCPU, 10, junit(script, goPeer("go-junit"))},
		{"JUnit, one file", "xml2js (dorny)", byCPU, 50, junit(script, nodePeer("xml2js"))},
		{"JUnit, one file", "xml-js (mikepenz)", byCPU, 50, junit(script, nodePeer("xml-js"))},
		{"JUnit, one file", "fast-xml-parser", byCPU, 50, junit(script, nodePeer("fast-xml-parser"))},
		{"JUnit, one file", "junit-to-ctrf", byCPU, 70, junit(script, junitToCTRF)},
		{"JUnit, many small files", "find | xargs cat", byCost, 1.5, onSmallFiles(findCat)},
		{"JUnit, many small files", "xml2js (dorny)", byCPU, 15, onSmallFiles(nodePeer("xml2js"))},
		{"JUnit, many small files", "xml-js (mikepenz)", byCPU, 15, onSmallFiles(nodePeer("xml-js"))},
		{"JUnit, many small files", "itself on one core", byWall, 1.6, onSmallFiles(oneCore)},
		{"go test -json", "cat > /dev/null", byCost, 20, onFile("go-json", events, catFile)},
		{"go test -json", "gotestsum", byCPU, 8, onFile("go-json", events, gotestsum)},
		{"go test -json", "encoding/json", byCPU, 6, onFile("go-json", events, goPeer("encoding/json"))},
		{"go test -json", "go-json-experiment", byCPU, 3, onFile("go-json", events, goPeer("go-json-experiment"))},
		{"TAP, flat", "tap-parser", byCPU, 50, onFile("tap-flat", tap, nodePeer("tap-parser"))},
		{"TAP, nested", "tap-parser", byCPU, 50, onFile("tap-nested", tap, nodePeer("tap-parser"))},
		{"TRX", "encoding/xml tokens", byCPU, 10, onFile("trx", other, goPeer("encoding/xml"))},
		{"NUnit", "encoding/xml tokens", byCPU, 10, onFile("nunit", other, goPeer("encoding/xml"))},
		{"CTRF", "JSON.parse", byCPU, 2, onFile("ctrf", other, nodePeer("JSON.parse"))},
		{"SHA-256 of one file", "openssl dgst -sha256", byCost, 1.05, onDigest},
		{"one pattern over a tree", "find", byCost, 0.6, onTree(findTree)},
		{"one pattern over a tree", "doublestar", byCPU, 1, onTree(goPeer("doublestar"))},
		{"one pattern over a tree", "fast-glob", byCPU, 5, onTree(nodePeer("fast-glob"))},
		{"one pattern over a tree", "@actions/glob", byCPU, 50, onTree(nodePeer("@actions/glob"))},
		{"gate version", "", byTime, 20, version},
		{"memory: gate tests, many cases", "", byRSS, 32, onStream(input.JUnitCases, "", func(s scale) int64 { return s.memory })},
		{"memory: gate tests, many small files", "", byRSS, 32, onManyFiles},
		{"memory: gate check, many small files", "", byRSS, 32, onCheckedFiles},
		{"memory: gate check, many cases", "", byRSS, 32, onCheckedCases},
		{"memory: gate check, huge CDATA", "", byRSS, 32, onCheckedCDATA},
	}
	for _, h := range input.Hostiles() {
		size := func(s scale) int64 { return min(s.memory, gib) }
		if h.Code == "" {
			size = func(s scale) int64 { return s.memory }
		}
		out = append(out, row{"memory: gate tests, " + h.Name, "", byRSS, 32, onStream(h.Write, h.Code, size)})
	}
	return out
}

// writer writes an input of a size.
type writer = func(w io.Writer, size int64) (input.Facts, error)

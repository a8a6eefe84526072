package evidence

import (
	"encoding/hex"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

const (
	// maxFailing is how many failing tests facts list; the rest is counted.
	maxFailing = 20
	// maxMatched is how many tests facts list of one must_pass pattern.
	maxMatched = 10
	// maxPatternBytes is what facts keep of a pattern; the parameters hold all of it.
	maxPatternBytes = 100
	// maxFactNotes is how many readers' notes facts list.
	maxFactNotes = 20
	// maxLost and maxRenames are how many lost and renamed tests facts list.
	maxLost    = 20
	maxRenames = 10
)

// testsFacts is what result files hold. Counts of tests are distinct identities (with as many occurrences as the
// file with the most has), Records are sums over all files.
type testsFacts struct {
	Files        int               `json:"files"`
	Formats      []string          `json:"formats,omitempty"`
	Records      testresult.Counts `json:"records"`
	Executed     int               `json:"executed"`
	Failed       int               `json:"failed"` // failed, errored or never ended
	Skipped      int               `json:"skipped"`
	Flaky        int               `json:"flaky"`
	Digest       string            `json:"test_set_sha256,omitempty"` // over the sorted identities
	Failing      []failingTest     `json:"failing,omitempty"`         // with new_failures_only, the new ones
	MustPass     []mustPassFact    `json:"must_pass,omitempty"`       // in the order of the patterns
	RunFailed    int               `json:"run_failed"`                // files whose run failed beyond its records
	RunFailures  []trouble         `json:"run_failures,omitempty"`
	Troubles     int               `json:"troubles"` // files that allow no conclusion
	TroubleFiles []trouble         `json:"trouble_files,omitempty"`
	Notes        []trouble         `json:"notes,omitempty"`
	// Cached is the number of packages whose results were replayed from a cache.
	Cached         int       `json:"cached"`
	CachedPackages []string  `json:"cached_packages,omitempty"`
	Base           *baseFact `json:"base,omitempty"`
	// ListsCut says that a list lacks entries for want of room; any other list is as long as its count and bound say.
	ListsCut bool `json:"lists_cut,omitempty"`
}

type failingTest struct {
	ID      string `json:"id"`
	Results string `json:"results"` // the result file
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message,omitempty"`
}

type mustPassFact struct {
	Pattern         string   `json:"pattern"`
	Matched         int      `json:"matched"`     // distinct tests
	NotPassing      int      `json:"not_passing"` // of them, with a record that did not pass
	Tests           []string `json:"tests,omitempty"`
	NotPassingTests []string `json:"not_passing_tests,omitempty"`
	Near            string   `json:"near,omitempty"`
}

type baseFact struct {
	Files     int      `json:"files"`
	Trouble   trouble  `json:"trouble"` // with a code: the base decides nothing
	Executed  int      `json:"executed"`
	Failed    int      `json:"failed"`
	Digest    string   `json:"test_set_sha256,omitempty"`
	NewFailed int      `json:"new_failed"`
	Kept      keptFact `json:"kept"` // with keep_tests, of what ran in the base
}

func observeTests(p *testsParams, in *Input) testsFacts {
	r := readResults(in.Documents, p.AllowCountMismatch)
	f := testsFacts{
		Files: r.files, Records: r.counts, Executed: r.all.executed().distinct(), Failed: r.all.failing().total(),
		Skipped: r.all.bags[classSkipped].total(), Flaky: r.all.bags[classFlaky].total(),
		RunFailed: len(r.broken), Troubles: len(r.troubles),
	}
	space := newRoom()
	if f.Records.Tests > 0 {
		f.Digest = hexDigest(r.all)
	}
	f.TroubleFiles = space.troubles(r.troubles, maxTroubles)
	f.RunFailures = space.troubles(r.broken, maxTroubles)
	failing := r.all.failing().has
	if p.Baseline != nil && p.comparing() {
		base, fresh := observeBase(p, in, r, space)
		f.Base = base
		if p.NewFailuresOnly && base.Trouble.Code == "" {
			failing = fresh.has
		}
	}
	if f.Failed > 0 {
		f.Failing = listFailing(r, failing, space)
	}
	f.MustPass = observeMustPass(p.MustPass, r.sets, space)
	f.readers(in.Documents, space)
	f.ListsCut = space.short
	return f
}

func hexDigest(t *tallied) string {
	sum := t.digest()
	return hex.EncodeToString(sum[:])
}

// troubles keeps what there is room for.
func (r *room) troubles(all []trouble, limit int) []trouble {
	var out []trouble
	for _, t := range all {
		if len(out) >= limit || !r.take(t.File, t.Code, t.Detail) {
			break
		}
		out = append(out, t)
	}
	return out
}

// readers adds what the readers say of the files: formats, caches, notes.
func (f *testsFacts) readers(docs []Document, space *room) {
	seen := map[string]bool{}
	for _, d := range docs {
		if d.Tests == nil || d.Tests.Results == nil {
			continue
		}
		s := d.Tests
		if !seen[s.Format] && s.Format != "" && len(seen) < maxTroubles {
			seen[s.Format] = true
			f.Formats = space.add(f.Formats, s.Format, maxTroubles)
		}
		f.Cached += max(s.CachedN, len(s.Cached))
		for _, c := range s.Cached {
			f.CachedPackages = space.add(f.CachedPackages, c, maxFactNotes)
		}
		for _, n := range s.Notes {
			if len(f.Notes) < maxFactNotes {
				f.Notes = append(f.Notes, space.troubles([]trouble{{
					File: clip(d.Name, maxNameBytes), Code: clip(n.Code, 64), Detail: clip(n.Detail, maxNameBytes), Line: n.Line,
				}}, 1)...)
			}
		}
	}
}

// listFailing lists the first failing tests that count, each once.
func listFailing(r *results, counts func(identity) bool, space *room) []failingTest {
	var out []failingTest
	listed := map[identity]bool{}
	for i, s := range r.sets {
		if len(out) >= maxFailing {
			break
		}
		s.Each(func(c *testresult.Case) bool {
			switch classOf(c.Status) {
			case classPassed, classFlaky, classSkipped:
				return true
			case classFailed, classErrored, classUnfinished:
			}
			id := identityOf(c.Key)
			if listed[id] || !counts(id) {
				return true
			}
			listed[id] = true
			t := failingTest{
				ID: clip(c.ID, maxNameBytes), Results: r.names[i], File: clip(c.File, maxNameBytes),
				Line: max(c.Line, 0), Message: clip(c.Message, maxNameBytes),
			}
			if !space.take(t.ID, t.Results, t.File, t.Message) {
				return false
			}
			out = append(out, t)
			return len(out) < maxFailing
		})
	}
	return out
}

// observeMustPass matches all patterns in one pass over the records.
func observeMustPass(texts []string, sets []*TestSet, space *room) []mustPassFact {
	if len(texts) == 0 {
		return nil
	}
	patterns := newPatterns(texts)
	out := make([]mustPassFact, len(patterns))
	matched, bad := make([]bag, len(patterns)), make([]bag, len(patterns))
	for _, s := range sets {
		s.Each(func(c *testresult.Case) bool {
			for i, p := range patterns {
				if !p.matches(c) {
					continue
				}
				id := identityOf(c.Key)
				matched[i].add(id)
				if k := classOf(c.Status); k == classPassed || k == classFlaky {
					out[i].Tests = space.addNew(out[i].Tests, c.ID, maxMatched)
					continue
				}
				bad[i].add(id)
				out[i].NotPassingTests = space.addNew(out[i].NotPassingTests, c.ID, maxMatched)
			}
			return true
		})
	}
	for i, p := range patterns {
		matched[i].sort(func(identity, int32) {})
		bad[i].sort(func(identity, int32) {})
		out[i].Pattern = clip(p.text, maxPatternBytes)
		out[i].Matched, out[i].NotPassing = matched[i].n, bad[i].n
		if out[i].Matched == 0 {
			out[i].Near = space.one(p.near(sets))
		}
	}
	return out
}

// addNew is add for a list that holds each text once.
func (r *room) addNew(list []string, s string, limit int) []string {
	if len(list) >= limit {
		return list
	}
	clipped := clip(s, maxNameBytes)
	for _, have := range list {
		if have == clipped {
			return list
		}
	}
	return r.add(list, s, limit)
}

// observeBase compares with the merge base; fresh are the failing identities that the base does not have.
func observeBase(p *testsParams, in *Input, head *results, space *room) (f *baseFact, fresh runs) {
	docs := in.Reads[baselineRole]
	r := readResults(docs, p.AllowCountMismatch)
	f = &baseFact{Files: r.files, Trouble: baseTrouble(docs, p.Baseline, in.ReadError[baselineRole], r)}
	if f.Trouble.Code != "" {
		return f, nil
	}
	f.Executed, f.Failed, f.Digest = r.all.executed().distinct(), r.all.failing().total(), hexDigest(r.all)
	before := r.all.failing()
	now := head.all.failing()
	now.each(func(id identity) {
		if more := now.count(id) - before.count(id); more > 0 {
			fresh = append(fresh, run{id, 1})
			f.NewFailed += more
		}
	})
	if p.KeepTests {
		f.Kept = observeKept(r.all.executed().has, newPatterns(p.Ignore), r, head, in.ApprovedBy, space)
	}
	return f, fresh
}

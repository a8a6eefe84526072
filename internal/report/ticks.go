package report

import "bytes"

// ticks knows the runs of backticks of a paragraph, so that the end of each code span is found without looking
// for it again and again.
type ticks struct {
	runs     []tickRun
	next     int           // the first run that was not passed yet
	byLength map[int][]int // for each length the runs that have it and were not passed yet
}

type tickRun struct{ at, length int }

func findTicks(text []byte, from int) *ticks {
	t := &ticks{byLength: map[int][]int{}}
	for i := from; i < len(text); {
		k := bytes.IndexByte(text[i:], '`')
		if k < 0 {
			break
		}
		i += k
		n := runLength(text[i:], '`')
		t.byLength[n] = append(t.byLength[n], len(t.runs))
		t.runs = append(t.runs, tickRun{at: i, length: n})
		i += n
	}
	return t
}

// skip gives where the code span that begins at i ends or, if none does, where the run of backticks ends.
func (t *ticks) skip(i int) int {
	for t.runs[t.next].at+t.runs[t.next].length <= i {
		t.next++
	}
	run := t.runs[t.next]
	length := run.at + run.length - i // a backslash before i took the first backtick of the run
	twins := t.byLength[length]
	for len(twins) > 0 && twins[0] <= t.next {
		twins = twins[1:]
	}
	t.byLength[length] = twins
	if len(twins) == 0 {
		return i + length
	}
	end := t.runs[twins[0]]
	return end.at + end.length
}

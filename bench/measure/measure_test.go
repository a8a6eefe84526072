package measure_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/bench/measure"
)

// TestMain is also the program that the tests run: CHILD says what it does.
func TestMain(m *testing.M) {
	switch os.Getenv("CHILD") {
	case "":
		os.Exit(m.Run())
	case "spin":
		for began := time.Now(); time.Since(began) < 200*time.Millisecond; {
		}
	case "hold":
		held := make([]byte, 200<<20)
		for i := 0; i < len(held); i += 1 << 10 {
			held[i] = 1
		}
	case "count":
		n, _ := io.Copy(io.Discard, os.Stdin)
		_, _ = os.Stdout.WriteString(strconv.FormatInt(n, 10))
	case "leave": // without reading
	case "fail":
		_, _ = os.Stderr.WriteString("no such thing")
		os.Exit(7)
	}
	os.Exit(0)
}

func child(what string) measure.Command {
	return measure.Command{Args: []string{os.Args[0]}, Env: []string{"CHILD=" + what}}
}

func TestRun(t *testing.T) {
	ctx := context.Background()
	spin, err := measure.Run(ctx, child("spin"))
	if err != nil || spin.CPU < 10*time.Millisecond || spin.Wall < 200*time.Millisecond {
		t.Errorf("spin: %+v, %v", spin, err)
	}
	hold, err := measure.Run(ctx, child("hold")) // the race detector triples it
	if err != nil || hold.RSS < 200<<20 || hold.RSS > 2<<30 {
		t.Errorf("hold: %+v, %v", hold, err)
	}
	c := child("count")
	c.Feed = func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
		return err
	}
	c.Count = func(out []byte) (int, error) { return strconv.Atoi(string(out)) }
	if u, err := measure.Run(ctx, c); err != nil || u.Tests != 1<<20 {
		t.Errorf("count: %+v, %v", u, err)
	}
	c.Count = func([]byte) (int, error) { return 0, errors.New("unreadable") }
	if _, err := measure.Run(ctx, c); err == nil || !strings.Contains(err.Error(), "unreadable") {
		t.Errorf("an unreadable answer gives %v", err)
	}
	c = child("leave")
	c.Feed = func(w io.Writer) error {
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return err
			}
		}
	}
	if _, err := measure.Run(ctx, c); err != nil {
		t.Errorf("a program that reads no more is an answer, not %v", err)
	}
	if _, err := measure.Run(ctx, child("fail")); err == nil || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("fail gives %v", err)
	}
	c = child("fail")
	c.Exits = []int{7}
	if _, err := measure.Run(ctx, c); err != nil {
		t.Errorf("an exit code that is an answer gives %v", err)
	}
	if _, err := measure.Run(ctx, measure.Command{Args: []string{"/nonexistent"}}); err == nil {
		t.Error("a program that is not there gives no error")
	}
}

func TestPair(t *testing.T) {
	a, b, err := measure.Pair(context.Background(), 2, child("leave"), child("spin"))
	if err != nil || len(a) != 2 || len(b) != 2 || b[0].Wall < 200*time.Millisecond {
		t.Errorf("%+v, %+v, %v", a, b, err)
	}
	for _, pair := range [][2]string{{"fail", "leave"}, {"leave", "fail"}} {
		if _, _, err := measure.Pair(context.Background(), 1, child(pair[0]), child(pair[1])); err == nil {
			t.Errorf("%v gives no error", pair)
		}
	}
}

func TestFigures(t *testing.T) {
	cpu := func(ms ...int) (out []measure.Use) {
		for _, n := range ms {
			out = append(out, measure.Use{CPU: time.Duration(n) * time.Millisecond})
		}
		return out
	}
	of := func(u measure.Use) time.Duration { return u.CPU }
	if got := measure.Median(cpu(9, 1, 5), of); got != 5*time.Millisecond {
		t.Errorf("median %v", got)
	}
	if got := measure.Median(cpu(9, 1, 5, 2), of); got != 2*time.Millisecond {
		t.Errorf("median of four %v", got)
	}
	if got := measure.Median(nil, of); got != 0 {
		t.Errorf("median of none %v", got)
	}
	// Each turn by itself: the second was slow for both.
	seconds := func(u measure.Use) float64 { return u.CPU.Seconds() }
	if got := measure.Ratio(cpu(1, 100, 1), cpu(10, 900, 11), seconds); got != 10 {
		t.Errorf("ratio %v", got)
	}
}

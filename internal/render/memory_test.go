package render

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestRecall holds which comment is the gate's own, and what of it is believed.
func TestRecall(t *testing.T) {
	r := finish(t, base())
	head := r.Subject.HeadSHA
	body := func(change func(*Memory)) string {
		m := Memory{Name: "Gate", HeadSHA: head, RunID: 9, RunAttempt: 1, FirstSeen: noon(), Repairs: map[string]string{"a": head}}
		change(&m)
		return Comment(r, m)
	}
	same := func(*Memory) {}
	s := Search{Own: "bot/Bot", Name: "Gate", From: noon().Add(-time.Hour), To: noon().Add(time.Hour)}
	for _, c := range []struct {
		name string
		all  []Written
		s    Search
		at   int
	}{
		{"none", nil, s, -1},
		{"the newest of its own", []Written{{"bot/Bot", body(same)}, {"bot/Bot", body(same)}, {"other/Bot", body(same)}}, s, 1},
		{"nobody knows whose", []Written{{"bot/Bot", body(same)}, {"", body(same)}, {"/", body(same)}}, Search{Name: "Gate"}, -1},
		{"another kind of account", []Written{{"bot/User", body(same)}}, s, -1},
		{"another gate's", []Written{{"bot/Bot", body(func(m *Memory) { m.Name = "Gate 2" })}}, s, -1},
		{"no commit", []Written{{"bot/Bot", body(func(m *Memory) { m.HeadSHA = "main" })}}, s, -1},
		{"no run", []Written{{"bot/Bot", body(func(m *Memory) { m.RunID = -1 })}}, s, -1},
		{"a repair of no commit", []Written{{"bot/Bot", body(func(m *Memory) { m.Repairs["a"] = strings.Repeat("A", 40) })}}, s, -1},
		{"repairs without end", []Written{{"bot/Bot", body(func(m *Memory) {
			for i := range maxRepairs + 1 {
				m.Repairs[fmt.Sprint(i)] = head
			}
		})}}, s, -1},
		{"no block", []Written{{"bot/Bot", "<!-- outcome-gate:Gate -->\n"}}, s, -1},
	} {
		if at, _ := Recall(c.all, c.s); at != c.at {
			t.Errorf("%s: comment %d, want %d", c.name, at, c.at)
		}
	}
	for offset, kept := range map[time.Duration]bool{0: true, -time.Hour: true, time.Hour: true, -time.Hour - time.Second: false, time.Hour + time.Second: false, 70_000 * time.Hour: false} {
		at, m := Recall([]Written{{"bot/Bot", body(func(m *Memory) { m.FirstSeen = noon().Add(offset) })}}, s)
		if at != 0 || m.FirstSeen.IsZero() == kept || m.Repairs["a"] != head {
			t.Errorf("first seen %s from noon: %d, %+v", offset, at, m)
		}
	}
	if m := Remember(r, "Gate", Memory{HeadSHA: head}); !m.FirstSeen.Equal(r.Now) {
		t.Errorf("what is not believed begins anew: %s", m.FirstSeen)
	}
}

// TestRecallOfTwoComments holds that what a killed run left beside the gate's own comment takes nothing from its memory.
func TestRecallOfTwoComments(t *testing.T) {
	r := finish(t, base())
	head, other, miss := r.Subject.HeadSHA, strings.Repeat("c", 40), strings.Repeat("d", 64)
	s := Search{Own: "bot/Bot", Name: "Gate", From: noon().Add(-time.Hour), To: noon().Add(time.Hour)}
	written := func(m Memory) Written {
		m.Name, m.RunID, m.RunAttempt = "Gate", 9, 1
		return Written{"bot/Bot", Comment(r, m)}
	}
	old := Memory{HeadSHA: head, FirstSeen: noon().Add(-time.Minute), Repairs: map[string]string{"a": head, "b": other}, Corrections: map[string]string{head: miss}}
	fresh := Memory{HeadSHA: head, FirstSeen: noon(), Repairs: map[string]string{"a": other}}
	at, m := Recall([]Written{written(old), written(fresh)}, s)
	if at != 1 || !m.FirstSeen.Equal(old.FirstSeen) || m.Repairs["a"] != other || m.Repairs["b"] != other || m.Corrections[head] != miss {
		t.Errorf("comment %d, %+v", at, m)
	}
	old.HeadSHA = other // when another commit was seen first says nothing of this one
	if _, m := Recall([]Written{written(old), written(fresh)}, s); !m.FirstSeen.Equal(fresh.FirstSeen) {
		t.Errorf("first seen %s", m.FirstSeen)
	}
	if _, m := Recall([]Written{written(fresh), written(old)}, s); !m.FirstSeen.Equal(old.FirstSeen) {
		t.Errorf("in the other order: first seen %s", m.FirstSeen)
	}
}

package claim

import "testing"

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		sense Sense
		ours  float64
		want  Verdict
	}{
		{Equal, 10.5, Matched}, {Equal, 9, Differs}, {Equal, 11, Differs},
		{Lower, 9, Better}, {Lower, 9.5, Matched}, {Lower, 11, Differs},
		{Higher, 11, Better}, {Higher, 9, Differs},
		{AtMost, 1, Matched}, {AtMost, 10.5, Matched}, {AtMost, 10.6, Differs},
		{AtLeast, 100, Matched}, {AtLeast, 9.5, Matched}, {AtLeast, 9.4, Differs},
	} {
		e := Entry{Published: 10, Tolerance: 0.5, Sense: c.sense}
		if got := e.judge(c.ours); got != c.want {
			t.Errorf("sense %d, ours %v: %s, want %s", c.sense, c.ours, got, c.want)
		}
	}
}

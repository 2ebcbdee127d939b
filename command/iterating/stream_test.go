package iterating

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// TestAStreamDecidesAsATraceIsFollowed: demands that arrive one by one lead to the same steps as
// the whole trace, even if the stream stops after every step and another continues from its
// saved state, and if demands in between are given up.
func TestAStreamDecidesAsATraceIsFollowed(t *testing.T) {
	t.Parallel()
	for i, delay := range samples.Few(1, []units.Duration{30_000, 300_000}) {
		r := following(t, experts(t, 3, 20_000), 1+i%2, delay, "")
		trace, err := collective.GenerateDemandTrace("drift:4:0.4", 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		trace = append(trace, trace[1], trace[0]) // some come again
		whole := *r
		whole.DemandTrace = collective.TraceValue{Steps: trace}
		want, err := Iterate(t.Context(), whole)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewStream(t.Context(), *r)
		if err != nil {
			t.Fatal(err)
		}
		for step, d := range trace {
			if step%3 == 1 { // one that never begins
				if _, err := s.Decide(t.Context(), trace[(step+3)%len(trace)]); err != nil {
					t.Fatal(err)
				}
			}
			c, err := s.Decide(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			a, err := s.Agenda(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			o := want.Online.Steps[step]
			if math.Abs(float64(c.Time-o.Time)) > 1e-6 || c.Home != o.Static || c.Rewired != o.Rewired || c.Own != o.Own || c.Bound != o.Bound || a.Iteration > c.Time*(1+1e-9) {
				t.Fatalf("delay %v, step %d: %+v, %v; in a trace %+v", delay, step, c, a.Iteration, o)
			}
			s.Take(c)
			if len(s.game.states) > 18 || len(s.game.demands) > 10 {
				t.Errorf("%d plans and %d demands are kept", len(s.game.states), len(s.game.demands))
			}
			text, err := json.Marshal(s.Memory())
			if err != nil {
				t.Fatal(err)
			}
			var known StreamMemory
			if err := json.Unmarshal(text, &known); err != nil {
				t.Fatal(err)
			}
			if s, err = NewStream(t.Context(), *r); err != nil {
				t.Fatal(err)
			}
			if err := s.Resume(t.Context(), known); err != nil {
				t.Fatal(err)
			}
		}
		if total, home := s.Totals(); math.Abs(float64(total-want.Online.Total)) > 1e-6 || home != want.Online.Static || total > home*(1+1e-9) {
			t.Errorf("delay %v: %v, static %v; in a trace %v, %v", delay, total, home, want.Online.Total, want.Online.Static)
		}
	}
}

// TestABlockedPlanIsNotChosen: whichever plans are blocked, the step uses another plan. The home
// plan can execute every step.
func TestABlockedPlanIsNotChosen(t *testing.T) {
	t.Parallel()
	r := following(t, experts(t, 3, 20_000), 1, 0, "")
	trace, err := collective.GenerateDemandTrace("drift:2:1", 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStream(t.Context(), *r)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range trace {
		var blocked []int
		for len(blocked) < 9 {
			c, err := s.Decide(t.Context(), d, blocked...)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range blocked {
				if c.State == b {
					t.Fatalf("plan %d is blocked", b)
				}
			}
			blocked = append(blocked, c.State)
			if c.State == 0 {
				s.Take(c)
				break
			}
		}
		if len(blocked) < 2 || blocked[len(blocked)-1] != 0 {
			t.Errorf("plans %v are chosen, one after another", blocked)
		}
	}
	if total, home := s.Totals(); total != home {
		t.Errorf("%v, not %v, at home all along", total, home)
	}
}

// TestAStreamRefusesWhatItCannotGoOnFrom, as it refuses demands of others.
func TestAStreamRefusesWhatItCannotGoOnFrom(t *testing.T) {
	t.Parallel()
	r := following(t, experts(t, 3, 20_000), 1, 0, "")
	s, err := NewStream(t.Context(), *r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Decide(t.Context(), collective.Demand{{0, 1}, {1, 0}}); err == nil {
		t.Error("a demand of two")
	}
	for _, text := range []string{
		`{}`, `{"step":1}`, `{"step":-1}`, `{"step":1,"last":"x","player":{"known":[{"state":0}]}}`, `{"player":{"known":[{"state":1}]}}`,
		`{"player":{"known":[{"state":0},{"state":0}]}}`, `{"player":{"at":2,"known":[{"state":0}]}}`, `{"player":{"known":[{"state":0},{"state":3}]}}`,
		`{"demands":[{"demand":"rows:0,1,1;1,0,1;1,1,0","plans":[]}],"player":{"known":[{"state":0}]}}`,
	} {
		var m StreamMemory
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		s, err := NewStream(t.Context(), *r)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Resume(t.Context(), m); err == nil {
			t.Errorf("%s is a memory", text)
		}
	}
}

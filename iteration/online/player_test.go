package online_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/iteration/online"
)

// TestAPlayerThatIsInterruptedDecidesAsFollowDoes: after every step, another player goes on from
// what the last one knew, as a file has it.
func TestAPlayerThatIsInterruptedDecidesAsFollowDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		g := draw(rng, 1+rng.IntN(40), 1+rng.IntN(12))
		want, err := online.Follow(t.Context(), g, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := online.NewPlayer(g)
		for step := range g.Steps() {
			// What is decided and not taken changes nothing.
			if _, err := p.Decide(t.Context(), step, 0); err != nil && !errors.Is(err, online.ErrBlocked) {
				t.Fatal(err)
			}
			d, err := p.Decide(t.Context(), step)
			if err != nil {
				t.Fatal(err)
			}
			if s := want.Steps[step]; d.State != s.State || d.Time != s.Time || d.Home != s.Home || d.Rewired != s.Rewired {
				t.Fatalf("step %d: %+v, not %+v", step, d.Step, s)
			}
			p.Take(d)
			text, err := json.Marshal(p.Memory())
			if err != nil {
				t.Fatal(err)
			}
			var m online.Memory
			if err := json.Unmarshal(text, &m); err != nil {
				t.Fatal(err)
			}
			if p, err = online.Resume(g, m); err != nil {
				t.Fatal(err)
			}
		}
		if m := p.Memory(); m.Total != want.Total || m.Home != want.Home {
			t.Errorf("%v and %v, not %v and %v", m.Total, m.Home, want.Total, want.Home)
		}
	}
}

// TestBlockedStatesAreNotEntered: without home, the step is in another state, whatever it costs; if
// all are blocked there is none.
func TestBlockedStatesAreNotEntered(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		g := draw(rng, 1+rng.IntN(10), 1+rng.IntN(4))
		p := online.NewPlayer(g)
		for step := range g.Steps() {
			var blocked []int
			for {
				d, err := p.Decide(t.Context(), step, blocked...)
				if err != nil {
					if !errors.Is(err, online.ErrBlocked) {
						t.Fatal(err)
					}
					break
				}
				for _, b := range blocked {
					if d.State == b {
						t.Fatalf("state %d is blocked", b)
					}
				}
				if math.IsInf(float64(d.Time), 1) {
					t.Fatalf("state %d cannot carry the step out", d.State)
				}
				blocked = append(blocked, d.State)
			}
			if len(blocked) < 2 {
				t.Errorf("step %d: only %v", step, blocked)
			}
			d, err := p.Decide(t.Context(), step, blocked[1:]...)
			if err != nil {
				t.Fatal(err)
			}
			p.Take(d)
		}
	}
}

package strategy

import (
	"testing"

	"github.com/lightpath-net/lightpath/internal/countdown"
)

// In a fluid problem, the longest sequence gives the slots of all sequences: numbers of stages
// that turn out not to be worth it are not built again. Each used to be built, so that all of
// them took the square of their number.
func TestSequencesOfSeveralPortsAreMadeOnce(t *testing.T) {
	for _, c := range []struct{ nodes, ports int }{{27, 2}, {24, 3}, {40, 4}} {
		p := Problem{Demand: uniformDemand(t, c.nodes, 4), Ports: c.ports, T: 1, Fluid: true, Strategy: Paper}
		s := newPaper(&p)
		never := func(int) bool { return false }
		ctx := countdown.New(t.Context(), 1<<40)
		if err := s.candidates(ctx, s.limit(), never, func(*Candidate) error { return nil }); err != nil {
			t.Fatal(err)
		}
		asked := ctx.Asked()
		for d := range s.limit() {
			if err := s.candidates(ctx, d+1, never, func(*Candidate) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if more := ctx.Asked() - asked; asked == 0 || more > 0 {
			t.Errorf("%d nodes, %d ports: %d questions for the longest sequence, and %d more for the others", c.nodes, c.ports, asked, more)
		}
		shown := 0
		for d := range s.limit() {
			err := s.candidates(ctx, d+1, func(int) bool { return true }, func(made *Candidate) error {
				shown++
				route, err := made.Route(ctx)
				if err == nil && route.slots(4) != made.Slots {
					t.Errorf("%d nodes, %d ports, %d stages: %d slots, and %d were expected", c.nodes, c.ports, d+1, route.slots(4), made.Slots)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if shown == 0 {
			t.Errorf("%d nodes, %d ports: no sequences", c.nodes, c.ports)
		}
	}
}

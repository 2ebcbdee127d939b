package sweep_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/plannertest"
)

// Planners are safe for concurrent use, as in sweeps and the server: what several goroutines plan
// at once with the same planner and the same request is what one plans alone. The race detector
// looks on.
func TestPlannersAreSafeForConcurrentUse(t *testing.T) {
	const goroutines = 4
	for _, p := range command.Planners() {
		s := plannertest.Of(p, plan.Known{})
		for _, c := range plannertest.Cases()[:2] {
			alone, err := s.Plan(t.Context(), c)
			if err != nil {
				continue // there is no plan
			}
			var group sync.WaitGroup
			texts := make([]bytes.Buffer, goroutines)
			for i := range texts {
				group.Go(func() {
					together, err := s.Plan(t.Context(), c)
					if err == nil {
						err = together.Encode(&texts[i])
					}
					if err != nil {
						t.Errorf("%s on %s: %v", s.Name, c.Name, err)
					}
				})
			}
			group.Wait()
			var want bytes.Buffer
			if err := alone.Encode(&want); err != nil {
				t.Fatal(err)
			}
			for i := range texts {
				if !bytes.Equal(texts[i].Bytes(), want.Bytes()) {
					t.Errorf("%s on %s: goroutine %d found another plan", s.Name, c.Name, i+1)
				}
			}
		}
	}
}

package rehearsal_test

import (
	"os"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/rehearsal"
	"github.com/lightpath-net/lightpath/sim"
)

func TestTry(t *testing.T) {
	for _, name := range strings.Fields(os.Getenv("ITER")) {
		f, err := os.Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		d, err := iteration.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		a, rep, err := iteration.NewAgenda(t.Context(), d)
		if err != nil || a == nil {
			t.Fatal(err, rep)
		}
		r, err := rehearsal.Run(t.Context(), a, rehearsal.Options{Level: sim.PacketLevel})
		if err != nil {
			t.Fatal(err)
		}
		s, err := rehearsal.Run(t.Context(), a, rehearsal.Options{Level: sim.PacketLevel, Slow: map[int]float64{1: 1}})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(name, d.Iteration, r.Iterations, s.Iterations, r.Packets)
		for _, c := range r.Communications {
			if c.Model/c.Took < 0.98 || c.Model/c.Took > 1.02 {
				t.Log(c.Kind, c.Op, c.Size, c.Ranks, c.Times, c.Model, c.Took, c.Causes)
			}
		}
	}
}

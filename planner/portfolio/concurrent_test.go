package portfolio

import (
	"math"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// TestASearchIsSharedByGoroutines: several goroutines that use one search and share its memory
// find the same plans as each request finds with its own search. The race detector checks this,
// too.
func TestASearchIsSharedByGoroutines(t *testing.T) {
	t.Parallel()
	plain := fabric.Default()
	plain.Nodes, plain.Ports = 8, 2
	islands := fabric.Default()
	islands.Nodes, islands.Island = 8, fabric.Island{Size: 2, Bandwidth: 7200 * units.Gbps}
	var requests []Request
	for _, f := range []fabric.Fabric{plain, islands} {
		for _, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.AllToAll} {
			for _, delay := range []units.Duration{0, 10 * units.Microsecond} {
				f.Reconfig.Base = delay
				requests = append(requests, Request{Fabric: f, Operations: []collective.Operation{{Op: op, Size: units.MiB}}})
			}
		}
	}
	requests = samples.Some(requests)
	find := func(r Request, s *Search) units.Time {
		made, err := r.Fastest(t.Context(), s.Planners().Best(), s)
		if err != nil {
			t.Error(err)
			return 0
		}
		return made.Cost.Total()
	}
	options := Options{Planners: Planners(), Bare: true}
	shared := NewSearch(options)
	const goroutines = 3
	times := make([][goroutines]units.Time, len(requests))
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range requests {
				k := (i + g/2*len(requests)/2) % len(requests) // two in step, one apart
				times[k][g] = find(requests[k], shared)
			}
		})
	}
	all.Wait()
	for i, r := range requests {
		want := find(r, NewSearch(options))
		for _, got := range times[i] {
			if math.Abs(float64(got-want)) > 1e-9*float64(want) {
				t.Errorf("%s with a delay of %v: %v, by itself %v", r.Operations[0].Op, r.Fabric.Reconfig.Base, got, want)
			}
		}
	}
}

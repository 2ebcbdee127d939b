package exchange

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// On a fabric that stores and forwards, no plan is slower than the plan for the same fabric when
// it cuts through.
func TestStoredPlansAreNoSlowerThanForwardedOnes(t *testing.T) {
	for _, s := range []setting{
		{nodes: 34, ports: 1, size: units.MiB, set: map[string]string{"reconfig": "300ns", "duplex": "true"}},
		{nodes: 11, ports: 1, size: 4 * units.KiB, set: map[string]string{"reconfig": "300ns"}},
		{nodes: 21, ports: 1, size: units.KiB, set: map[string]string{"reconfig": "300ns"}},
		{nodes: 7, ports: 2, size: units.MiB, demand: "zipf:1", set: map[string]string{"reconfig": "1us"}},
	} {
		through, stored := s.planned(t, Options{}), s.with("forwarding", "store-and-forward").planned(t, Options{})
		again := *through
		again.Fabric = stored.Fabric
		if err := again.Price(); err != nil {
			t.Fatal(err)
		}
		if !notSlower(stored, &again) {
			t.Errorf("%v: %v, the plan that cuts through takes %v", s, stored.Cost.Total(), again.Cost.Total())
		}
	}
}

// No two consecutive steps of a stage can be one step: the second moves something that arrives in
// the first.
func TestStepsOfSlotsCannotBeMerged(t *testing.T) {
	steps := 0
	for _, s := range []setting{
		{nodes: 8, ports: 1, size: 4 * units.MiB}, {nodes: 24, ports: 1, size: 4 * units.MiB},
		{nodes: 12, ports: 2, size: 16 * units.MiB}, {nodes: 7, ports: 1, size: units.MiB, demand: "zipf:1"},
	} {
		s.set = map[string]string{"forwarding": "store-and-forward", "reconfig": "100us"}
		p := s.planned(t, Options{Chunk: s.size / units.Bytes(2*s.nodes)})
		for i := range p.Stages {
			all := p.Stages[i].Steps
			for j := 1; j < len(all); j++ {
				if steps++; !reads(p, &all[j], &all[j-1]) {
					t.Errorf("%v: steps %d and %d of stage %d can be one step", s, j, j+1, i+1)
				}
			}
		}
	}
	if steps == 0 {
		t.Error("no stage has two steps")
	}
}

// reads reports whether a step sends a chunk from where the step before it has brought it.
func reads(p *plan.Plan, step, before *plan.Step) bool {
	type at struct{ node, chunk int }
	brought := map[at]bool{}
	for tr := range before.All(p.Collective.Space) {
		for c := range tr.Chunks.All() {
			brought[at{tr.Dst, c}] = true
		}
	}
	for tr := range step.All(p.Collective.Space) {
		if slices.ContainsFunc(slices.Collect(tr.Chunks.All()), func(c int) bool { return brought[at{tr.Src, c}] }) {
			return true
		}
	}
	return false
}

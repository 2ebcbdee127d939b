package verify

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric/ports"
	"github.com/lightpath-net/lightpath/plan"
)

// checkHeld checks that a plan leaves alone what other jobs hold. It puts no circuit on their
// ports, whichever ports a timetable gives it, and none of their GPUs has a circuit, takes part
// or forwards anything.
func checkHeld(p *plan.Plan) error {
	held := p.Fabric.Avoid
	var now *ports.Wiring
	for i := range p.Stages {
		stage := &p.Stages[i]
		for e := range stage.Topology.Edges() {
			for _, u := range []int{e.From, e.To} {
				if held.HeldGPU(u) {
					return fmt.Errorf("stage %d has circuit %d->%d, but another job holds GPU %d", i+1, e.From, e.To, u)
				}
			}
		}
		if p.Staggered() {
			continue // a plane has the same port of every GPU: fabrics with held ports have no planes
		}
		next, err := p.Wire(now, i)
		if err != nil {
			return fmt.Errorf("stage %d: %w", i+1, err)
		}
		for c := range next.Circuits() {
			for _, end := range []ports.Fibre{c.In, c.Out} {
				if held.HeldPort(end.GPU, end.Port) {
					return fmt.Errorf("stage %d sets circuit %d->%d up on port %d of GPU %d, which another job holds", i+1, c.In.GPU, c.Out.GPU, end.Port, end.GPU)
				}
			}
		}
		now = next
	}
	for i := range p.Collective.Space.MembersCount() {
		if u := p.Collective.Space.Member(i); p.Collective.Space.Kind != "listed" && held.HeldGPU(u) {
			return fmt.Errorf("GPU %d takes part, but another job holds it", u)
		}
	}
	for _, step := range p.Steps() {
		for t := range step.All(p.Collective.Space) {
			for _, r := range t.Routes {
				for _, u := range r.Path {
					if held.HeldGPU(int(u)) {
						return fmt.Errorf("step %d: %d->%d passes GPU %d, which another job holds", step.Index, t.Src, t.Dst, u)
					}
				}
			}
		}
	}
	return nil
}

package lightbends

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// program is Eq. 7 for a collective, with the steps routed once. Every step is on the base or on
// circuits of its own. A step on its own circuits pays the reconfiguration delay whatever was up
// before, and so does a step on the base after such a step. The base is up at the start.
type program struct {
	work   claim.Work
	bytes  []float64 // sent by a GPU in a step, for a buffer of one byte
	hops   []float64 // of a step on the base
	peak   []float64 // bytes on the base's busiest circuit per byte that a GPU sends
	onPort float64   // share of a step's bytes on each of its own circuits
}

// newProgram routes the steps on the base.
func newProgram(ctx context.Context, w claim.Work) (*program, error) {
	w.Size = units.MiB
	r, err := w.Request()
	if err != nil {
		return nil, err
	}
	base, err := w.Fabric.BaseTopology()
	if err != nil {
		return nil, err
	}
	p := &program{work: w, onPort: 1 / float64(w.Fabric.Ports)}
	for _, step := range r.Collective.Steps {
		var demands []flow.Demand
		bytes := 0.0
		for t := range step.All(r.Collective.Space) {
			demands = append(demands, flow.Demand{Src: t.Src, Dst: t.Dst, Amount: 1})
			bytes = r.Collective.Space.Bytes(1, t.Chunks)
		}
		routed, err := flow.Solve(ctx, flow.Problem{Graph: base, Demands: demands}, flow.Optimal)
		if err != nil {
			return nil, err
		}
		p.bytes, p.hops, p.peak = append(p.bytes, bytes), append(p.hops, float64(routed.Load.Hops)), append(p.peak, routed.Load.Peak)
	}
	return p, nil
}

// times returns the times of the program's optimum, of the base throughout, and of own circuits
// for every step.
func (p *program) times(size units.Bytes, delay units.Duration) (best, static, every float64) {
	f := &p.work.Fabric
	change := float64(delay.Time())
	// The least times with the last step on the base, or on its own circuits.
	onBase, onOwn := 0.0, math.Inf(1)
	for i := range p.bytes {
		sent := float64(f.Bandwidth.Transmit(p.bytes[i] * float64(size)))
		b := float64(f.Alpha.Time()) + float64(f.Delta.Time())*p.hops[i] + sent*p.peak[i]
		o := float64(f.Alpha.Time()) + float64(f.Delta.Time()) + sent*p.onPort + change
		onBase, onOwn = min(onBase, onOwn+change)+b, min(onBase, onOwn)+o
		static += b
		every += o
	}
	return min(onBase, onOwn), static, every
}

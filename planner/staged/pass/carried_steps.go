package pass

import (
	"math"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// between returns the wait of a change from one candidate to another if nothing hides it.
func (d *delays) between(from, to int) float64 {
	switch {
	case from == atStart:
		return d.initial[to]
	case d.pair == nil:
		return d.uniform
	}
	row := &d.pair[from]
	if *row == nil {
		*row = make([]float64, len(d.pool))
		for j := range *row {
			(*row)[j] = math.NaN()
		}
	}
	at := &(*row)[to]
	if math.IsNaN(*at) {
		*at = d.wait(d.pool[from], d.pool[to])
	}
	return *at
}

// carried is what is known of a step while circuits change between two candidates.
type carried struct {
	mixed      *plan.Mixed // set once there are routes
	late       *late       // set until there are routes
	dark, wait float64     // the last question to mixed, and its answer
}

// carriedOf returns the place where that knowledge is kept.
func (d *delays) carriedOf(from, j, class int) *carried {
	if d.carried == nil {
		d.carried = make([][]carried, (len(d.pool)+1)*len(d.work.Classes))
	}
	row := &d.carried[(from+1)*len(d.work.Classes)+class] // atStart comes first
	if *row == nil {
		*row = make([]carried, len(d.pool))
	}
	return &(*row)[j]
}

// mixed returns a step of the class on candidate j while circuits change from another candidate
// that shares some circuits with it; nil if the step has no routes yet.
func (d *delays) mixed(from, j, class int) *plan.Mixed {
	next := d.pool[j]
	routed := next.Known.Routed(class)
	if routed == nil {
		return nil
	}
	stay := d.model.Stay(d.before(from).Topology(), next.Topology())
	return plan.NewMixed(d.work.Fabric, d.work.Circuits, next.Topology(), stay, routed.Cost, d.work.Transfers(routed, class))
}

// before returns candidate number from, or the candidate that is up at the start.
func (d *delays) before(from int) *pricing.Candidate {
	if from == atStart {
		return d.up
	}
	return d.pool[from]
}

// shares reports whether some circuits stay up through a change.
func (d *delays) shares(from, j int) bool {
	return d.shared.of(from, j, func() bool { return d.carryOn(d.before(from), d.pool[j]) })
}

// carryOn reports whether some circuits stay up when one candidate follows another.
func (d *delays) carryOn(old, next *pricing.Candidate) bool {
	if old.Jump.Count > 0 && next.Jump.Count > 0 && old.Jump.Jump != next.Jump.Jump {
		return false
	}
	stay := d.model.Stay(old.Topology(), next.Topology())
	seen := next.Topology().Nodes()
	if old.Rotates() && next.Rotates() {
		seen = 1 // all GPUs see what one sees
	}
	for u := range seen {
		to, _ := next.Topology().Row(u)
		for _, v := range to {
			if stay(u, int(v)) {
				return true
			}
		}
	}
	return false
}

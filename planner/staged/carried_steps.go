package staged

import (
	"math"

	"github.com/lightpath-net/lightpath/plan"
)

// between returns the wait of a change from one candidate to another, nothing hidden.
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
	mixed      *plan.Mixed // once there are routes
	late       *late       // until then
	dark, wait float64     // what was asked of mixed last
}

// carriedOf returns where that is kept.
func (d *delays) carriedOf(from, j, class int) *carried {
	if d.carried == nil {
		d.carried = make([][]carried, (len(d.pool)+1)*len(d.work.classes))
	}
	row := &d.carried[(from+1)*len(d.work.classes)+class] // atStart comes first
	if *row == nil {
		*row = make([]carried, len(d.pool))
	}
	return &(*row)[j]
}

// mixed returns a step of the class on candidate j while circuits change from another that
// shares some with it, nil without routes.
func (d *delays) mixed(from, j, class int) *plan.Mixed {
	next := d.pool[j]
	if next.known == nil || next.known[class].routed == nil {
		return nil
	}
	routed := next.known[class].routed
	stay := d.model.Stay(d.before(from).topology(), next.topology())
	return plan.NewMixed(d.work.fabric, d.work.circuits, next.topology(), stay, routed.cost, d.work.transfers(routed, class))
}

// before returns the candidate of that number, or what is up at the start.
func (d *delays) before(from int) *candidate {
	if from == atStart {
		return d.up
	}
	return d.pool[from]
}

// shares reports whether some circuits carry on through a change.
func (d *delays) shares(from, j int) bool {
	return d.shared.of(from, j, func() bool { return d.carryOn(d.before(from), d.pool[j]) })
}

// carryOn reports whether some circuits stay up when one candidate follows another.
func (d *delays) carryOn(old, next *candidate) bool {
	if old.jump.count > 0 && next.jump.count > 0 && old.jump.jump != next.jump.jump {
		return false
	}
	stay := d.model.Stay(old.topology(), next.topology())
	seen := next.topology().Nodes()
	if old.rotates() && next.rotates() {
		seen = 1 // what one GPU sees all do
	}
	for u := range seen {
		to, _ := next.topology().Row(u)
		for _, v := range to {
			if stay(u, int(v)) {
				return true
			}
		}
	}
	return false
}

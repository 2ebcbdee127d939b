package verify

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// turn is the difference that a change makes, counted circuit by circuit for the timeline.
type turn struct {
	nodes      int
	old, fresh map[[2]int]int // circuits between two GPUs, before and after
	set, taken map[[2]int]int // those of them that are set up and taken down
	settings   [][][2]int     // of parallel switches, afterwards
	moved      [][][2]int     // those of switches that change
	idle       int            // parallel switches that carried nothing before
}

// difference compares the present circuits with those of a stage.
func (t *timeline) difference(next *topology.Graph) *turn {
	d := &turn{
		nodes: next.Nodes(), old: map[[2]int]int{}, fresh: map[[2]int]int{}, set: map[[2]int]int{}, taken: map[[2]int]int{},
		settings: t.switches(next),
	}
	for at, circuits := range t.lit {
		d.old[at] = len(circuits)
		d.taken[at] = len(circuits)
	}
	for e := range next.Edges() {
		at := [2]int{e.From, e.To}
		d.fresh[at] = e.Count
		both := min(d.old[at], e.Count)
		d.set[at] = e.Count - both
		d.taken[at] -= both
	}
	unmatched := map[string]int{}
	for _, s := range t.settings {
		unmatched[settingKey(s)]++
		if len(s) == 0 {
			d.idle++
		}
	}
	for _, s := range d.settings {
		if key := settingKey(s); unmatched[key] > 0 {
			unmatched[key]--
			continue
		}
		d.moved = append(d.moved, s)
	}
	return d
}

// settingKey returns the same key for the same circuits on a switch, however they are listed.
func settingKey(circuits [][2]int) string {
	sorted := slices.Clone(circuits)
	slices.SortFunc(sorted, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return fmt.Sprint(sorted)
}

func sum(counts map[[2]int]int) int {
	total := 0
	for _, count := range counts {
		total += count
	}
	return total
}

// any reports whether a circuit is set up or taken down.
func (d *turn) any() bool { return sum(d.set)+sum(d.taken) > 0 }

// delay returns the fabric's charge for the changes counted here, not by package fabric.
func (d *turn) delay(f *fabric.Fabric) units.Time { return f.Reconfig.Charge(d) }

// Circuits implements fabric.Change.
func (d *turn) Circuits() (set, taken int) { return sum(d.set), sum(d.taken) }

// Switches implements fabric.Change.
func (d *turn) Switches() int { return len(d.moved) }

// Ports implements fabric.Change: it counts the ports that get another circuit. A GPU's
// transmitters that lose a circuit take the new ones, and so do its receivers. A port is a
// transmitter and a receiver, paired so that as few ports as possible change.
func (d *turn) Ports() int {
	type ends struct{ gains, losses int }
	transmit, receive := make([]ends, d.nodes), make([]ends, d.nodes)
	for at, count := range d.set {
		transmit[at[0]].gains += count
		receive[at[1]].gains += count
	}
	for at, count := range d.taken {
		transmit[at[0]].losses += count
		receive[at[1]].losses += count
	}
	count := 0
	for u := range d.nodes {
		transmitters := max(transmit[u].gains, transmit[u].losses)
		receivers := max(receive[u].gains, receive[u].losses)
		count += max(transmitters, receivers)
	}
	return count
}

// room reports whether the ports of every new circuit are free while all old ones are up.
func (d *turn) room(f *fabric.Fabric) bool {
	if _, whole := f.Switches(); whole {
		needed := each.Count(d.moved, func(s [][2]int) bool { return len(s) > 0 })
		return needed <= d.idle
	}
	transmitters, receivers := make([]int, d.nodes), make([]int, d.nodes)
	for _, circuits := range []map[[2]int]int{d.old, d.set} {
		for at, count := range circuits {
			transmitters[at[0]] += count
			receivers[at[1]] += count
		}
	}
	return slices.Max(transmitters) <= f.Ports && slices.Max(receivers) <= f.Ports
}

// apply records when the circuits of the next stage come up: those that are set up, and all
// circuits on parallel switches that change, at the given time.
func (d *turn) apply(lit map[[2]int][]units.Time, up units.Time) {
	for at, count := range d.taken {
		lit[at] = lit[at][:len(lit[at])-count] // those that came up last
		if len(lit[at]) == 0 {
			delete(lit, at)
		}
	}
	for at, count := range d.set {
		for range count {
			lit[at] = append(lit[at], up)
		}
	}
	for _, s := range d.moved {
		for _, at := range s {
			circuits := lit[at]
			circuits[len(circuits)-1] = up
		}
	}
}

package program

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/units"
)

// Rank is what one rank does.
type Rank struct {
	ID      int
	program *Program
	steps   []Step
}

// Step is a rank's part of a step.
type Step struct {
	Sends    []*Transfer // from here
	Receives []*Transfer // to here, in the order in which they are applied
	Relayed  int         // bytes to forward
	touching map[uint32]*Transfer
}

// For returns the programs of some ranks.
func (g *Program) For(ranks []int) []*Rank {
	own := make([]*Rank, len(ranks))
	at := make(map[int]*Rank, len(ranks))
	for i, id := range ranks {
		own[i] = &Rank{ID: id, program: g, steps: make([]Step, len(g.Steps))}
		at[id] = own[i]
	}
	for s, place := range g.Steps {
		number := 0
		for t := range place.Step.All(g.Plan.Collective.Space) {
			var laid *Transfer
			touch := func(node int) {
				r := at[node]
				if r == nil {
					return
				}
				if laid == nil {
					laid = g.transfer(number, t)
				}
				step := &r.steps[s]
				if step.touching == nil {
					step.touching = map[uint32]*Transfer{}
				}
				if _, known := step.touching[uint32(number)]; known {
					return
				}
				step.touching[uint32(number)] = laid
				if node == t.Src {
					step.Sends = append(step.Sends, laid)
				}
				if node == t.Dst {
					step.Receives = append(step.Receives, laid)
				}
			}
			for i, route := range t.Routes {
				for h, u := range route.Path {
					touch(int(u))
					if r := at[int(u)]; r != nil && h > 0 && h < len(route.Path)-1 {
						r.steps[s].Relayed += laid.Routes[i].To - laid.Routes[i].From
					}
				}
			}
			number++
		}
	}
	return own
}

// Steps returns the number of steps.
func (r *Rank) Steps() int { return len(r.steps) }

// Step returns the rank's part of a step, counted from 0.
func (r *Rank) Step(i int) *Step { return &r.steps[i] }

// Continues reports whether a step has the circuits of the previous one and so waits for no
// others.
func (r *Rank) Continues(step int) bool {
	return step > 0 && step < len(r.program.Steps) && !slices.ContainsFunc(r.program.Parts, func(p Part) bool { return p.First == step })
}

// Through returns the last step that waits for nothing beyond what the given step waits for.
func (r *Rank) Through(step int) int {
	for r.Continues(step + 1) {
		step++
	}
	return step
}

// Ports returns the ports from which circuits lead to a peer in a step or, if there are none,
// the other ports that lead there.
func (r *Rank) Ports(step, peer int) []int {
	if ports := r.program.Wiring(step).Ports(r.ID, peer); ports != nil {
		return ports
	}
	return r.program.Beside.ports(&r.program.Plan.Fabric, r.ID, peer)
}

// Plugs returns the total number of ports of a rank.
func (r *Rank) Plugs() int { return r.program.Beside.Plugs }

// Seat returns the place of a peer in its island if a port is the island's.
func (r *Rank) Seat(port, peer int) uint16 {
	if b := &r.program.Beside; b.Inside(port) {
		return uint16(peer % b.Island)
	}
	return 0
}

// Startup returns the start-up of a step.
func (r *Rank) Startup(step int) units.Time { return r.program.Startup(step) }

// Since returns the stage, from 0, that set up a port's circuit in a step; -1: it was up before
// the first stage, as are all paths besides circuits.
func (r *Rank) Since(step, port int) int {
	if port >= r.program.Plan.Fabric.Ports {
		return -1
	}
	return r.program.Wiring(step).since[r.ID*r.program.Plan.Fabric.Ports+port]
}

// Place checks a data frame that has arrived at a port. It returns its transfer and the node to
// which it is forwarded, or -1 if it has reached its target.
func (r *Rank) Place(f *wire.Frame, port int) (t *Transfer, next int, err error) {
	t, before, next, err := r.Locate(int(f.Step)-1, f)
	if err != nil {
		return nil, 0, err
	}
	if port >= r.program.Plan.Fabric.Ports {
		if !r.program.Beside.fits(&r.program.Plan.Fabric, before, r.ID, port) {
			return nil, 0, fmt.Errorf("data of transfer %d at port %d, to which nothing leads from rank %d", f.Transfer, port, before)
		}
	} else if from := r.program.Wiring(int(f.Step) - 1).in[r.ID*r.program.Plan.Fabric.Ports+port]; int(from) != before {
		return nil, 0, fmt.Errorf("data of transfer %d at port %d, which leads to rank %d and not to rank %d", f.Transfer, port, from, before)
	}
	return t, next, nil
}

// Locate checks a data frame of a step (from 0). It returns its transfer, the node it comes
// from, and the node to which it is forwarded, or -1 if it has reached its target.
func (r *Rank) Locate(step int, f *wire.Frame) (t *Transfer, before, next int, err error) {
	bad := func(format string, args ...any) (*Transfer, int, int, error) {
		return nil, 0, 0, fmt.Errorf(format, args...)
	}
	if step < 0 || step >= len(r.steps) {
		return bad("data of step %d; there are %d", f.Step, len(r.steps))
	}
	t = r.steps[step].touching[f.Transfer]
	if t == nil {
		return bad("data of transfer %d of step %d, which does not come here", f.Transfer, f.Step)
	}
	if int(f.Route) >= len(t.Routes) {
		return bad("data of route %d of transfer %d, which has %d", f.Route, f.Transfer, len(t.Routes))
	}
	route := &t.Routes[f.Route]
	hop := int(f.Hop)
	if hop < 1 || hop >= len(route.Path) || int(route.Path[hop]) != r.ID {
		return bad("data of transfer %d that should be elsewhere after %d hops", f.Transfer, hop)
	}
	if f.Offset < uint64(route.From) || f.Offset > uint64(route.To) || uint64(len(f.Payload)) > uint64(route.To)-f.Offset {
		return bad("bytes %d to %d of transfer %d on a route that has %d to %d",
			f.Offset, f.Offset+uint64(len(f.Payload)), f.Transfer, route.From, route.To)
	}
	next = -1
	if hop < len(route.Path)-1 {
		next = int(route.Path[hop+1])
	}
	return t, int(route.Path[hop-1]), next, nil
}

// Peer returns the rank that a fault of a rank in a step (from 1) concerns first, or -1.
func (g *Program) Peer(rank, step int) int {
	if step < 1 || step > len(g.Steps) {
		return -1
	}
	for t := range g.Steps[step-1].Step.All(g.Plan.Collective.Space) {
		for _, r := range t.Routes {
			for h, u := range r.Path {
				if int(u) == rank && h+1 < len(r.Path) {
					return int(r.Path[h+1])
				}
				if int(u) == rank {
					return int(r.Path[h-1])
				}
			}
		}
	}
	return -1
}

// Feeder returns the rank whose circuit ends at a port in a step (from 0), or -1.
func (r *Rank) Feeder(step, port int) int { return r.program.Feeder(r.ID, step, port) }

// Feeder returns the rank whose circuit or fixed link ends at a port of another in a step (from 0),
// or -1.
func (g *Program) Feeder(rank, step, port int) int {
	if step < 0 || step >= len(g.Steps) {
		return -1
	}
	if port >= g.Plan.Fabric.Ports {
		if from, known := g.Beside.in[[2]int{rank, port}]; known {
			return int(from)
		}
		return -1
	}
	return int(g.Wiring(step).in[rank*g.Plan.Fabric.Ports+port])
}

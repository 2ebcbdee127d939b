package islands

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// script collects the steps of a lifted plan while pieces are added.
type script struct {
	*carrier
	pieces        []collective.Piece
	bags          [][]*bag // by stage and step of the core
	change        []*bag   // by stage: transfers within islands while circuits change
	before, after bag
	numbers       []int // of the GPUs; sets of one GPU are slices of it
}

// bag is the transfers of a step.
type bag struct {
	list []plan.Transfer
	at   map[bagKey]int
	last int // the only piece of the last transfer if that takes several lanes; counted from 1
}

// bagKey identifies a transfer that several pieces may share.
type bagKey struct {
	src, dst, transfer, place int
}

func newScript(x *carrier) *script {
	s := &script{carrier: x, numbers: make([]int, x.fabric.Nodes)}
	for u := range s.numbers {
		s.numbers[u] = u
	}
	for i := range x.steps {
		var list []*bag
		for range x.steps[i] {
			list = append(list, &bag{})
		}
		s.bags, s.change = append(s.bags, list), append(s.change, &bag{})
	}
	return s
}

// add begins a piece.
func (s *script) add(from, to int, bytes float64) {
	s.pieces = append(s.pieces, collective.Piece{Bytes: bytes, From: s.numbers[from : from+1 : from+1], To: s.numbers[to : to+1 : to+1]})
}

// put adds a piece to the transfer with a key.
func (b *bag) put(key bagKey, piece int, routes func() []flow.Route) {
	if b.at == nil {
		b.at = map[bagKey]int{}
	}
	i, ok := b.at[key]
	if !ok {
		i = len(b.list)
		b.at[key] = i
		b.list = append(b.list, plan.Transfer{
			Transfer: collective.Transfer{Src: key.src, Dst: key.dst, Action: collective.Copy}, Routes: routes(),
		})
	}
	t := &b.list[i]
	t.Chunks = append(t.Chunks, collective.RunOf(piece, 1, 1))
}

// inside sends the last piece within an island.
func (s *script) inside(b *bag, from, to int) {
	if from != to {
		b.put(bagKey{from, to, -1, 0}, len(s.pieces)-1, func() []flow.Route { return hop(from, to) })
	}
}

// move sends a share of the last piece by a lane, as a move of the core. A piece that takes
// several lanes in one move is a transfer of its own.
func (s *script) move(m move, at ends, l lane) {
	b := s.bags[m.stage][m.step]
	t := &s.steps[m.stage][m.step].Base[m.transfer]
	key := bagKey{t.Src*s.shares.places + at.from, t.Dst*s.shares.places + at.to, m.transfer, l.place}
	routes := s.routesOf(m, at, l.place).routes
	piece := len(s.pieces) - 1
	if l.share == 1 {
		b.put(key, piece, func() []flow.Route { return routes })
		return
	}
	if b.last != piece+1 {
		b.last = piece + 1
		b.list = append(b.list, plan.Transfer{Transfer: collective.Transfer{Src: key.src, Dst: key.dst, Action: collective.Copy, Chunks: collective.Single(piece)}})
	}
	into := &b.list[len(b.list)-1]
	into.Routes = merged(into.Routes, routes, l.share)
}

func (s *script) early(from, to int) { s.inside(&s.before, from, to) }

func (s *script) late(from, to int) { s.inside(&s.after, from, to) }

// merged adds a share of some routes to others.
func merged(all, more []flow.Route, share float64) []flow.Route {
	for _, r := range more {
		i := slices.IndexFunc(all, func(o flow.Route) bool { return slices.Equal(o.Path, r.Path) })
		if i >= 0 {
			all[i].Share += r.Share * share
		} else {
			all = append(all, flow.Route{Path: r.Path, Share: r.Share * share})
		}
	}
	return all
}

// chance is a step with room for more transfers within islands.
type chance struct {
	*bag
	time units.Time
	room []float64 // by GPU: bytes that it can still send, then bytes that it can still receive
}

// stay sends the data that stays within islands in steps that leave islands time, those with the
// most room first. The rest goes with the longest step.
func (s *script) stay(d collective.Demand) {
	all := s.chances()
	longest := 0
	for k := range all {
		if all[k].time > all[longest].time {
			longest = k
		}
	}
	places := s.shares.places
	for first := 0; first < s.fabric.Nodes; first += places {
		sent, got := make([]float64, places), make([]float64, places)
		for i := range places {
			for j := range places {
				if i != j {
					sent[i] += float64(d[first+i][first+j])
					got[j] += float64(d[first+i][first+j])
				}
			}
		}
		fits, order := make([]float64, len(all)), make([]int, len(all))
		for k := range all {
			order[k], fits[k] = k, 1
			for i := range places {
				if sent[i] > 0 {
					fits[k] = min(fits[k], all[k].room[first+i]/sent[i])
				}
				if got[i] > 0 {
					fits[k] = min(fits[k], all[k].room[s.fabric.Nodes+first+i]/got[i])
				}
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(fits[b], fits[a]) })
		shares, left := make([]float64, len(all)), 1.0
		for _, k := range order {
			if take := min(left, fits[k]); take >= leastApart {
				shares[k] = take
				left -= take
			}
		}
		if left > 0 {
			shares[longest] += left
		}
		for k, share := range shares {
			if share > 0 {
				s.send(all[k].bag, d, first, share)
			}
		}
	}
}

// leastApart is the least part of an island's internal data that is sent separately.
const leastApart = 1e-3

// send adds a share of an island's internal data to a step.
func (s *script) send(b *bag, d collective.Demand, first int, share float64) {
	for i := first; i < first+s.shares.places; i++ {
		for j := first; j < first+s.shares.places; j++ {
			if bytes := float64(d[i][j]) * share; i != j && bytes > 0 {
				s.add(i, j, bytes)
				s.inside(b, i, j)
			}
		}
	}
}

// chances lists the steps of the core, the steps within islands before and after them, and the
// changes of circuits.
func (s *script) chances() []chance {
	var all []chance
	for i := range s.bags {
		for j, b := range s.bags[i] {
			all = append(all, s.chance(b, s.steps[i][j].Cost.Transmission))
		}
	}
	for _, b := range []*bag{&s.before, &s.after} {
		if len(b.list) > 0 {
			all = append(all, s.chance(b, 0))
		}
	}
	for i, b := range s.change {
		idle := s.core.Stages[i].Reconfiguration - s.fabric.IslandAlpha().Time() - s.fabric.IslandDelta().Time()
		if idle > 0 && (i > 0 || len(s.before.list) == 0) {
			all = append(all, s.chance(b, idle))
		}
	}
	return all
}

// chance returns the room that a step leaves within a time, or within the time that islands take
// for it if that is longer.
func (s *script) chance(b *bag, time units.Time) chance {
	n := s.fabric.Nodes
	used := make([]float64, 2*n)
	for i := range b.list {
		t := &b.list[i]
		bytes := 0.0
		for id := range t.Chunks.All() {
			bytes += s.pieces[id].Bytes
		}
		for _, r := range t.Routes {
			for h := 1; h < len(r.Path); h++ {
				if u, v := int(r.Path[h-1]), int(r.Path[h]); u/s.shares.places == v/s.shares.places {
					used[u] += bytes * r.Share
					used[n+v] += bytes * r.Share
				}
			}
		}
	}
	most := max(s.bytes(time), slices.Max(used))
	for i := range used {
		used[i] = most - used[i]
	}
	return chance{b, s.fabric.Island.Bandwidth.Transmit(most), used}
}

// plan makes the plan from the steps.
func (s *script) plan(ctx context.Context, c plan.Collective) (*plan.Plan, error) {
	made := &plan.Plan{Fabric: *s.fabric, Provenance: s.core.Provenance, Collective: c}
	made.Slots, made.Synthesis = 0, nil // these are the core's
	if err := s.fits(); err != nil {
		return nil, err
	}
	for i := range s.bags {
		stage := plan.Stage{Topology: s.wires[i].graph}
		bags := append([]*bag{s.change[i]}, s.bags[i]...)
		if i == 0 {
			bags = append([]*bag{&s.before}, bags...)
		}
		if i == len(s.bags)-1 {
			bags = append(bags, &s.after)
		}
		for _, b := range bags {
			if len(b.list) > 0 {
				stage.Steps = append(stage.Steps, plan.Step{Base: b.finished()})
			}
		}
		made.Stages = append(made.Stages, stage)
	}
	if err := made.PriceContext(ctx); err != nil {
		return nil, fmt.Errorf("islands: %w", err)
	}
	return made, nil
}

// finished returns the transfers of a step.
func (b *bag) finished() []plan.Transfer {
	for i := range b.list {
		t := &b.list[i]
		t.Routes = normal(slices.Clone(t.Routes))
		if len(t.Chunks) > 1 {
			ids := make([]int, 0, len(t.Chunks))
			for id := range t.Chunks.All() {
				ids = append(ids, id)
			}
			t.Chunks = collective.Of(ids)
		}
	}
	return b.list
}

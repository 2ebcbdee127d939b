package synthesis

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// This file bounds the interval on every topology that the ports allow, by counting. A node with
// d ports has at most d nodes at distance 1, d^2 at distance 2, and so on (d(d-1)^(h-1) at
// distance h if circuits are two-way). One topology serves all steps, so a node's peers compete
// for the near places. The largest load of a step is at least the mean load: its bytes times
// their distances, divided by n*d circuits. The longest route of a step is at least any mean of
// its distances. So a sum over pairs of weight times distance bounds the interval, and it is
// least if the heaviest peers are nearest. bound.OfAlgorithm rests on the same count, for whole
// schedules and with one choice of weights. Here there is one topology and several choices of
// weights, and the largest bound counts.

// places returns how many nodes can be at distance h = 1, 2, .. of a node.
func (p *Problem) places(h int) int {
	grow := p.Ports
	if p.Duplex {
		grow-- // a two-way circuit also leads back
	}
	count := float64(p.Ports) * math.Pow(float64(grow), float64(h-1))
	return int(min(count, float64(p.Nodes)))
}

// nearest returns the least sum of weight times distance, in which the heaviest peers are
// nearest. It is +Inf if there are more weights than places.
func (p *Problem) nearest(weights []float64) float64 {
	slices.SortFunc(weights, func(a, b float64) int { return cmp.Compare(b, a) })
	sum, h, room := 0.0, 0, 0
	for _, w := range weights {
		if room == 0 {
			h++
			if room = p.places(h); room == 0 {
				return math.Inf(1)
			}
		}
		sum += w * float64(h)
		room--
	}
	return sum
}

// tally counts the demands of the interval from one side.
type tally struct {
	iv   *interval
	ends [][][]flow.Demand // per node and class: its demands
	peer func(flow.Demand) int
}

// newTally groups the demands by the node that own picks.
func (iv *interval) newTally(own, peer func(flow.Demand) int) *tally {
	t := &tally{iv: iv, ends: make([][][]flow.Demand, iv.Nodes), peer: peer}
	for u := range t.ends {
		t.ends[u] = make([][]flow.Demand, len(iv.classes))
	}
	for i, c := range iv.classes {
		for _, d := range c.all() {
			t.ends[own(d)][i] = append(t.ends[own(d)][i], d)
		}
	}
	return t
}

// coupled returns the least sum of weight times distance over the demands of node u in all steps.
func (t *tally) coupled(u int, weight func(i int, d flow.Demand) float64) float64 {
	byPeer := map[int]float64{}
	for i, demands := range t.ends[u] {
		for _, d := range demands {
			byPeer[t.peer(d)] += weight(i, d)
		}
	}
	weights := make([]float64, 0, len(byPeer))
	weights = slices.AppendSeq(weights, maps.Values(byPeer))
	return t.iv.nearest(weights)
}

// peak bounds the largest load of class i on its own.
func (t *tally) peak(i int) float64 {
	busiest, work := 0.0, 0.0
	for _, ends := range t.ends {
		sum := 0.0
		weights := make([]float64, len(ends[i]))
		for k, d := range ends[i] {
			sum += d.Amount
			weights[k] = d.Amount
		}
		busiest = max(busiest, sum)
		work += t.iv.nearest(weights)
	}
	ports := float64(t.iv.Ports)
	return max(busiest/ports, work/(ports*float64(t.iv.Nodes)))
}

// hops bounds the longest route of class i on its own.
func (t *tally) hops(i int) float64 {
	most := each.Max(0, t.ends, func(ends [][]flow.Demand) int { return len(ends[i]) })
	h := 0
	for reached := 0; reached < most; {
		h++
		room := t.iv.places(h)
		if room == 0 {
			return inf
		}
		reached += room
	}
	return float64(h)
}

// totalHops bounds the hops of all steps together: in every step, the longest route is at least
// the mean distance of one node's demands.
func (t *tally) totalHops() float64 {
	most := 0.0
	for u := range t.ends {
		most = max(most, t.coupled(u, func(i int, _ flow.Demand) float64 {
			return float64(t.iv.classes[i].times) / float64(len(t.ends[u][i]))
		}))
	}
	return most
}

// mixed bounds the interval with hops and loads that compete for the same near places.
func (t *tally) mixed() units.Time {
	iv := t.iv
	perByte := float64(iv.Bandwidth.Transmit(1)) / float64(iv.Ports*iv.Nodes)
	sum := 0.0
	for u := range t.ends {
		sum += t.coupled(u, func(i int, d flow.Demand) float64 {
			c := iv.classes[i]
			return float64(c.times) * (float64(iv.Delta.Time())/float64(len(c.all())) + perByte*d.Amount)
		})
	}
	return iv.startUp() + units.Time(sum)
}

// startUp returns the start-up time of all steps.
func (iv *interval) startUp() units.Time { return iv.Alpha.Time() * units.Time(len(iv.classOf)) }

// counted is the counting bound: on the time of the interval, on the hops of all its steps
// together, and on the bytes of each class on its own, as StepCost counts them.
type counted struct {
	time  units.Time
	hops  float64
	bytes []float64
}

// count computes the bound from the side of the sources and from that of the destinations, in
// O(demands log demands). With one one-way port it also uses round trips.
func (iv *interval) count() counted {
	source := func(d flow.Demand) int { return d.Src }
	target := func(d flow.Demand) int { return d.Dst }
	b := counted{bytes: make([]float64, len(iv.classes))}
	hops := make([]float64, len(iv.classes))
	for _, t := range []*tally{iv.newTally(source, target), iv.newTally(target, source)} {
		b.time = max(b.time, t.mixed())
		b.hops = max(b.hops, t.totalHops())
		for i := range iv.classes {
			b.bytes[i] = max(b.bytes[i], t.peak(i))
			hops[i] = max(hops[i], t.hops(i))
		}
	}
	if iv.Ports == 1 && !iv.Duplex {
		bytes, longest := iv.roundTrips()
		for i := range iv.classes {
			b.bytes[i] = max(b.bytes[i], bytes[i])
			hops[i] = max(hops[i], float64(longest[i]))
		}
	}
	total, separate := 0.0, 0.0
	for i, c := range iv.classes {
		b.bytes[i] = iv.bytes(c, flow.Load{Peak: b.bytes[i]})
		total += float64(c.times) * b.bytes[i]
		separate += float64(c.times) * hops[i]
	}
	b.hops = max(b.hops, separate)
	b.time = max(b.time, b.over(iv, total))
	return b
}

// over returns the time that all steps take together to transmit the given bytes, with their
// start-ups and hops.
func (b *counted) over(iv *interval, bytes float64) units.Time {
	if math.IsInf(b.hops, 1) {
		return units.Time(b.hops) // no topology reaches all peers, however fast hops are
	}
	return iv.startUp() + iv.Delta.Time()*units.Time(b.hops) + iv.Bandwidth.Transmit(bytes)
}

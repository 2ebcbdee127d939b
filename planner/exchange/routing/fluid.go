package routing

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Settings of SolveAmounts.
const (
	fluidPasses = 24 // maximum number of passes, each with a tree for every node
	fluidBounds = 4  // passes between two updates of the lower bound
	fluidParts  = 32 // fractions of a step to search for its length; a power of 2
	// fluidLeast is the smallest part of a node's data that goes along a tree of its own.
	fluidLeast = 1.0 / 1024
	// The price of the busiest circuit of a stage is e to this power times the price of an idle
	// circuit, in the first pass and in the last.
	fluidEta, fluidLastEta = 8.0, 48.0
)

// fluidGains gives, for some passes, the fraction of the current slots that further passes are
// assumed to reach at best. If even that would not be worth it, the search gives up. Of 1479
// searches (24 to 64 nodes, 1 to 4 ports, six demands) 19 in 20 gained less.
var fluidGains = map[int]float64{
	3: 0.72, 5: 0.81, 7: 0.865, 9: 0.9, 11: 0.925, 13: 0.945, 15: 0.962, 17: 0.975, 19: 0.985, 20: 0.989, 21: 0.993, 22: 0.996,
}

// fluidHops is the share of the current hops that the last pass is assumed to keep at least.
// This is a heuristic: 12 searches that ran to the end (256 nodes, 2 ports, moe:8, 1 to 4
// topologies) kept 0.72 or more.
const fluidHops = 0.7

// fluid is the state of SolveAmounts.
type fluid struct {
	*searches
	loads  [][]float64   // of each circuit of each stage
	most   []float64     // load of each stage
	own    [][][]float64 // loads that each source adds
	along  [][]float64   // change of loads in a full step
	shares [][]share     // by source
	states []passing     // scratch space of add
}

// share is the part of a source's amounts that goes along a tree.
type share struct {
	tree    *cheapest
	part    float64
	longest []int32 // hops of the longest route within each stage
}

// SolveAmounts is Solve for amounts that can be divided at will; it finds better routes for
// them. It minimises a smooth version of the sum over stages of the largest load (the logarithm
// of a sum of exponentials). In turn, each source moves a part of its amounts to the tree of its
// cheapest routes, namely the part that lowers the sum the most. This is Frank and Wolfe's
// method, by blocks of variables. SolveAmounts also gives up when the routes are so far from
// being worth it that more passes would hardly help. The slots that it passes to worth include
// the hops of the routes (Router.Hop).
func (r *Router) SolveAmounts(ctx context.Context, worth func(slots int) bool) (*Flows, error) {
	r.equalPrices()
	ways := newSearches(r)
	bound, farthest, ok, err := r.boundBy(ctx, ways.costs)
	if err != nil || !ok {
		return nil, err
	}
	pays := func(slots float64, hops float64) bool {
		return worth(int(max(slots, float64(r.Least)) + r.Hop*max(0, hops-float64(len(r.stages)))))
	}
	if !pays(float64(bound), farthest) { // a circuit costs 1
		return nil, nil
	}
	x := newFluid(ways)
	best := math.Inf(1)
	var kept [][]share
	for pass := range fluidPasses {
		eta := fluidEta * math.Pow(fluidLastEta/fluidEta, float64(pass)/(fluidPasses-1))
		for u := range r.nodes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x.shift(u, eta)
		}
		x.reprice(eta)
		if pass%fluidBounds == fluidBounds-1 {
			less, _, _, err := r.boundBy(ctx, ways.costs)
			if err != nil {
				return nil, err
			}
			if bound = max(bound, less); !pays(float64(bound), farthest) {
				return nil, nil
			}
		}
		if slots := x.slots(); slots < best {
			best, kept = slots, kept[:0]
			for _, s := range x.shares {
				kept = append(kept, slices.Clone(s))
			}
		}
		if best <= routerClose*float64(bound) {
			break
		}
		if gain, ok := fluidGains[pass]; ok && !pays(gain*best, fluidHops*float64(hopsOf(x.shares))) {
			return nil, nil
		}
	}
	if !pays(best*(1-fluidRounding), float64(hopsOf(kept))) {
		return nil, nil
	}
	return x.flows(kept), nil
}

// fluidRounding exceeds the share of the largest loads that rounding the amounts can save.
const fluidRounding = 1e-6

// hopsOf returns the sum over stages of the hops of the longest route within the stage.
func hopsOf(shares [][]share) int {
	var longest []int32
	for _, list := range shares {
		for _, s := range list {
			if s.part < fluidLeast {
				continue
			}
			if longest == nil {
				longest = make([]int32, len(s.longest))
			}
			for i, hops := range s.longest {
				longest[i] = max(longest[i], hops)
			}
		}
	}
	sum := 0
	for _, hops := range longest {
		sum += int(hops)
	}
	return sum
}

func newFluid(r *searches) *fluid {
	x := &fluid{searches: r, most: make([]float64, len(r.stages)), shares: make([][]share, r.nodes), own: make([][][]float64, r.nodes)}
	zeros := func() [][]float64 {
		all := make([][]float64, len(r.stages))
		for i := range all {
			all[i] = make([]float64, len(r.prices[i]))
		}
		return all
	}
	x.loads, x.along = zeros(), zeros()
	x.states = make([]passing, len(r.cost))
	for u := range x.own {
		x.own[u] = zeros()
	}
	return x
}

// slots returns the sum over stages of the largest load when prices were last set.
func (x *fluid) slots() float64 {
	return arithmetic.Sum(x.most)
}

// shift moves a part of a source's amounts to the tree of its cheapest routes.
func (x *fluid) shift(u int, eta float64) {
	x.reprice(eta)
	t := x.from(u)
	own := x.own[u]
	for i, along := range x.along {
		for c, l := range own[i] {
			along[c] = -l
		}
	}
	longest := x.add(u, t)
	part := 1.0
	if x.shares[u] != nil {
		part = x.step(eta)
	}
	for i, along := range x.along {
		for c, a := range along {
			own[i][c] += part * a
			x.loads[i][c] += part * a
		}
	}
	for k := range x.shares[u] {
		x.shares[u][k].part *= 1 - part
	}
	x.shares[u] = append(x.shares[u], share{t, part, longest})
}

// passing holds the sums of add at one state of a tree.
type passing struct {
	amount   float64 // that passes through the state
	hops     int32   // of the longest route from here within the stage
	children int32   // that are not summed yet; -1 after the state itself is summed
}

// add adds the amounts of a source along a tree to x.along, and returns the hops of the longest
// route within each stage. It walks from the leaves of the tree to the root and visits each state
// once.
func (x *fluid) add(u int, t *cheapest) []int32 {
	here := x.order[u]
	for _, s := range here {
		x.states[s] = passing{}
	}
	for _, s := range here {
		if before := t.before[s]; before >= 0 {
			x.states[before].children++
		}
	}
	for v := range x.nodes {
		if count := x.demand.Count(u, v); count > 0 && v != u {
			x.states[t.best[v]].amount += float64(count)
		}
	}
	longest := make([]int32, len(x.stages))
	for _, leaf := range here {
		for s := leaf; s >= 0 && x.states[s].children == 0; {
			from, before := &x.states[s], t.before[s]
			from.children = -1
			if before >= 0 {
				x.states[before].children--
			}
			if from.amount > 0 {
				stage := int(s) / x.nodes
				if c := t.circuit[s]; c >= 0 {
					x.along[stage][c] += from.amount
					x.states[before].hops = max(x.states[before].hops, from.hops+1)
				} else {
					longest[stage] = max(longest[stage], from.hops)
				}
				if before >= 0 {
					x.states[before].amount += from.amount
				}
			}
			s = before
		}
	}
	return longest
}

// reprice sets the prices from the loads. The prices of a stage add up to the number of its
// circuits.
func (x *fluid) reprice(eta float64) {
	for i, loads := range x.loads {
		most := loads[0]
		for _, l := range loads {
			if l > most {
				most = l
			}
		}
		x.most[i] = most
		rate := eta / max(1, most)
		prices, total := x.prices[i], 0.0
		for c, l := range loads {
			p := power(rate * (l - most))
			prices[c] = p
			total += p
		}
		scale := float64(len(loads)) / total
		for c := range prices {
			prices[c] *= scale
		}
	}
}

// power approximates e to the x, for x <= 0.
func power(x float64) float64 {
	y := 1 + x*(1.0/64)
	if y <= 0 {
		return 0
	}
	y *= y
	y *= y
	y *= y
	y *= y
	y *= y
	return y * y
}

// step returns the fraction of a full step that lowers the smooth sum the most. It is the
// midpoint between two consecutive multiples of 1/fluidParts: one where the sum still falls, and
// the next, where it does not. Most steps are short.
func (x *fluid) step(eta float64) float64 {
	falls := func(part int) bool { return x.slope(float64(part)/fluidParts, eta) < 0 }
	low, high := 0, 2
	for high < fluidParts && falls(high) {
		low, high = high, 2*high
	}
	for low+1 < high {
		if middle := (low + high) / 2; falls(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return float64(low+high) / (2 * fluidParts)
}

// slope returns the derivative of the smooth sum at a fraction of a full step.
func (x *fluid) slope(part, eta float64) float64 {
	slope := 0.0
	for i, along := range x.along {
		loads := x.loads[i][:len(along)]
		most := 0.0
		for c, a := range along {
			if l := loads[c] + part*a; l > most {
				most = l
			}
		}
		rate := eta / max(1, x.most[i])
		total, sum := 0.0, 0.0
		for c, a := range along {
			p := power(rate * (loads[c] + part*a - most))
			total += p
			sum += p * a
		}
		slope += sum / total
	}
	return slope
}

// flows returns the routes along trees with rounded amounts. It merges small parts into the
// others.
func (x *fluid) flows(shares [][]share) *Flows {
	f := &Flows{Nodes: x.nodes, Ports: x.ports, Stages: x.stages}
	var hops []model.Leg
	var memory legMemory
	for u := range x.nodes {
		list := slices.DeleteFunc(shares[u], func(s share) bool { return s.part < fluidLeast })
		sum := 0.0
		for _, s := range list {
			sum += s.part
		}
		for v := range x.nodes {
			left := x.demand.Count(u, v)
			if left == 0 || u == v {
				continue
			}
			first, rest := len(f.Parts), sum
			for _, s := range list {
				// Round the amount that is left for the trees after this one.
				rest -= s.part
				amount := left - int(math.Round(max(0, rest)/sum*float64(x.demand.Count(u, v))))
				if amount <= 0 {
					continue
				}
				left -= amount
				hops = s.tree.appendWay(hops[:0], v, x.nodes)
				if k := slices.IndexFunc(f.Parts[first:], func(p Part) bool { return slices.Equal(p.Hops, hops) }); k >= 0 {
					f.Parts[first+k].Amount += amount
					continue
				}
				f.Parts = append(f.Parts, Part{Src: int32(u), Dst: int32(v), Amount: amount, Hops: memory.keep(hops)})
			}
		}
	}
	return f
}

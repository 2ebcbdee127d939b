package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/lp"
	"github.com/lightpath-net/lightpath/units"
)

// mostIslandSteps bounds the steps for which islandsSpread solves a linear program. Plans with more
// steps cost at least the start-ups and hops of one step more, and the bytes.
const mostIslandSteps = 24

// islandsSpread bounds an allgather on islands, a reduce-scatter, which is its reversal, and an
// allreduce. It bounds plans of every number of steps s, and takes the least.
//
// Start-ups and hops: each step has one of either at least, and all steps together have the hops
// that take the data of one GPU to all (reachHops).
//
// Bytes of an allgather: of all bytes, on average, step k brings a byte to a(k) islands for the
// first time. z(k) more GPUs get it over circuits, and e(k) get it within their islands. Then
//
//   - n-1 GPUs get it in the end, and I-1 islands.
//   - An island of G GPUs that has the byte before step k gives it to G-1 at most: what came in
//     the same step cannot be passed on. So e(1)+..+e(k) <= (G-1)*C(k-1), where
//     C(k) = 1+a(1)+..+a(k).
//   - As many islands as have ports that lead there get it over one circuit, those beyond over two
//     and those beyond that over three or more: with p ports of an island, the load is at least
//     a+z, 2a+z-p*C(k-1), and 3a+z-(2p+p^2)*C(k-1).
//   - A step takes as long as its load on all circuits, and its e(k) on all islands.
//
// These hold for every single byte and are linear, so they hold for averages. Circuits may change
// before every step, and no change is charged: the bound of islands as nodes counts them.
//
// Bytes of an allreduce: an island is complete once its GPUs together know of everybody's input,
// and a GPU once it does alone. Let L be the step that completes the first island. A GPU that is
// complete in the same step as its island got a message over a circuit; any other may get it within
// the island. So a, z and e, of what completes, are as above, without the lines for two and three
// circuits, as incomplete islands may complete one another. Besides, all islands but one have sent
// something by step L: y(k) counts who sends first in step k, I-1 in the end, and
// y(1)+..+y(k) >= a(1)+..+a(k). These messages are others than those of a and z, but for one of
// each: in step L, whoever is completed hears from all who send first, and for c GPUs and j such
// islands c*(j-1) >= (c-1)+(j-1) if j > 1. Those two are not counted.
func islandsSpread(f *fabric.Fabric, size units.Bytes, sums bool) (Breakdown, bool) {
	islands, n := f.Islands(), f.Nodes
	alpha := float64(min(f.Alpha, f.IslandAlpha()).Time())
	delta := float64(min(f.Delta, f.IslandDelta()).Time())
	circuit := float64(f.Bandwidth.Transmit(float64(size) / float64(n*f.Ports)))
	inside := float64(f.Island.Bandwidth.Transmit(float64(size) / float64(n)))
	reach := reachHops(f)
	bytes := circuit * float64(islands-1)
	if sums {
		bytes *= 2
	}
	best := Breakdown{}
	least := math.Inf(1)
	keep := func(steps int, sent float64) {
		hops := max(steps, reach)
		if time := alpha*float64(steps) + delta*float64(hops) + sent; time < least {
			least = time
			best = Breakdown{
				Stages: 1, Steps: steps, Hops: hops, Startup: units.Time(alpha * float64(steps)),
				Propagation: units.Time(delta * float64(hops)), Transmission: units.Time(sent),
			}
		}
	}
	for s := 1; alpha*float64(s)+delta*float64(max(s, reach))+bytes < least; s++ {
		if s > mostIslandSteps {
			keep(s, bytes)
			break
		}
		switch sent, ok, givenUp := spreadTime(f, s, circuit/inside, sums); {
		case ok:
			keep(s, sent*circuit)
		case givenUp:
			keep(s, bytes)
		}
	}
	return best, !math.IsInf(least, 1)
}

// spreadTime is the least time that bytes take in s steps, by the program of islandsSpread, in
// units of what all take over all circuits at once; within islands they are faster by a factor. It
// is not ok if there is none, or if the search for it was given up.
func spreadTime(f *fabric.Fabric, s int, faster float64, sums bool) (least float64, ok, givenUp bool) {
	unit := float64(f.Nodes - 1) // of amounts, so that numbers are near 1
	islands, ports := float64(f.Islands()-1)/unit, float64(f.Ports*f.Island.Size)
	others := float64(f.Island.Size - 1)
	const t, a, z, e, y, columns = 0, 1, 2, 3, 4, 5 // of each step
	cost := make([]float64, columns*s)
	term := func(k, column int, value float64) lp.Term { return lp.Term{Column: columns*k + column, Value: value} }
	for k := range s {
		cost[columns*k+t] = 1
	}
	p := lp.NewCovering(cost)
	var reached, got, sent []lp.Term
	for k := range s {
		for q, before := 1.0, 0.0; before < q*islands*unit && (q == 1 || q <= 3 && !sums); q++ {
			row := []lp.Term{term(k, t, 1), term(k, a, -q), term(k, z, -1), term(k, y, -1)}
			for j := range k {
				row = append(row, term(j, a, before))
			}
			p.Add(-before/unit, row...)
			before += ballPorts(ports, int(q))
		}
		p.Add(0, term(k, t, faster), term(k, e, -1))
		var given []lp.Term
		for j := range k + 1 {
			given = append(given, term(j, e, -1))
			if j < k {
				given = append(given, term(j, a, others))
			}
		}
		p.Add(-others/unit, given...)
		reached = append(reached, term(k, a, 1))
		got = append(got, term(k, a, 1), term(k, z, 1), term(k, e, 1))
		if sums {
			sent = append(sent, term(k, y, 1), term(k, a, -1))
			p.Add(0, sent...)
		}
	}
	p.Add(islands, reached...)
	p.Add(1, got...)
	x, ok := p.Solve()
	if !ok {
		return 0, false, p.GivenUp
	}
	sum := 0.0
	for k := range s {
		sum += x[columns*k+t]
	}
	return sum * unit * (1 - lpSlack), true, false
}

// lpSlack is far above what rounding adds to the optimum of a program with some hundred rows.
const lpSlack = 1e-7

// ballPorts is how many islands there can be within q circuits of one with so many ports, without
// itself.
func ballPorts(ports float64, q int) float64 {
	sum, level := 0.0, 1.0
	for range q {
		level *= ports
		sum += level
	}
	return sum
}

// reachHops is how many hops, of both tiers, the data of a GPU need at least to reach all others.
// After a hop at most so many islands and GPUs have them: each GPU has sent them over its ports, to
// islands that had none, and every island that had them has given them to all its GPUs.
func reachHops(f *fabric.Fabric) int {
	islands, gpus := 1.0, 1.0
	for h := 0; ; h++ {
		if gpus >= float64(f.Nodes) {
			return h
		}
		sent := gpus * float64(f.Ports)
		gpus = islands*float64(f.Island.Size) + sent
		islands += sent
	}
}

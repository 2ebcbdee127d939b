package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/lp"
	"github.com/lightpath-net/lightpath/units"
)

// mostIslandSteps limits the steps for which islandsSpread solves a linear program. Plans with
// more steps cost at least the start-ups and hops of one step more, plus the bytes.
const mostIslandSteps = 24

// islandsSpread bounds an allgather on islands, a reduce-scatter, which is its reversal, and an
// allreduce. It bounds plans for each number of steps s, and takes the minimum.
//
// Start-ups and hops: each step has at least one of each, and all steps together have the hops
// that take the data of one GPU to all (reachHops).
//
// Bytes of an allgather: on average over all bytes, step k brings a byte to a(k) islands for
// the first time. z(k) more GPUs get it over circuits, and e(k) get it within their islands.
// Then
//
//   - n-1 GPUs get it in the end, and I-1 islands.
//   - An island of G GPUs that has the byte before step k gives it to at most G-1: what came in
//     the same step cannot be passed on. So e(1)+..+e(k) <= (G-1)*C(k-1), where C(k) =
//     1+a(1)+..+a(k).
//   - Islands get it over one circuit only if ports that lead there start at an island that has
//     it; those beyond get it over two circuits, and those beyond that over three or more. With
//     p ports per island, the load is at least a+z, 2a+z-p*C(k-1), and 3a+z-(2p+p^2)*C(k-1).
//   - A step takes as long as its load on all circuits, and as its e(k) on all islands.
//
// These hold for every single byte and are linear, so they hold for averages. Circuits may
// change before every step at no charge: the bound of islands as nodes counts changes.
//
// Bytes of an allreduce: an island is complete once its GPUs together know everyone's input,
// and a GPU once it does so by itself. Let L be the step that completes the first island. A GPU
// that is complete in the same step as its island got a message over a circuit; any other may
// get it within the island. So a, z and e, counting what completes, are as above, without the
// lines for two and three circuits, because incomplete islands may complete one another. In
// addition, all islands but one have sent something by step L: y(k) counts the islands that
// send for the first time in step k, I-1 in the end, and y(1)+..+y(k) >= a(1)+..+a(k). These
// messages are different from those of a and z, except for one of each: in step L, whoever is
// completed hears from all who send first, and for c GPUs and j such islands c*(j-1) >=
// (c-1)+(j-1) if j > 1. Those two are not counted.
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

// spreadTime returns the least time that bytes take in s steps, by the program of
// islandsSpread. Its unit is the time of all bytes over all circuits at once; within islands
// they are faster by the given factor. ok is false if there is no solution, givenUp if the
// search for it gave up.
func spreadTime(f *fabric.Fabric, s int, faster float64, sums bool) (least float64, ok, givenUp bool) {
	unit := float64(f.Nodes - 1) // of amounts, to keep numbers near 1
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

// lpSlack is far above the rounding in the optimum of a program with some hundred rows.
const lpSlack = 1e-7

// ballPorts returns how many islands there can be within q circuits of an island with the given
// number of ports, without itself.
func ballPorts(ports float64, q int) float64 {
	sum, level := 0.0, 1.0
	for range q {
		level *= ports
		sum += level
	}
	return sum
}

// reachHops returns the least number of hops, of both tiers, that the data of a GPU need to
// reach all others. It tracks the most islands and GPUs that can have the data after each hop:
// each GPU has sent them over its ports, to islands that had none, and every island that had
// them has given them to all its GPUs.
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

package retri

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/subring"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Paper lists claims of "Revisiting Bruck: Phase-Efficient All-to-All Communication in
// Reconfigurable Networks", which calls its algorithm ReTri. The speed-ups of Fig. 2, 3 and 5 are
// in speedups.go.
func Paper() claim.Paper {
	p := claim.Paper{Name: "retri", Title: "Revisiting Bruck: Phase-Efficient All-to-All Communication in Reconfigurable Networks",
		Convention: "static is ReTri without changes, on as many GPUs, in place of the direct exchange over shortest paths on 64 GPUs that §4 states. It was inferred from the printed speed-ups: it gives five of them within 5%, the stated baseline none."}
	p.Entries = []claim.Entry{
		{ID: "retri/phases", Source: "ReTri, §1", Quantity: "phases of ReTri on 81 GPUs below those of mirrored Bruck on 64", Unit: "%", Published: 33,
			Tolerance: 0.5, Reason: "half a unit of the last digit that is printed", Recorded: claim.Matched,
			Ours: func(context.Context) (float64, error) {
				ours, err := algorithms.New(collective.AllToAll, "retri", 81, 2)
				if err != nil {
					return 0, err
				}
				bruck, err := algorithms.New(collective.AllToAll, "mirrored-bruck", 64, 2)
				if err != nil {
					return 0, err
				}
				return 100 * (1 - float64(len(ours.Steps))/float64(len(bruck.Steps))), nil
			}},
		{ID: "retri/lemma1", Source: "ReTri, Lemma 1", Quantity: "phases of 9, 27, 81 and 243 GPUs whose subrings do not join exactly the GPUs that later phases need", Recorded: claim.Matched,
			Ours: lemma1},
		{ID: "retri/lemma2", Source: "ReTri, Lemma 2", Quantity: "GPUs and phases, for 9, 27 and 81 GPUs, that do not send n/3 blocks each way", Recorded: claim.Matched,
			Ours: lemma2},
	}
	for _, changes := range []int{0, 1, 3} {
		p.Entries = append(p.Entries, claim.Entry{
			ID: fmt.Sprintf("retri/cost/81/%d", changes), Source: "ReTri, §3.4, C(R)",
			Quantity: fmt.Sprintf("81 GPUs, 1 MiB, R = %d, a change takes nothing: C(R), and the time of the best plan of as many changes", changes), Unit: "us",
			Published: printedCost(3, 4, 1./3, changes, units.MiB), Tolerance: 1e-9, Reason: "rounding of float64", Recorded: claim.Matched,
			Ours: func(ctx context.Context) (float64, error) {
				c, err := scaleUp(81, "retri", units.MiB).Curve(ctx)
				if err != nil {
					return 0, err
				}
				for _, p := range c.Best {
					if p.Reconfigurations == changes {
						return float64(p.Communication) / 1e3, nil
					}
				}
				return 0, fmt.Errorf("no delay at which %d changes are best", changes)
			},
		})
	}
	p.Entries = append(p.Entries,
		claim.Entry{ID: "retri/cost/81/2", Source: "ReTri, §3.4, C(R)",
			Quantity: "81 GPUs, 1 MiB, R = 2, a change takes nothing: C(R) as printed, and the time of the best placement of the changes", Unit: "us",
			Published: printedCost(3, 4, 1./3, 2, units.MiB), Sense: claim.Lower, Tolerance: 1e-9, Reason: "rounding of float64", Recorded: claim.Differs,
			Why:   "the formula is for R+1 that divides the number of phases, as the paper says; elsewhere it takes parts of phases and is less than any schedule takes: here 4.99 hops in three segments of 4/3 phases, where whole phases take 6",
			Ours:  func(context.Context) (float64, error) { return placedCost(2, units.MiB) },
			Parts: func(context.Context) ([]claim.Part, error) { return partsOfCost(2, units.MiB) }},
		claim.Entry{ID: "retri/cost/bruck", Source: "ReTri, §3.4", Quantity: "mirrored Bruck on 64 GPUs, 1 MiB, a change before every phase that takes nothing", Unit: "us",
			Published: printedCost(2, 6, 1./4, 5, units.MiB), Tolerance: 1e-9, Reason: "rounding of float64", Recorded: claim.Matched,
			Ours: func(ctx context.Context) (float64, error) {
				time, err := scaleUp(64, "mirrored-bruck", units.MiB).Time(ctx, "every-step")
				return float64(time) / 1e3, err
			}},
	)
	p.Entries = append(p.Entries, retriSpeedups()...)
	p.Panels = retriPanels()
	return p
}

// scaleUp returns the system of §4: 400 Gbps links, 1 us per hop, 1.7 us per phase, two two-way
// ports, and no reconfiguration delay.
func scaleUp(nodes int, algorithm string, size units.Bytes) claim.Work {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = nodes, 2, true
	f.Bandwidth = 400 * units.Gbps
	f.Alpha, f.Delta = 1700*units.Nanosecond, units.Microsecond
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant}
	return claim.Work{Fabric: f, Op: collective.AllToAll, Algorithm: algorithm, Size: size}
}

// printedCost returns C(R) of §3.4 without reconfiguration delays, in us: s*alpha +
// (R+1)*y*(b^(s/(R+1))-1)/(b-1), y = alpha_h + beta*share*m.
func printedCost(radix, phases int, share float64, changes int, size units.Bytes) float64 {
	start, y := phaseCosts(phases, share, size)
	return start + y*printedHops(radix, phases, changes)
}

// phaseCosts returns the start-ups of some phases, s*alpha, and the time of a hop, y, in us.
func phaseCosts(phases int, share float64, size units.Bytes) (start, hop float64) {
	f := scaleUp(4, "", size).Fabric
	hop = float64(f.Delta.Time()) + share*float64(f.Bandwidth.Transmit(float64(size)))
	return float64(phases) * float64(f.Alpha.Time()) / 1e3, hop / 1e3
}

// printedHops returns the hops of C(R), (R+1)*(b^(s/(R+1))-1)/(b-1), for segments of equal
// length, which need not be whole phases.
func printedHops(radix, phases, changes int) float64 {
	segments := float64(changes + 1)
	return segments * (math.Pow(float64(radix), float64(phases)/segments) - 1) / float64(radix-1)
}

// placedCost returns the time of ReTri on 81 GPUs, in us, with changes without delay at their
// best places.
func placedCost(changes int, size units.Bytes) (float64, error) {
	s, err := subring.New(3, 4, 1./3)
	if err != nil {
		return 0, err
	}
	f := scaleUp(81, "retri", size).Fabric
	cost, err := s.Cost(changes, subring.TimingOf(&f), size)
	return float64(cost) / 1e3, err
}

// lemma1 compares the rings of a phase with the GPUs whose offset is a multiple of 3^k.
func lemma1(context.Context) (float64, error) {
	wrong := 0.0
	for n := 9; n <= 243; n *= 3 {
		for jump := 1; jump < n; jump *= 3 {
			g := topology.Circulant(n, jump)
			reached := map[int]bool{0: true}
			for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
				for e := range g.Edges() {
					if e.From == queue[0] && !reached[e.To] {
						reached[e.To] = true
						queue = append(queue, e.To)
					}
				}
			}
			exact := len(reached) == n/jump
			for u := range reached {
				exact = exact && u%jump == 0
			}
			if !exact {
				wrong++
			}
		}
	}
	return wrong, nil
}

// lemma2 counts blocks.
func lemma2(context.Context) (float64, error) {
	wrong := 0.0
	for n := 9; n <= 81; n *= 3 {
		c, err := algorithms.New(collective.AllToAll, "retri", n, 2)
		if err != nil {
			return 0, err
		}
		for i := range c.Steps {
			sent := map[[2]int]int{}
			for t := range c.Steps[i].All(c.Space) {
				sent[[2]int{t.Src, t.Dst}] += t.Chunks.Len()
			}
			jump := 1
			for range i {
				jump *= 3
			}
			for u := range n {
				right, left := sent[[2]int{u, (u + jump) % n}], sent[[2]int{u, (u + n - jump) % n}]
				if right != n/3 || left != n/3 {
					wrong++
				}
			}
		}
	}
	return wrong, nil
}

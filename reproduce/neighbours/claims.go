package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// Convention is what all computed rows assume if an abstract does not say: the fabric's
// defaults, and a grid of sizes and delays.
const Convention = "64 GPUs unless the abstract says how many, 1 port of 800 Gbps (2 where switches work in parallel), alpha and delta 500 ns, 16 KiB to 1 GiB in steps of 16 times, delays of 1 us to 1 ms in steps of 10 times"

const (
	swot    = "Enabling Reconfiguration-Communication Overlap for Collective Communication in Optical Networks (SWOT), arXiv 2510.19322, abstract"
	spectra = "Scheduling Parallel Optical Circuit Switches for AI Training (Spectra), arXiv 2603.07373, abstract"
	pccl    = "PCCL: Photonic circuit-switched collective communication for distributed ML, arXiv 2509.15450, abstract"
	bridge  = "Bridge: Optimizing Collective Communication Schedules in Reconfigurable Networks with Reusable Subrings, arXiv 2605.12766, abstract"
	delta   = "DELTA: A DAG-aware Efficient OCS Logical Topology Optimization Framework for AIDCs, arXiv 2603.28096, abstract"
	topoOpt = "TopoOpt: Co-optimizing Network Topology and Parallelization Strategy for Distributed Training Jobs, arXiv 2202.00433 (NSDI 2023), abstract"
)

// sizes and delays are the grid of Convention.
var (
	sizes  = []units.Bytes{16 * units.KiB, 256 * units.KiB, 4 * units.MiB, 64 * units.MiB, units.GiB}
	delays = []units.Duration{units.Microsecond, 10 * units.Microsecond, 100 * units.Microsecond, units.Millisecond}
)

// Paper lists the claims.
func Paper() claim.Paper {
	p := claim.Paper{Name: "neighbours", Title: "Systems nearby: what their abstracts publish", Convention: Convention}
	p.Entries = append(p.Entries, swotClaim())
	p.Entries = append(p.Entries, spectraClaims()...)
	p.Entries = append(p.Entries, pcclClaims()...)
	p.Entries = append(p.Entries, bridgeClaims()...)
	p.Entries = append(p.Entries, deltaClaims()...)
	p.Entries = append(p.Entries, topoOptClaim())
	p.Panels = []claim.Panel{bridgePanel()}
	return p
}

// bridgePanel draws Bruck's allreduce on reusable circuits beside our best plan.
func bridgePanel() claim.Panel {
	w := claim.Work{Fabric: on(64, 1), Op: collective.AllReduce, Algorithm: "bruck"}
	return claim.Panel{
		ID: "neighbours/better/bridge", Source: bridge, Better: true,
		About: "Bruck's allreduce on circuits that serve several steps, as in Bridge, against our best plan, which also chooses the algorithm. No plan of any algorithm is below the bound, in this cost model.",
		Draw: w.BetterPanel(claim.Rival{Planner: "harvest", Name: "Bruck's algorithm, circuits reused"}, "Allreduce", "64 GPUs, 1 port of 800 Gbps, alpha = delta = 500 ns",
			claim.Field{Sizes: sizes, Delays: claim.Decades(units.Microsecond, units.Millisecond)}, 256*units.KiB),
	}
}

// unstated says why no row is computed as stated.
const unstated = "the abstract does not give the setting"

// under returns the reading of a value under Convention.
func under(recorded claim.Verdict, ours func(context.Context) (float64, error)) *claim.Reading {
	return &claim.Reading{Name: "settings of the convention", Recorded: recorded, Ours: ours}
}

// on returns the fabric of Convention.
func on(nodes, ports int) fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	return f
}

// at returns the fabric with another delay.
func at(f fabric.Fabric, delay units.Duration) fabric.Fabric {
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: delay}
	return f
}

// cell is a size and a delay, with the times without and with reconfiguration.
type cell struct {
	size          units.Bytes
	delay         units.Duration
	static, quick float64 // ns
}

// speedup returns the first time over the second.
func (c cell) speedup() float64 { return c.static / c.quick }

// reduction returns by how much the second time is below the first, in percent.
func (c cell) reduction() float64 { return 100 * (1 - c.quick/c.static) }

// most returns the cell with the largest gain.
func most(cells []cell) cell {
	return slices.MaxFunc(cells, func(a, b cell) int { return cmp.Compare(a.speedup(), b.speedup()) })
}

// at names the cell.
func (c cell) at() string { return fmt.Sprintf("%v and a delay of %v", c.size, c.delay) }

// swotCells returns the times of halving-doubling on a static topology and on two switches: one
// reconfigures while the other sends.
func swotCells(ctx context.Context, gpus int, sizes []units.Bytes, delays []units.Duration) ([]cell, error) {
	f := on(gpus, 2)
	f.Overlap = fabric.Overlap{Kind: fabric.OverlapPlanes}
	by := staggered.New(staged.Harvest(staged.HarvestOptions{}))
	var cells []cell
	for _, size := range sizes {
		w := claim.Work{Fabric: on(gpus, 2), Op: collective.AllReduce, Algorithm: "halving-doubling", Size: size}
		static, err := w.Time(ctx, "static")
		if err != nil {
			return nil, err
		}
		for _, delay := range delays {
			w.Fabric = at(f, delay)
			p, err := w.PlanBy(ctx, by)
			if err != nil {
				return nil, err
			}
			cells = append(cells, cell{size, delay, float64(static), float64(p.Cost.Total())})
		}
	}
	return cells, nil
}

// swotClaim uses planes that reconfigure while others send, with the planner for this.
func swotClaim() claim.Entry {
	const gpus = 64
	grid := claim.Once(func(ctx context.Context) ([]cell, error) { return swotCells(ctx, gpus, sizes, delays) })
	return claim.Entry{
		ID: "neighbours/swot/reduction", Source: swot, Unit: "%", Published: 89.7, Sense: claim.AtLeast, Recorded: claim.NotCheckable, Full: true,
		Quantity: "largest reduction of completion time over the same algorithm on a static topology, halving-doubling on 64 GPUs, two switches that reconfigure independently",
		Why:      unstated + ": the number of GPUs is missing, and what halving-doubling loses on a static ring grows with it. With 64 GPUs, no size and delay of the convention reaches the published reduction; its best cell nearly does with 128, and does with 256",
		Convention: under(claim.Differs, claim.From(grid, func(cells []cell) float64 {
			return most(cells).reduction()
		})),
		Parts: func(ctx context.Context) ([]claim.Part, error) {
			cells, err := grid(ctx)
			if err != nil {
				return nil, err
			}
			best := most(cells)
			list := []claim.Part{
				{Name: fmt.Sprintf("%d GPUs, %s: static", gpus, best.at()), Value: best.static / 1e3, Unit: "us"},
				{Name: "the same with two switches that reconfigure", Value: best.quick / 1e3, Unit: "us"},
			}
			for _, delay := range delays {
				of := slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return c.delay != delay })
				list = append(list, claim.Part{Name: fmt.Sprintf("%d GPUs, delay of %v: largest reduction, at %v", gpus, delay, most(of).size), Value: most(of).reduction(), Unit: "%"})
			}
			for _, n := range []int{16, 32, 128, 256} {
				cells, err := swotCells(ctx, n, []units.Bytes{best.size}, []units.Duration{best.delay})
				if err != nil {
					return nil, err
				}
				list = append(list, claim.Part{Name: fmt.Sprintf("%d GPUs, %s: reduction", n, best.at()), Value: cells[0].reduction(), Unit: "%"})
			}
			return list, nil
		},
	}
}

// bridgeCells returns the times of the ring algorithm on a static ring, and of Bruck's algorithm
// with circuits that serve several steps.
func bridgeCells(ctx context.Context, gpus int, sizes []units.Bytes, delays []units.Duration) ([]cell, error) {
	var cells []cell
	for _, size := range sizes {
		w := claim.Work{Fabric: on(gpus, 1), Op: collective.AllReduce, Algorithm: "ring", Size: size}
		static, err := w.Time(ctx, "static")
		if err != nil {
			return nil, err
		}
		w.Algorithm = "bruck"
		c, err := w.Curve(ctx)
		if err != nil {
			return nil, err
		}
		for _, delay := range delays {
			cells = append(cells, cell{size, delay, float64(static), float64(c.At(delay))})
		}
	}
	return cells, nil
}

// bridgeRingParts returns the cell of the largest gain, and the gain with other numbers of GPUs,
// sizes and delays.
func bridgeRingParts(ctx context.Context) ([]claim.Part, error) {
	cells, err := bridgeCells(ctx, bridgeGPUs, sizes, delays)
	if err != nil {
		return nil, err
	}
	best := most(cells)
	list := []claim.Part{
		{Name: fmt.Sprintf("%d GPUs, %s: ring algorithm, static", bridgeGPUs, best.at()), Value: best.static / 1e3, Unit: "us"},
		{Name: "the same by Bruck's algorithm with reconfigurations", Value: best.quick / 1e3, Unit: "us"},
		{Name: "speed-up", Value: best.speedup(), Unit: "times"},
	}
	for _, other := range []struct {
		gpus  int
		size  units.Bytes
		delay units.Duration
	}{
		{32, best.size, best.delay}, {128, best.size, best.delay},
		{bridgeGPUs, best.size / 4, best.delay}, {bridgeGPUs, best.size / 16, best.delay}, {bridgeGPUs, best.size * 4, best.delay},
		{bridgeGPUs, best.size, best.delay / 2}, {bridgeGPUs, best.size, best.delay * 9 / 10}, {bridgeGPUs, best.size, best.delay * 2},
	} {
		cells, err := bridgeCells(ctx, other.gpus, []units.Bytes{other.size}, []units.Duration{other.delay})
		if err != nil {
			return nil, err
		}
		list = append(list, claim.Part{Name: fmt.Sprintf("%d GPUs, %s", other.gpus, cells[0].at()), Value: cells[0].speedup(), Unit: "times"})
	}
	return list, nil
}

func spectraClaims() []claim.Entry {
	entry := func(id, about string, factor float64, why string) claim.Entry {
		return claim.Entry{ID: "neighbours/spectra/" + id, Source: spectra, Unit: "times", Published: factor, Recorded: claim.NotCheckable,
			Quantity: "makespan of the baseline over that of Spectra, on average over " + about, Why: why}
	}
	return []claim.Entry{
		entry("gpt", "matrices of a GPT model", 1.4, "neither the matrices nor the baseline are published with the abstract"),
		entry("moe", "matrices of the experts of a Qwen model", 1.9, "the routing of the experts was measured, and is not published with the abstract"),
		entry("benchmarks", "standard benchmarks", 2.4, "which benchmarks, switches and delays are not in the abstract"),
	}
}

// pcclClaims compare choosing circuits step by step with the best algorithm on a fixed topology.
func pcclClaims() []claim.Entry {
	return []claim.Entry{
		{
			ID: "neighbours/pccl/collectives", Source: pccl, Unit: "times", Published: 3, Sense: claim.AtLeast, Recorded: claim.NotCheckable,
			Quantity: "largest speed-up on 128 GPUs of the best algorithm with a choice of circuits at every step over the best on a static ring: ring, recursive doubling, halving-doubling, swing; the abstract says up to 3, which is entered as at least 3",
			Why:      unstated + "; that the factor is reached says nothing about its size: it grows with the number of GPUs and falls with the delay",
			Convention: under(claim.Matched, func(ctx context.Context) (float64, error) {
				most := 0.0
				for _, size := range sizes {
					for _, delay := range delays {
						static, chosen := math.Inf(1), math.Inf(1)
						for _, algorithm := range []string{"ring", "recursive-doubling", "halving-doubling", "swing"} {
							w := claim.Work{Fabric: at(on(128, 1), delay), Op: collective.AllReduce, Algorithm: algorithm, Size: size}
							times, err := each(ctx, w, "static", "light-bends")
							if err != nil {
								return 0, err
							}
							static, chosen = min(static, times[0]), min(chosen, times[1])
						}
						most = max(most, static/chosen)
					}
				}
				return most, nil
			}),
		},
		{ID: "neighbours/pccl/training", Source: pccl, Unit: "times", Published: 1.3, Recorded: claim.NotCheckable,
			Quantity: "throughput of training with PCCL over that without it", Why: "model, batch and computation are not in the abstract"},
	}
}

// each plans work by several planners, and returns their times.
func each(ctx context.Context, w claim.Work, planners ...string) ([]float64, error) {
	times := make([]float64, len(planners))
	for i, name := range planners {
		time, err := w.Time(ctx, name)
		if err != nil {
			return nil, err
		}
		times[i] = float64(time)
	}
	return times, nil
}

// bridgeGPUs is the number of GPUs of bridgeClaims, by the convention.
const bridgeGPUs = 64

// bridgeClaims returns the claims on Bruck's algorithms on circuits that serve several steps:
// the pool of planner harvest has the rings of all offsets, whose subrings Bridge reuses.
func bridgeClaims() []claim.Entry {
	exchange := claim.Work{Fabric: on(bridgeGPUs, 1), Op: collective.AllToAll, Algorithm: "bruck-index"}
	largest := func(w claim.Work, over claim.Baseline, among []units.Duration) func(context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			s, err := w.Grid(ctx, sizes, among, over)
			return s.Most, err
		}
	}
	const twoDigits = "the published number has two digits"
	const subrings = ", Bruck's algorithm on 64 GPUs with reconfigurations at the best steps"
	return []claim.Entry{
		{
			ID: "neighbours/bridge/alltoall", Source: bridge, Unit: "times", Published: 10, Sense: claim.AtLeast, Recorded: claim.NotCheckable, Why: unstated,
			Quantity: "largest speed-up of an all-to-all over the same on a static ring" + subrings, Convention: under(claim.Matched, largest(exchange, claim.OverStatic, delays)),
		},
		{
			ID: "neighbours/bridge/alltoall-1ms", Source: bridge, Unit: "times", Published: 3, Sense: claim.AtLeast, Recorded: claim.NotCheckable, Why: unstated,
			Quantity:   "largest speed-up of an all-to-all over the same on a static ring with a delay of 1 ms" + subrings,
			Convention: under(claim.Matched, largest(exchange, claim.OverStatic, []units.Duration{units.Millisecond})),
		},
		{
			ID: "neighbours/bridge/allreduce-strategies", Source: bridge, Unit: "times", Published: 1.5, Tolerance: 0.05, Reason: twoDigits, Recorded: claim.NotCheckable, Why: unstated,
			Quantity: "largest speed-up of an allreduce over strategies that connect only the current step (the best of static, every step and a choice of the two at each step)" + subrings,
			Convention: under(claim.Matched, func(ctx context.Context) (float64, error) {
				most := 0.0
				for _, size := range sizes {
					w := claim.Work{Fabric: on(bridgeGPUs, 1), Op: collective.AllReduce, Algorithm: "bruck", Size: size}
					for _, delay := range delays {
						w.Fabric = at(w.Fabric, delay)
						t, err := each(ctx, w, "harvest", "static", "every-step", "light-bends")
						if err != nil {
							return 0, err
						}
						most = max(most, min(t[1], t[2], t[3])/t[0])
					}
				}
				return most, nil
			}),
		},
		{
			ID: "neighbours/bridge/allreduce-ring", Source: bridge, Unit: "times", Published: 6.6, Tolerance: 0.05, Recorded: claim.NotCheckable,
			Reason:   twoDigits,
			Quantity: "largest speed-up of an allreduce over the ring algorithm on a static ring" + subrings,
			Why:      unstated + ": the number of GPUs and the least size and delay are missing; the speed-up grows with the first and falls with the others. With 4 KiB instead of 16, or a delay of 0.9 us instead of 1, it is 6.6",
			Convention: under(claim.Differs, claim.From(func(ctx context.Context) ([]cell, error) {
				return bridgeCells(ctx, bridgeGPUs, sizes, delays)
			}, func(cells []cell) float64 { return most(cells).speedup() })),
			Parts: bridgeRingParts,
		},
	}
}

func deltaClaims() []claim.Entry {
	const missing = "the workloads and the baselines, which take traffic matrices, are not published with the abstract; no planner here solves its program"
	return []claim.Entry{
		{ID: "neighbours/delta/communication", Source: delta, Unit: "%", Published: 17.5, Sense: claim.AtMost, Recorded: claim.NotCheckable,
			Quantity: "reduction of communication time over topologies made from traffic matrices", Why: missing},
		{ID: "neighbours/delta/ports", Source: delta, Unit: "%", Published: 20, Sense: claim.AtLeast, Recorded: claim.NotCheckable,
			Quantity: "optical ports saved without a longer iteration", Why: missing},
		{ID: "neighbours/delta/gap", Source: delta, Unit: "%", Published: 26.1, Sense: claim.AtMost, Recorded: claim.NotCheckable,
			Quantity: "reduction of the gap to an ideal packet fabric by giving saved ports to other jobs", Why: missing},
	}
}

func topoOptClaim() claim.Entry {
	return claim.Entry{ID: "neighbours/topoopt/training", Source: topoOpt, Unit: "times", Published: 3.4, Sense: claim.AtMost, Recorded: claim.NotCheckable,
		Quantity: "training time on a fat tree of similar cost over that on TopoOpt",
		Why:      "models, their computation and the search for a parallelization strategy are part of the number; none is here"}
}

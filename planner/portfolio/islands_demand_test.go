package portfolio

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// drawnIslands returns a random fabric with islands.
func drawnIslands(random *rand.Rand) fabric.Fabric {
	f := fabric.Default()
	f.Island = fabric.Island{Size: 2 + random.IntN(3), Bandwidth: []units.Bandwidth{200, 800, 3600, 7200}[random.IntN(4)] * units.Gbps}
	f.Nodes, f.Ports = f.Island.Size*(2+random.IntN(3)), 1+random.IntN(2)
	f.Reconfig.Base = []units.Duration{0, units.Microsecond, 10 * units.Microsecond, units.Millisecond}[random.IntN(4)]
	if random.IntN(3) == 0 {
		f.Island.Alpha, f.Island.Delta = fabric.Own(units.Duration(random.IntN(1000))*units.Nanosecond), fabric.Own(units.Duration(random.IntN(1000))*units.Nanosecond)
	}
	f.Duplex = random.IntN(4) == 0
	if random.IntN(4) == 0 {
		f.Initial = fabric.InitialDark
	}
	return f
}

// drawnDemand returns a random demand: of all pairs, of few, of one GPU, or mostly within
// islands.
func drawnDemand(random *rand.Rand, f *fabric.Fabric) collective.Demand {
	d := make(collective.Demand, f.Nodes)
	kind, scale := random.IntN(4), int64(1)<<(6+random.IntN(15))
	for u := range d {
		d[u] = make([]int64, f.Nodes)
		for v := range d[u] {
			bytes := random.Int64N(scale)
			switch kind {
			case 1:
				if random.IntN(4) > 0 {
					bytes = 0
				}
			case 2:
				if u != 1 && v != 1 {
					bytes /= 64
				}
			case 3:
				if u/f.Island.Size != v/f.Island.Size {
					bytes /= 256
				}
			}
			d[u][v] = bytes
		}
	}
	d[0][1] = max(1, d[0][1])
	return d
}

// checked returns the fastest plan, which must be correct and not below its bound.
func checked(t *testing.T, what string, r Request) *plan.Plan {
	t.Helper()
	s := NewSearch(Options{Planners: Planners(), Bare: true})
	made, err := r.Fastest(t.Context(), s.Planners().Best(), s)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if report, err := verify.Plan(t.Context(), made); err != nil || !report.OK {
		t.Fatalf("%s by %s: %v, %v", what, made.Collective.Algorithm, report.First(), err)
	}
	if least := made.OperationBound().Total(); planner.Above(least, made.Cost.Total()) {
		t.Errorf("%s: %v, below the bound %v", what, made.Cost.Total(), least)
	}
	return made
}

// demandInPhases returns the time of a demand in three phases. Within islands, every GPU spreads
// its data for other islands evenly over its island; then GPUs at the same place exchange it;
// then it goes to its targets. Data that stays within islands goes along with the last phase.
func demandInPhases(t *testing.T, what string, f *fabric.Fabric, d collective.Demand) units.Time {
	t.Helper()
	size, nodes := f.Island.Size, f.Islands()
	across := make(collective.Demand, nodes)
	out, in := make([]float64, f.Nodes), make([]float64, f.Nodes)      // of other islands
	stays, comes := make([]float64, f.Nodes), make([]float64, f.Nodes) // of the same island
	leaves, arrives := make([]float64, nodes), make([]float64, nodes)  // of an island
	for a := range across {
		across[a] = make([]int64, nodes)
	}
	some := false
	for u, row := range d {
		for v, bytes := range row {
			b := float64(bytes)
			switch {
			case u == v:
			case u/size == v/size:
				stays[u] += b
				comes[v] += b
			default:
				across[u/size][v/size] += bytes
				out[u] += b
				in[v] += b
				leaves[u/size] += b
				arrives[v/size] += b
				some = some || bytes > 0
			}
		}
	}
	if !some {
		return 0
	}
	g := float64(size)
	first, last := 0.0, 0.0
	for u := range f.Nodes {
		h := u / size
		first = max(first, out[u]*(g-1)/g, (leaves[h]-out[u])/g)
		last = max(last, stays[u]+(arrives[h]-in[u])/g, comes[u]+in[u]*(g-1)/g)
	}
	for a := range across {
		for b := range across[a] {
			across[a][b] = (across[a][b] + int64(size) - 1) / int64(size)
		}
	}
	rails := f.Core(1)
	r := Request{Fabric: rails, Operations: []collective.Operation{{Op: collective.AllToAll, Demand: across}}}
	core := checked(t, what+", across", r)
	phase := f.IslandAlpha().Time() + f.IslandDelta().Time()
	return core.Cost.Total() + 2*phase + f.Island.Bandwidth.Transmit(first) + f.Island.Bandwidth.Transmit(last)
}

// TestDemandsUseIslands: whatever the demand is, plans on islands are correct, not below their
// bounds, and never slower than without the islands or than three phases.
func TestDemandsUseIslands(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(30, 41))
	for i := range samples.Draws(6, 12) {
		f := drawnIslands(random)
		d := drawnDemand(random, &f)
		what := fmt.Sprintf("%d: %d GPUs, %d ports, islands %v, delay %v, two-way %v, %s", i, f.Nodes, f.Ports, f.Island, f.Reconfig.Base, f.Duplex, f.Initial)
		op := []collective.Operation{{Op: collective.AllToAll, Demand: d}}
		best := checked(t, what, Request{Fabric: f, Operations: op}).Cost.Total()
		if flat := checked(t, what+", flat", Request{Fabric: f.Flat(), Operations: op}).Cost.Total(); planner.Above(best, flat) {
			t.Errorf("%s: %v, without islands %v", what, best, flat)
		}
		if three := demandInPhases(t, what, &f, d); three > 0 && planner.Above(best, three) {
			t.Errorf("%s: %v, in three phases %v", what, best, three)
		}
	}
}

// TestEqualDemandsAreAllToAlls: a demand with equal amounts for all pairs is planned as an
// all-to-all of these bytes.
func TestEqualDemandsAreAllToAlls(t *testing.T) {
	t.Parallel()
	for _, size := range []units.Bytes{64 * units.KiB, 16 * units.MiB} {
		f := fabric.Default()
		f.Nodes, f.Island = 16, fabric.Island{Size: 4, Bandwidth: 7200 * units.Gbps}
		plain := checked(t, "plain", Request{Fabric: f, Operations: []collective.Operation{{Op: collective.AllToAll, Size: size}}})
		same := checked(t, "demand", Request{Fabric: f, Operations: []collective.Operation{{Op: collective.AllToAll, Size: size, Generator: "uniform"}}})
		if plain.Cost.Total() != same.Cost.Total() {
			t.Errorf("%v: %v, with a demand %v", size, plain.Cost.Total(), same.Cost.Total())
		}
	}
}

// TestPatternsUseIslands: plans of patterns on islands are correct and never slower than without
// islands. A pattern that stays within islands needs no circuits.
func TestPatternsUseIslands(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(30, 43))
	for i := range samples.Of(8) {
		f := drawnIslands(random)
		inside := i%4 == 0
		c := &collective.Collective{Op: collective.Pattern, Nodes: f.Nodes, Algorithm: "drawn", Space: collective.Space{Kind: collective.Listed, Nodes: f.Nodes}}
		total := 0.0
		for range 1 + random.IntN(4) {
			var step collective.Step
			for range 1 + random.IntN(2*f.Nodes) {
				u, v := random.IntN(f.Nodes), random.IntN(f.Nodes)
				if inside {
					v = u/f.Island.Size*f.Island.Size + v%f.Island.Size
				}
				if u == v {
					continue
				}
				bytes := float64(1 + random.IntN(1<<20))
				total += bytes
				step.Base = append(step.Base, collective.Transfer{Src: u, Dst: v, Action: collective.Copy, Chunks: collective.Single(len(c.Space.Pieces))})
				c.Space.Pieces = append(c.Space.Pieces, collective.Piece{Bytes: bytes, From: []int{u}, To: []int{v}})
			}
			if len(step.Base) > 0 {
				c.Steps = append(c.Steps, step)
			}
		}
		if len(c.Steps) == 0 {
			continue
		}
		p := &collective.PatternFile{Sized: collective.Sized{Collective: c, Size: units.Bytes(total)}}
		what := fmt.Sprintf("%d: %d steps, %d GPUs, %d ports, islands %v, delay %v, two-way %v, %s", i, len(c.Steps), f.Nodes, f.Ports, f.Island, f.Reconfig.Base, f.Duplex, f.Initial)
		best := checked(t, what, Request{Fabric: f, Pattern: p}).Cost.Total()
		if flat := checked(t, what+", flat", Request{Fabric: f.Flat(), Pattern: p}).Cost.Total(); planner.Above(best, flat) {
			t.Errorf("%s: %v, without islands %v", what, best, flat)
		}
		if !inside {
			continue
		}
		alone := units.Time(0) // of only islands, step by step
		for _, step := range c.Steps {
			used := make([]float64, 2*f.Nodes)
			for _, x := range step.Base {
				bytes := c.Space.Bytes(total, x.Chunks)
				used[x.Src] += bytes
				used[f.Nodes+x.Dst] += bytes
			}
			most := 0.0
			for _, bytes := range used {
				most = max(most, bytes)
			}
			alone += f.IslandAlpha().Time() + f.IslandDelta().Time() + f.Island.Bandwidth.Transmit(most)
		}
		if planner.Above(best, alone) {
			t.Errorf("%s: %v, within islands %v", what, best, alone)
		}
	}
}

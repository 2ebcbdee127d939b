package islands_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// search returns a search with all planners.
func search() *portfolio.Search {
	return portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
}

// asked is a request of fastest.
type asked struct {
	fabric fabric.Key
	op     collective.Op
	size   units.Bytes
}

// known holds plans by request: tests that vary one thing at a time meet the same fabric several
// times.
var known sync.Map

// fastest returns the fastest plan, which is shared and must not be changed.
func fastest(t *testing.T, f fabric.Fabric, op collective.Op, size units.Bytes) *plan.Plan {
	t.Helper()
	// Tests run in parallel and ask for the same plans: one plans, and the others wait.
	once, _ := known.LoadOrStore(asked{f.Key(), op, size}, sync.OnceValues(func() (*plan.Plan, error) {
		s := search()
		r := &portfolio.Request{Operations: []collective.Operation{{Op: op, Size: size}}, Fabric: f}
		p, err := r.Fastest(context.Background(), s.Planners().Best(), s)
		if err == nil && f.Nodes >= 1000 { // it takes much memory, and tests need only its time
			p = &plan.Plan{Cost: p.Cost}
		}
		return p, err
	}))
	p, err := once.(func() (*plan.Plan, error))()
	if err != nil {
		t.Fatalf("%s of %v on %d GPUs in islands of %d: %v", op, size, f.Nodes, f.Island.Size, err)
	}
	return p
}

// inIslands returns the default fabric with islands of some size.
func inIslands(nodes, ports, size int) fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	if size > 1 {
		f.Island = fabric.Island{Size: size, Bandwidth: 7200 * units.Gbps}
	}
	return f
}

// TestEveryOperationIsProven: plans for islands of all sizes, latencies, delays and overlaps are
// correct, and their packets take the time of the model, or up to a tenth more if routes merge.
func TestEveryOperationIsProven(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(30, 1))
	shapes := [][3]int{{4, 1, 2}, {6, 1, 3}, {8, 1, 2}, {8, 2, 4}, {12, 1, 4}, {16, 1, 4}, {16, 2, 8}, {12, 3, 3}, {12, 1, 6}}
	if samples.Every() {
		shapes = append(shapes[:len(shapes)-2], [][3]int{{18, 3, 3}, {24, 1, 8}}...)
	}
	overlaps := []fabric.Overlap{{}, {}, {Kind: fabric.OverlapPorts}, {Kind: fabric.OverlapCircuits}, {Kind: fabric.OverlapCompute, Compute: 3 * units.Microsecond}}
	for i, op := range collective.Ops() {
		for j, shape := range shapes {
			f := inIslands(shape[0], shape[1], shape[2])
			f.Reconfig.Base = units.Duration(random.IntN(4)) * 3 * units.Microsecond
			f.Overlap = overlaps[random.IntN(len(overlaps))]
			f.Sync = units.Duration(random.IntN(2)) * units.Microsecond
			f.Duplex = random.IntN(4) == 0
			if random.IntN(2) == 0 {
				f.Initial = fabric.InitialDark
			}
			if random.IntN(2) == 0 {
				f.Island.Alpha, f.Island.Delta = fabric.Own(200*units.Nanosecond), fabric.Own(100*units.Nanosecond)
			}
			if random.IntN(3) == 0 {
				f.Forwarding = fabric.StoreAndForward
			}
			f.Island.Bandwidth = f.Bandwidth * units.Bandwidth(1+random.IntN(9))
			size := units.Bytes(1) << (10 + random.IntN(15))
			if !samples.Every() && (i+j)%5 > 0 {
				continue // in turn: each takes a second
			}
			p := fastest(t, f, op, size)
			if least := p.OperationBound().Total(); least > p.Cost.Total()*(1+1e-9) {
				t.Errorf("%s of %v on %+v takes %v, and the bound is %v", op, size, f, p.Cost.Total(), least)
			}
			report, err := verify.Plan(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if !report.OK {
				t.Errorf("%s of %v on %+v by %s: %+v", op, size, f, p.Collective.Algorithm, report.First())
				continue
			}
			if f.Overlap.Kind == fabric.OverlapCircuits {
				continue // packets need not wait as they do in the model
			}
			r, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, replay.PaceMerging), sim.Options{Packet: max(1024, size/4096), Forwarding: f.Forwarding})
			if err != nil {
				t.Fatalf("%s on %+v: %v", op, f, err)
			}
			if took := r.Completion.Time(); took > p.Cost.Total()*1.1+units.Time(p.CountSteps())*500 {
				t.Errorf("%s of %v on %d GPUs in islands of %d: packets take %v, the plan %v", op, size, f.Nodes, f.Island.Size, took, p.Cost.Total())
			}
		}
	}
}

// messages are small, medium and large. Unless all are taken, an operation takes one of them, in
// turn, and tests share its plans.
var messages = []units.Bytes{1 << 12, 1 << 20, 1 << 27}

// TestNeverSlowerThanSimplerFabrics: plans are not slower than without the islands, than with
// smaller islands, or than the usual three phases: within islands, among all GPUs at the same
// place, and within islands again.
func TestNeverSlowerThanSimplerFabrics(t *testing.T) {
	t.Parallel()
	for i, op := range collective.Ops() {
		sizes, islands := messages, []int{1, 2}
		if !samples.Every() { // in turn
			sizes, islands = sizes[i%3:][:1], islands[i%2:][:1]
		}
		for _, size := range sizes {
			f := inIslands(16, 1, 4)
			best := fastest(t, f, op, size).Cost.Total()
			for _, fewer := range islands {
				if other := fastest(t, inIslands(16, 1, fewer), op, size).Cost.Total(); best > other*(1+1e-9) {
					t.Errorf("%s of %v: %v in islands of 4, %v in islands of %d", op, size, best, other, fewer)
				}
			}
			if three := phases(t, f, op, size); best > three*(1+1e-9) {
				t.Errorf("%s of %v: %v, in phases %v", op, size, best, three)
			}
		}
	}
}

// phases returns the time of the usual three phases.
func phases(t *testing.T, f fabric.Fabric, op collective.Op, size units.Bytes) units.Time {
	t.Helper()
	all := islands.Cores(&f)
	rails := all[len(all)-1]
	core := fastest(t, rails.Fabric, op, rails.Size(&f, op, size)).Cost.Total()
	others := float64(f.Island.Size-1) / float64(f.Island.Size)
	phase := f.IslandAlpha().Time() + f.IslandDelta().Time() + f.Island.Bandwidth.Transmit(float64(size)*others)
	switch op {
	case collective.AllReduce, collective.Broadcast, collective.RootReduce:
		phase *= 2
	}
	return core + phase
}

// TestNeverSlowerWithManyGPUs is TestNeverSlowerThanSimplerFabrics for few and for many GPUs.
func TestNeverSlowerWithManyGPUs(t *testing.T) {
	t.Parallel()
	for row, x := range []struct {
		nodes, island int
		ops           []collective.Op
		more          []collective.Op // operations that take many seconds
	}{
		{8, 4, collective.Ops(), nil},
		{128, 8, []collective.Op{collective.AllGather}, []collective.Op{collective.Scatter}},
		{1000, 8, []collective.Op{collective.AllReduce}, []collective.Op{collective.AllToAll, collective.AllGather, collective.Broadcast, collective.Gather}},
		{200, 8, nil, []collective.Op{collective.AllToAll}},
		{5000, 8, []collective.Op{collective.Scatter}, []collective.Op{collective.Broadcast, collective.Gather}},
	} {
		if samples.Every() {
			x.ops = append(x.ops, x.more...)
		}
		for i, op := range x.ops {
			f := inIslands(x.nodes, 1, x.island)
			best := fastest(t, f, op, units.MiB).Cost.Total()
			if flat := fastest(t, f.Flat(), op, units.MiB).Cost.Total(); best > flat*(1+1e-9) {
				t.Errorf("%s on %d GPUs: %v, without islands %v", op, x.nodes, best, flat)
			}
			// Phases and smaller islands are compared in turn.
			if (row+i)%2 == 0 || samples.Every() {
				if three := phases(t, f, op, units.MiB); best > three*(1+1e-9) {
					t.Errorf("%s on %d GPUs: %v, in phases %v", op, x.nodes, best, three)
				}
			}
			if (row+i)%2 == 0 && !samples.Every() {
				continue
			}
			if fewer := fastest(t, inIslands(x.nodes, 1, x.island/2), op, units.MiB).Cost.Total(); best > fewer*(1+1e-9) {
				t.Errorf("%s on %d GPUs: %v, in islands half the size %v", op, x.nodes, best, fewer)
			}
		}
	}
}

// TestGathersAreNeverSlowerThanAllReduces: half of an allreduce is an allgather and the other
// half a reduce-scatter, so neither takes longer than an allreduce. With 5000 GPUs both once did,
// because plans of the core had too many chunks to be lifted.
func TestGathersAreNeverSlowerThanAllReduces(t *testing.T) {
	t.Parallel()
	shapes := []struct{ nodes, ports, island int }{{8, 1, 4}, {16, 2, 4}, {64, 1, 8}}
	if samples.Every() { // they take up to half a minute
		shapes = append(shapes, []struct{ nodes, ports, island int }{{128, 1, 8}, {200, 1, 8}, {1000, 1, 8}, {5000, 1, 8}}...)
	}
	for _, x := range shapes {
		sizes, halves := []units.Bytes{16 * units.KiB, units.MiB, 64 * units.MiB}, []collective.Op{collective.AllGather, collective.ReduceScatter}
		switch { // each takes seconds
		case x.nodes >= 5000:
			sizes, halves = sizes[1:2], halves[:1]
		case x.nodes >= 200:
			sizes, halves = sizes[1:2], halves[1:]
		case x.nodes >= 16 && !samples.Every():
			sizes = sizes[1:2]
		case !samples.Every():
			sizes = []units.Bytes{sizes[0], sizes[2]}
		}
		for _, size := range sizes {
			f := inIslands(x.nodes, x.ports, x.island)
			both := fastest(t, f, collective.AllReduce, size).Cost.Total()
			for _, op := range halves {
				if half := fastest(t, f, op, size).Cost.Total(); half > both*(1+1e-9) {
					t.Errorf("%s of %v on %d GPUs, %d ports: %v, an allreduce takes %v", op, size, x.nodes, x.ports, half, both)
				}
			}
		}
	}
}

// TestLargerChoicesInIslands: a shorter delay, more ports or a faster island do not make a plan
// slower.
func TestLargerChoicesInIslands(t *testing.T) {
	t.Parallel()
	nodes, island := 16, 4
	if samples.Every() {
		nodes, island = 32, 8
	}
	for i, op := range collective.Ops() {
		for _, size := range messages[i%3:][:1] { // in turn
			delays, most := []units.Duration{units.Millisecond, 10 * units.Microsecond, 0}, 4
			rates := []units.Bandwidth{800, 7200, 14400}
			if !samples.Every() { // one of the three in turn, as a step from or to the default
				switch i / 2 % 3 {
				case 0:
					delays, most, rates = delays[i%2:][:2], 0, nil
				case 1:
					delays, most, rates = nil, 2, nil
				default:
					delays, most, rates = nil, 0, rates[i%2:][:2]
				}
			}
			last := units.Time(0)
			for _, delay := range delays {
				f := inIslands(nodes, 1, island)
				f.Reconfig.Base = delay
				if took := fastest(t, f, op, size).Cost.Total(); last > 0 && took > last*(1+1e-9) {
					t.Errorf("%s of %v with a delay of %v: %v, %v with a longer one", op, size, delay, took, last)
				} else {
					last = took
				}
			}
			last = 0
			for ports := 1; ports <= most; ports *= 2 {
				if took := fastest(t, inIslands(nodes, ports, island), op, size).Cost.Total(); last > 0 && took > last*(1+1e-9) {
					t.Errorf("%s of %v with %d ports: %v, %v with fewer", op, size, ports, took, last)
				} else {
					last = took
				}
			}
			last = 0
			for _, rate := range rates {
				f := inIslands(nodes, 1, island)
				f.Island.Bandwidth = rate * units.Gbps
				if took := fastest(t, f, op, size).Cost.Total(); last > 0 && took > last*(1+1e-9) {
					t.Errorf("%s of %v in islands of %v: %v, %v in slower ones", op, size, f.Island.Bandwidth, took, last)
				} else {
					last = took
				}
			}
		}
	}
}

var _ planner.Planner = islands.Lifting{}.Planner(nil)

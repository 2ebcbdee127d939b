package exchange

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// task is a request among its members: nodes of the problem are members of the collective.
type task struct {
	request *planner.Request
	options Options
	sparing bool // see exchanger
	memory  *strategy.Memory
	nodes   int
	members []int             // GPU of each, nil if they are all GPUs in their order
	sizes   collective.Demand // bytes of each pair, nil if all have the same
	pair    float64           // bytes of the pair that has the most
	faults  strategy.Faults
	copies  int // circuits for each one of a strategy, which uses at most one port per peer
}

func newTask(r *planner.Request, o Options, m *strategy.Memory) (*task, error) {
	space := &r.Collective.Space
	t := &task{request: r, options: o, memory: m, nodes: space.MembersCount(), members: space.Members, sizes: space.Sizes}
	if t.nodes < 2 {
		return nil, fmt.Errorf("planner %s: %d GPUs, want 2 or more", Name, t.nodes)
	}
	t.copies = max(1, r.Fabric.Ports/(t.nodes-1))
	if !r.Fabric.Open() {
		t.copies = 1 // ports may be missing
	}
	t.pair = float64(r.Size) / float64(t.nodes)
	if t.sizes != nil {
		t.pair = 0
		for u, row := range t.sizes {
			for v, bytes := range row {
				if u != v {
					t.pair = max(t.pair, float64(bytes))
				}
			}
		}
		if t.pair == 0 {
			return nil, fmt.Errorf("planner %s: no GPU has anything for another", Name)
		}
	}
	return t, t.findFaults()
}

// gpu returns the GPU of a member.
func (t *task) gpu(member int) int {
	if t.members == nil {
		return member
	}
	return t.members[member]
}

// findFaults notes the links and ports that the fabric lacks among the members.
func (t *task) findFaults() error {
	f := &t.request.Fabric
	t.faults = strategy.Faults{Links: map[[2]int]bool{}, Ports: map[int]int{}}
	links := len(f.Avoid.Links()) > 0
	for u := range t.nodes {
		gpu := t.gpu(u)
		if f.Avoid.GPU(gpu) {
			return fmt.Errorf("%w: GPU %d takes part and is to be avoided", planner.ErrInfeasible, gpu)
		}
		if fewer := f.Avoid.Ports(gpu); fewer >= f.Ports {
			return fmt.Errorf("%w: GPU %d takes part and has no port left", planner.ErrInfeasible, gpu)
		} else if fewer > 0 {
			t.faults.Ports[u] = fewer
		}
		if !links {
			continue
		}
		for v := range t.nodes {
			if u != v && f.Avoid.Link(gpu, t.gpu(v)) {
				t.faults.Links[[2]int{u, v}] = true
			}
		}
	}
	return nil
}

// problem returns the problem for the strategies. The demand is in units of the given number of
// bytes.
func (t *task) problem(demand model.Demand, unit float64) strategy.Problem {
	f := &t.request.Fabric
	p := strategy.Problem{
		Demand: demand, Ports: f.Ports, Duplex: f.Duplex, Faults: t.faults,
		Stages: t.options.Stages, Strategy: string(t.options.Strategy), Sparing: t.sparing, Progress: t.request.Progress, Memory: t.memory,
	}
	alpha, delta, send := float64(f.Alpha.Time()), float64(f.Delta.Time()), float64(f.Bandwidth.Transmit(unit/float64(t.copies)))
	p.R, p.T = float64(f.LeastBarrier()), send
	if f.Overlap.Kind == fabric.OverlapPorts {
		p.R += float64(f.Reconfig.Least()) // see waits
	}
	if f.Forwarding == fabric.StoreAndForward {
		p.T += alpha + delta
	} else {
		p.R += alpha + delta
	}
	return p
}

// mostUnits bounds the total units of an uneven demand: sums of units, times hops, must not
// overflow, and the effect of rounding up to units must be negligible.
const mostUnits = 1 << 40

// amounts returns the demand in units, and the bytes of a unit. If pairs do not differ, a unit
// is an equal part of what a pair has. Otherwise it is a byte, or more bytes if there would be
// too many units.
func (t *task) amounts() (demand model.Demand, unit float64, err error) {
	if t.sizes == nil {
		demand, err = model.Uniform(t.nodes, evenParts)
		return demand, t.pair / evenParts, err
	}
	total := 0.0
	for _, row := range t.sizes {
		for _, bytes := range row {
			total += float64(bytes)
		}
	}
	unit = math.Max(1, math.Ceil(total/mostUnits))
	demand, err = t.counts(unit, model.Amounts)
	return demand, unit, err
}

// evenParts is the largest number of parts, on different ways, into which a pair is divided if
// all pairs are equal.
const evenParts = 4

// counts returns an uneven demand in units, rounded up.
func (t *task) counts(unit float64, demand func([][]int) (model.Demand, error)) (model.Demand, error) {
	counts := make([][]int, t.nodes)
	for u, row := range t.sizes {
		counts[u] = make([]int, t.nodes)
		for v, bytes := range row {
			if u != v {
				counts[u][v] = int(math.Ceil(float64(bytes) / unit))
			}
		}
	}
	return demand(counts)
}

// charges returns the least that a number of topologies cost: the reconfigurations between
// them, and the first setup if the fabric starts dark, during which nothing is sent.
func (t *task) charges(stages int) units.Time {
	f := &t.request.Fabric
	charges := units.Time(stages-1) * f.LeastBarrier()
	if f.Initial == fabric.InitialDark {
		charges += f.WaitFor(f.Reconfig.Least())
	}
	return charges
}

// waits returns the least time that a number of topologies take if circuits are set up on free
// ports while others send: every topology but the last is up for at least as long as a
// reconfiguration takes, or the next topology has to be waited for.
func (t *task) waits(stages int) units.Time {
	f := &t.request.Fabric
	if f.Overlap.Kind != fabric.OverlapPorts {
		return 0
	}
	return t.charges(stages) + units.Time(stages-1)*f.Reconfig.Least() + f.Alpha.Time() + f.Delta.Time()
}

// infeasible explains why there is no plan.
func (t *task) infeasible(p strategy.Problem) error {
	return fmt.Errorf("%w: %w", planner.ErrInfeasible, p.Infeasible())
}

// tie is the fraction by which a bound must be below the best time for a candidate to be looked
// at: smaller differences come from rounding.
const tie = 1e-12

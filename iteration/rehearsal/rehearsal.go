package rehearsal

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// Options configure the simulation of an iteration.
type Options struct {
	Level   sim.Level
	Packet  units.Bytes // 0 is sim.DefaultPacket
	Threads int         // 0 is as many as help
	Pace    replay.Pace // "" is replay.PaceMerging
	// Jitter is how much longer a computation of a rank may take; each is drawn independently.
	Jitter units.Duration
	Seed   uint64
	// Slow is the factor by which computations of a rank take longer: 1.3 is 30% longer.
	Slow map[int]float64
	// Failures take place in the last iteration, each separately, at a time after its beginning.
	Failures []replay.Failure
	// Replan, if not nil, makes a plan without what has failed, with which the iteration
	// continues; ready is how long after the failure that plan is available.
	Replan      func(ctx context.Context, f replay.Failure) (*iteration.Agenda, error)
	ReplanDelay units.Duration
	// Iterations is the number of consecutive iterations; 0: DefaultIterations.
	Iterations int
	// Progress, if not nil, is called from time to time.
	Progress func(done, total int)
}

// DefaultIterations is the default number of consecutive iterations. Without jitter, the last
// of a few takes as long as all that would follow.
const DefaultIterations = 4

// MaxIterations limits the number of iterations.
const MaxIterations = 10_000

// Result is the outcome of a simulation.
type Result struct {
	// Iterations is how long each takes, from the end of the previous one.
	Iterations []units.Time
	// Iteration is the time of the last one or, with jitter, the mean of all but the first.
	Iteration units.Time
	// Calm is the time of an iteration without jitter and slow GPUs.
	Calm units.Time
	// Communications are the distinct ones, and Of says which one an item of the agenda is, or -1.
	Communications []Communication
	Of             []int
	// Packets and PacketHops count the packets of one iteration, and their hops; 0 at flow level.
	Packets, PacketHops int64
	// Spans has what happens in the last iteration. It covers one rank of each class if these
	// behave identically, otherwise the first of each class and the slow ones, at most 64.
	Spans []Span
	// Stalls says what each failure blocks.
	Stalls []Stall
}

// Communication is a communication of an iteration, which may occur several times.
type Communication struct {
	Kind, Op string
	Size     units.Bytes
	Ranks    int // of a group
	Times    int // how often classes do it
	Model    units.Time
	Took     units.Time
	Causes   []replay.Part // of the difference, if it follows a plan

	packets, hops int64 // of all groups
}

// Run simulates the agenda of an iteration.
func Run(ctx context.Context, a *iteration.Agenda, o Options) (*Result, error) {
	o.Iterations = cmp.Or(o.Iterations, DefaultIterations)
	if a.Fabric.Initial != fabric.InitialFree {
		o.Iterations = 1 // a cold plan: no iteration follows
	}
	for rank, factor := range o.Slow {
		if rank < 0 || rank >= a.Ranks {
			return nil, fmt.Errorf("there is no GPU %d: the iteration has %d", rank, a.Ranks)
		}
		if !(factor > 0) || math.IsInf(factor, 1) {
			return nil, fmt.Errorf("GPU %d is slower by a factor of %v; want a number above 0", rank, factor)
		}
	}
	times, err := simulateAll(ctx, a, &o)
	if err != nil {
		return nil, err
	}
	return play(ctx, a, &o, times)
}

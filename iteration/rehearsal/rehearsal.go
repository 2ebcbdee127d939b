package rehearsal

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// Options say how to carry an iteration out.
type Options struct {
	Level   sim.Level
	Packet  units.Bytes // 0 is sim.DefaultPacket
	Threads int         // 0 is as many as help
	Pace    replay.Pace // "" is replay.PaceMerging
	// Jitter is by how much a computation of a rank takes longer at most; each is drawn by itself.
	Jitter units.Duration
	Seed   uint64
	// Slow is by how much longer computations of a rank take: 1.3 is 30% longer.
	Slow map[int]float64
	// Failures take place in the last iteration, each by itself, at a time after its beginning.
	Failures []replay.Failure
	// Replan, if it is not nil, makes a plan without what has failed, in which the iteration goes on;
	// ready is how long after the failure it can begin.
	Replan      func(ctx context.Context, f replay.Failure) (*iteration.Agenda, error)
	ReplanDelay units.Duration
	// Iterations is how many follow one another; 0: DefaultIterations.
	Iterations int
	// Progress, if it is not nil, is called now and then.
	Progress func(done, total int)
}

// DefaultIterations is how many iterations follow one another by default. Without jitter, the last
// of a few takes as long as all that would come.
const DefaultIterations = 4

// MaxIterations bounds the number of iterations.
const MaxIterations = 10_000

// Result is what happens.
type Result struct {
	// Iterations is how long each takes, from the end of the one before.
	Iterations []units.Time
	// Iteration is the last one's time, or with jitter the mean of all but the first.
	Iteration units.Time
	// Calm is that of an iteration without jitter and slow GPUs.
	Calm units.Time
	// Communications are the distinct ones, and Of says which one an item of the agenda is, -1: none.
	Communications []Communication
	Of             []int
	// Packets and hops of them of one iteration; 0 at flow level.
	Packets, PacketHops int64
	// Spans is what happens in the last iteration: to one rank of each class, where these act alike,
	// else to the first of each class and to slow ones, 64 at most.
	Spans []Span
	// Stalls is what each failure holds up.
	Stalls []Stall
}

// Communication is one that takes place in an iteration, perhaps several times.
type Communication struct {
	Kind, Op string
	Size     units.Bytes
	Ranks    int // of a group
	Times    int // that classes do it
	Model    units.Time
	Took     units.Time
	Causes   []replay.Part // of the difference, if it follows a plan

	packets, hops int64 // of all groups
}

// Run carries the agenda of an iteration out.
func Run(ctx context.Context, a *iteration.Agenda, o Options) (*Result, error) {
	if o.Iterations == 0 {
		o.Iterations = DefaultIterations
	}
	if a.Fabric.Initial != fabric.InitialFree {
		o.Iterations = 1 // which stands by itself
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

package climb

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/topology"
)

// Task describes the graph to search for.
type Task struct {
	Nodes, Degree int
	TwoWay        bool
	// Gather optimises an allgather on one-way circuits instead of an allreduce.
	Gather bool
	// Pairs optimises a step in which all pairs of nodes send instead of an allreduce.
	Pairs bool
	// Width is the number of nodes that may differ; it divides the nodes.
	Width int
	// Diameter is the largest distance allowed.
	Diameter int
	// Moves is the number of exchanges to try.
	Moves int
	// Seed selects the exchanges.
	Seed uint64
	// Far is the penalty for a pair of nodes farther apart than the diameter, in sixteenths of
	// a shard that one node receives; 0 means DefaultFar. A higher penalty brings all pairs
	// within the diameter sooner, but leaves the search fewer ways to lower the bandwidth.
	Far int
	// Heat is the initial loss of time that the search accepts in every second move, in
	// hundredths of a shard; 0 means DefaultHeat. With little heat the search goes straight to a
	// nearby optimum.
	Heat int
	// Patience, if not 0, makes the search accept no loss, whatever the heat, and restart from
	// other circuits after this many moves without a gain.
	Patience int
	// Enough is a bandwidth that cannot be beaten, at which the search ends; nil if none is
	// known.
	Enough *big.Rat
}

// Found is a graph with the cost of an allreduce on it, or of an allgather if the task asks for
// one. For a graph on which all pairs send, Steps is its diameter, and Bandwidth is the load of
// the circuits (see pairs).
type Found struct {
	Graph     *topology.Graph
	Steps     int
	Bandwidth *big.Rat
	// Moves is the number of moves after which the graph was found.
	Moves int
}

// Defaults of a Task.
const (
	DefaultFar  = 64
	DefaultHeat = 35
)

// bandwidth turns a time into units of M/B.
func (t *Task) bandwidth(time int64) *big.Rat {
	return big.NewRat(time*int64(t.Degree), shard*int64(t.Nodes))
}

// Climb returns the best graph that it finds within the diameter, or nil if it finds none.
func Climb(ctx context.Context, t Task) (*Found, error) {
	if t.Far == 0 {
		t.Far = DefaultFar
	}
	if t.Heat == 0 {
		t.Heat = DefaultHeat
	}
	source := rand.NewPCG(t.Seed, uint64(t.Nodes)<<32|uint64(t.Degree)<<16|uint64(t.Width))
	random := rand.New(source)
	c := &climber{
		Task:   t,
		lift:   newLift(t, random),
		meter:  newMeter(t.Nodes, t.Degree),
		back:   newMeter(t.Nodes, t.Degree),
		pairs:  newPairs(t.Nodes, t.Width*t.Degree),
		source: source,
		random: random,
		least:  math.MaxInt64,
		enough: -1,
	}
	if t.Enough != nil {
		limit := new(big.Rat).Mul(t.Enough, big.NewRat(shard*int64(t.Nodes), int64(t.Degree)))
		c.enough = new(big.Int).Quo(limit.Num(), limit.Denom()).Int64()
	}
	c.value = c.worth(c.whole())
	const often = 256 // moves between checks of the context
	heat := c.shards(float64(t.Heat) / 100)
	if t.Patience > 0 {
		heat = 0
	}
	for i := 0; i < t.Moves && c.least > c.enough; i++ {
		if i%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if i > 0 && i*coolings/t.Moves > (i-1)*coolings/t.Moves {
			heat = heat * cooler / 64
		}
		if c.stale++; t.Patience > 0 && c.stale > t.Patience {
			c.lift = newLift(t, random)
			c.value, c.stale = c.worth(c.whole()), 1
		}
		c.made = i + 1
		c.move(heat)
	}
	return c.best, nil
}

// A move that loses as much as the heat is accepted every second time, one that loses twice as
// much every fourth time, and so on. The heat falls coolings times, each time to cooler/64 of
// its value. All numbers are integers, so that they are the same on every machine.
const (
	coolings = 64
	cooler   = 61
)

// climber is the state of the search.
type climber struct {
	Task
	lift   *lift
	meter  *meter
	back   *meter // of the reversed circuits
	pairs  *pairs
	source *rand.PCG
	random *rand.Rand
	value  int64 // worth of the present graph
	made   int   // moves
	stale  int   // moves since value last fell
	least  int64 // time of the best
	enough int64
	best   *Found
}

// measure returns the cost that the task asks for. The two halves of an allreduce cost the same
// on two-way circuits. It reports false if the cost is worth more than most.
func (c *climber) measure(most int64) (cost, bool) {
	if c.Pairs || c.Nodes > mostWords {
		whole := c.whole()
		return whole, c.worth(whole) <= most
	}
	there := c.meter.spread(c.lift.in, c.Width, c.Diameter)
	other, twice := cost{}, int64(1)
	switch {
	case c.Gather:
	case c.TwoWay:
		other, twice = there, 2
	default:
		other = c.back.spread(c.lift.out, c.Width, c.Diameter)
	}
	l := &limit{rest: most - c.worth(there.plus(other)), time: twice * c.perTime(), sum: twice}
	if l.rest < 0 || !c.meter.words.weigh(c.meter, c.lift.in, &there, l) {
		return cost{}, false
	}
	switch {
	case c.Gather:
	case c.TwoWay:
		other = there
	default:
		if !c.back.words.weigh(c.back, c.lift.out, &other, l) {
			return cost{}, false
		}
	}
	return there.plus(other), true
}

// whole is measure without a limit.
func (c *climber) whole() cost {
	if c.Pairs {
		return c.pairs.cost(c.lift, c.Diameter)
	}
	half := c.meter.gather(c.lift.in, c.Width, c.Diameter)
	switch {
	case c.Gather:
		return half
	case c.TwoWay:
		return half.plus(half)
	}
	return half.plus(c.back.gather(c.lift.out, c.Width, c.Diameter))
}

// steps returns the steps of the last measurement. Both halves of an allreduce take the same
// number of steps.
func (c *climber) steps() int {
	switch {
	case c.Pairs:
		return c.pairs.far
	case c.Gather:
		return c.meter.steps()
	}
	return 2 * c.meter.steps()
}

// worth returns the objective of the search, to be minimised. It sums the time; the mean over
// nodes of the time that each takes by itself, which breaks ties; and the penalty for the pairs
// that are too far apart.
func (c *climber) worth(of cost) int64 {
	return c.perTime()*of.time + of.sum + int64(c.Far)*shard*int64(of.missing)
}

// perTime is the weight of a time relative to a sum.
func (c *climber) perTime() int64 { return 16 * int64(c.Width) }

// shards returns the worth of count shards of time.
func (c *climber) shards(count float64) int64 { return int64(count * 16 * shard * float64(c.Width)) }

// move tries one exchange.
func (c *climber) move(heat int64) {
	change, ok := c.lift.exchange(c.random)
	if !ok {
		return
	}
	// Draw the acceptable loss first, so that measuring can stop beyond it. If the move loses
	// nothing, undo the draw.
	before := *c.source
	most := c.value + heat*int64(bits.TrailingZeros64(c.random.Uint64()))
	after, ok := c.measure(most)
	if !ok {
		c.lift.undo(change)
		return
	}
	value := c.worth(after)
	if value <= c.value {
		*c.source = before
	}
	if value < c.value {
		c.stale = 0
	}
	c.value = value
	if after.missing == 0 && after.time < c.least && !c.lift.loops() {
		c.least = after.time
		c.best = &Found{Graph: c.lift.graph(), Steps: c.steps(), Bandwidth: c.bandwidth(after.time), Moves: c.made}
	}
}

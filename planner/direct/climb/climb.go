package climb

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/topology"
)

// Task says which graph is looked for.
type Task struct {
	Nodes, Degree int
	TwoWay        bool
	// Gather asks for an allgather on one-way circuits alone, not for an allreduce.
	Gather bool
	// Pairs asks for a step in which all pairs of nodes send, not for an allreduce.
	Pairs bool
	// Width is the number of nodes that may differ; it divides the nodes.
	Width int
	// Diameter is the largest distance allowed.
	Diameter int
	// Moves is how many exchanges are tried.
	Moves int
	// Seed selects them.
	Seed uint64
	// Far is by how much a pair of nodes that are farther apart than the diameter counts, in
	// sixteenths of a shard that one node receives; 0: DefaultFar. The more, the sooner all pairs are
	// within the diameter, and the fewer ways there are to less bandwidth.
	Far int
	// Heat is the largest loss of time that every second move may bring at first, in hundredths of a
	// shard; 0: DefaultHeat. With little heat the search goes straight for what is near.
	Heat int
	// Patience, if it is not 0, has the search lose nothing, whatever the heat, and begin anew from
	// other circuits after so many moves that gain nothing.
	Patience int
	// Enough ends the search at a bandwidth that cannot be beaten; nil: there is none known.
	Enough *big.Rat
}

// Found is a graph with what an allreduce takes on it, or an allgather where that is asked for. A
// graph for all pairs has the steps of an allgather, and in place of the bandwidth what circuits
// carry, see pairs.
type Found struct {
	Graph     *topology.Graph
	Steps     int
	Bandwidth *big.Rat
	// Moves is after how many it was found.
	Moves int
}

// What holds unless a task says otherwise.
const (
	DefaultFar  = 64
	DefaultHeat = 35
)

// bandwidth turns a time into units of M/B.
func (t *Task) bandwidth(time int64) *big.Rat {
	return big.NewRat(time*int64(t.Degree), shard*int64(t.Nodes))
}

// Climb returns the best graph that it finds within the diameter, nil if there is none.
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
	const often = 256 // moves between looks at the context
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

// A move that loses as much as the heat is made every second time, one that loses twice that every
// fourth time, and so on. The heat falls so often to so many parts of 64. All of it is computed in
// whole numbers, which are the same on every machine.
const (
	coolings = 64
	cooler   = 61
)

// climber is the state of the search.
type climber struct {
	Task
	lift   *lift
	meter  *meter
	back   *meter // of circuits the other way
	pairs  *pairs
	source *rand.PCG
	random *rand.Rand
	value  int64 // of the present graph
	made   int   // moves
	stale  int   // moves since it last became less
	least  int64 // time of the best
	enough int64
	best   *Found
}

// measure measures what is asked for: the two halves of an allreduce are the same on two-way
// circuits. Where it is worth more than the most, it reports false.
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

// whole measures without a limit.
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

// steps are those of what was measured last: as many one way as the other.
func (c *climber) steps() int {
	switch {
	case c.Pairs:
		return c.pairs.far
	case c.Gather:
		return c.meter.steps()
	}
	return 2 * c.meter.steps()
}

// worth is what a move must not raise by much: the time; the mean over nodes of what each alone
// takes, which tells apart what is equal in it; and the pairs that are too far apart.
func (c *climber) worth(of cost) int64 {
	return c.perTime()*of.time + of.sum + int64(c.Far)*shard*int64(of.missing)
}

// perTime is by how much more a time counts than a sum.
func (c *climber) perTime() int64 { return 16 * int64(c.Width) }

// shards is the worth of so many shards of time.
func (c *climber) shards(count float64) int64 { return int64(count * 16 * shard * float64(c.Width)) }

// move tries one exchange.
func (c *climber) move(heat int64) {
	change, ok := c.lift.exchange(c.random)
	if !ok {
		return
	}
	// How much may be lost is drawn first, so that nothing is measured beyond it; where nothing is
	// lost, it has not been drawn.
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

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
	// Enough ends the search at a bandwidth that cannot be beaten; nil: there is none known.
	Enough *big.Rat
}

// Found is a graph with what an allreduce takes on it, or an allgather where that is asked for.
type Found struct {
	Graph     *topology.Graph
	Steps     int
	Bandwidth *big.Rat
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
	random := rand.New(rand.NewPCG(t.Seed, uint64(t.Nodes)<<32|uint64(t.Degree)<<16|uint64(t.Width)))
	c := &climber{
		Task:   t,
		lift:   newLift(t, random),
		meter:  newMeter(t.Nodes, t.Degree),
		random: random,
		least:  math.MaxInt64,
		enough: -1,
	}
	if t.Enough != nil {
		limit := new(big.Rat).Mul(t.Enough, big.NewRat(shard*int64(t.Nodes), int64(t.Degree)))
		c.enough = new(big.Int).Quo(limit.Num(), limit.Denom()).Int64()
	}
	c.value = c.worth(c.measure())
	const often = 256 // moves between looks at the context
	heat := c.shards(float64(t.Heat) / 100)
	for i := 0; i < t.Moves && c.least > c.enough; i++ {
		if i%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if i > 0 && i*coolings/t.Moves > (i-1)*coolings/t.Moves {
			heat = heat * cooler / 64
		}
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
	random *rand.Rand
	value  int64 // of the present graph
	least  int64 // time of the best
	enough int64
	best   *Found
}

// measure measures what is asked for: the two halves of an allreduce are the same on two-way
// circuits.
func (c *climber) measure() cost {
	half := c.meter.gather(c.lift.in, c.Width, c.Diameter)
	switch {
	case c.Gather:
		return half
	case c.TwoWay:
		return half.plus(half)
	}
	return half.plus(c.meter.gather(c.lift.out, c.Width, c.Diameter))
}

// steps are those of what was measured last: as many one way as the other.
func (c *climber) steps() int {
	if c.Gather {
		return c.meter.steps()
	}
	return 2 * c.meter.steps()
}

// worth is what a move must not raise by much: the time; the mean over nodes of what each alone
// takes, which tells apart what is equal in it; and the pairs that are too far apart.
func (c *climber) worth(of cost) int64 {
	return 16*int64(c.Width)*of.time + of.sum + int64(c.Far)*shard*int64(of.missing)
}

// shards is the worth of so many shards of time.
func (c *climber) shards(count float64) int64 { return int64(count * 16 * shard * float64(c.Width)) }

// move tries one exchange.
func (c *climber) move(heat int64) {
	change, ok := c.lift.exchange(c.random)
	if !ok {
		return
	}
	after := c.measure()
	value := c.worth(after)
	if loss := value - c.value; loss > 0 && loss > heat*int64(bits.TrailingZeros64(c.random.Uint64())) {
		c.lift.undo(change)
		return
	}
	c.value = value
	if after.missing == 0 && after.time < c.least && !c.lift.loops() {
		c.least = after.time
		c.best = &Found{Graph: c.lift.graph(), Steps: c.steps(), Bandwidth: c.bandwidth(after.time)}
	}
}

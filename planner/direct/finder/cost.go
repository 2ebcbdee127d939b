package finder

import (
	"math/big"

	"github.com/lightpath-net/lightpath/topology"
)

// Cost is what a collective takes on a topology.
type Cost struct {
	// Steps is the number of steps; each costs the latency once.
	Steps int
	// Bandwidth is the time for the data in units of M/B: the size of the buffer over
	// what all ports of a node carry.
	Bandwidth *big.Rat
}

// covers reports whether c is at most o in both respects.
func (c Cost) covers(o Cost) bool { return c.Steps <= o.Steps && c.Bandwidth.Cmp(o.Bandwidth) <= 0 }

// and returns the cost of both, one after the other.
func (c Cost) and(o Cost) Cost {
	return Cost{c.Steps + o.Steps, new(big.Rat).Add(c.Bandwidth, o.Bandwidth)}
}

// Bound returns a cost that no topology of n nodes can beat in either respect: the Moore bound
// on the diameter, which is larger for two-way topologies, and the data that every node has to
// receive, for each of the collectives that an allreduce consists of. If two-way circuits must
// leave a port of some node unused, that node receives over a port less. (Zhao et al.,
// Definition 11 and Theorem 6.)
func Bound(n, degree int, opts Options) (Cost, error) {
	if err := checkSize(n, degree); err != nil {
		return Cost{}, err
	}
	if err := opts.validate(); err != nil {
		return Cost{}, err
	}
	diameter, ok := topology.MooreDiameter(n, degree, opts.Bidirectional)
	if !ok {
		return Cost{}, noTopology(n, degree)
	}
	f := Finder{halves: opts.halves()}
	return f.floor(key{n, degree, opts.Bidirectional}, diameter), nil
}

package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// survivingBytes returns the least bytes that some surviving port must send or receive, if GPUs
// have lost ports or one is always idle (see oddPorts); 0 otherwise.
//
// If a GPU must send or receive b bytes over d surviving ports, one of these carries at least
// b/d, summed over the steps, and in each step the busiest circuit takes at least as long as
// that port. A GPU must move the following itself, whatever others do for it:
//
//   - allgather, all-to-all: it receives the blocks of all others. Reduce-scatter: it sends its
//     own contributions to the blocks of all others.
//   - broadcast: it receives the buffer, or is the root and sends it. Reduce: the reverse.
//   - allreduce: every byte of its buffer leaves it, and every byte of the sum, which depends
//     on others, comes in: the buffer once each way. A GPU at the edge of a schedule need not
//     move more, so the double volume of an even schedule is no bound here. But all GPUs
//     together send every byte 2n-2 times (Patarasuk and Yuan 2009), and only the survivors of
//     n*d ports carry that.
//   - gather and scatter: the root moves the blocks of all others, and each other GPU its own.
func survivingBytes(f *fabric.Fabric, s *collective.Section) float64 {
	left := f.Surviving()
	if len(left) == 0 && !oddPorts(f) {
		return 0
	}
	most := 0.0
	need := needsOf(s)
	for u, ports := range left {
		if bytes := need(u); bytes > 0 {
			most = max(most, bytes/float64(ports)) // infinite if none is left
		}
	}
	if n := s.Space.MembersCount(); n == f.Nodes && s.Op == collective.AllReduce && s.Space.Kind != collective.Listed {
		most = max(most, 2*float64(n-1)*float64(s.Size)/(float64(n)*meanPorts(f)))
	}
	if math.IsInf(most, 1) {
		return 0 // there is no plan at all, and no time
	}
	return most
}

// needsOf returns what a GPU must send or receive, whichever is more.
func needsOf(s *collective.Section) func(u int) float64 {
	n, size := s.Space.MembersCount(), float64(s.Size)
	member := func(u int) int { return u }
	if list := s.Space.Members; list != nil {
		at := map[int]int{}
		for i, u := range list {
			at[u] = i + 1
		}
		member = func(u int) int { return at[u] - 1 }
	}
	switch {
	case s.Space.Kind == collective.Listed:
		sent, received := movedOfPieces(&s.Space)
		return func(u int) float64 { return max(sent[u], received[u]) }
	case s.Space.Sizes != nil:
		sent, received := movedOfDemand(s.Space.Sizes)
		return func(u int) float64 {
			if i := member(u); i >= 0 {
				return max(sent[i], received[i])
			}
			return 0
		}
	}
	return func(u int) float64 {
		i := member(u)
		switch {
		case i < 0 || n < 2:
			return 0
		case s.Op == collective.AllReduce, s.Op == collective.Broadcast, s.Op == collective.RootReduce:
			return size
		case (s.Op == collective.Gather || s.Op == collective.Scatter) && i > 0:
			return size / float64(n)
		}
		return size * float64(n-1) / float64(n)
	}
}

// meanPorts returns how many ports a GPU has in use on average if all take part.
func meanPorts(f *fabric.Fabric) float64 {
	lost := 0
	for _, ports := range f.Surviving() {
		lost += f.Ports - ports
	}
	if oddPorts(f) {
		lost++
	}
	return float64(f.Ports) - float64(lost)/float64(f.Nodes)
}

// busiestPort returns how long the busiest port takes for what GPUs send, or receive, in a
// step.
func busiestPort(f *fabric.Fabric, step collective.Step, byNode []float64, left map[int]int) units.Time {
	most := 0.0
	for _, t := range step.Base {
		for _, end := range [2]int{t.Src, t.Dst} {
			_, home := step.Group.Locate(end)
			most = max(most, byNode[home]/float64(f.Ports))
		}
	}
	for u, ports := range left {
		if _, home := step.Group.Locate(u); ports > 0 {
			most = max(most, byNode[home]/float64(ports))
		}
	}
	return f.Bandwidth.Transmit(most)
}

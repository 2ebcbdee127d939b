package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
)

// oddPorts reports whether one port is always idle: a two-way circuit takes a port at both ends, so
// of an odd number of ports one has no circuit.
func oddPorts(f *fabric.Fabric) bool {
	if !f.Duplex || len(f.Avoid.GPUs()) > 0 {
		return false
	}
	ports := f.Nodes * f.Ports
	for _, left := range f.Surviving() {
		ports -= f.Ports - left
	}
	return ports%2 == 1
}

// portShares says over how many ports the node sends and receives that has the fewest.
type portShares struct {
	nodes int
	all   float64 // ports of a GPU
	left  float64 // of the one that has lost most
	odd   bool    // see oddPorts
}

func sharesOf(f *fabric.Fabric) portShares {
	s := portShares{f.Nodes, float64(f.Ports), float64(f.Ports), oddPorts(f)}
	for _, ports := range f.Surviving() {
		if ports > 0 {
			s.left = min(s.left, float64(ports))
		}
	}
	return s
}

// short reports whether some node has fewer ports than others.
func (s portShares) short() bool { return s.odd || s.left < s.all }

// first is how many ports some node has in the first stage, at most.
func (s portShares) first() float64 {
	if s.odd {
		return min(s.left, s.all-1)
	}
	return s.left
}

// of is over how many ports some node sends and receives at most, in the mean over the loads of so
// many stages. Where one port is always idle, of k stages one has 1/k of the loads or more, and
// some node has one port less in it. And of n nodes one is short of a port for 1/n of the loads or
// more.
func (s portShares) of(stages int) float64 {
	if !s.odd {
		return s.left
	}
	return min(s.left, s.all-1/float64(min(stages, s.nodes)))
}

// oddBound bounds the time of an operation of all GPUs, in ns, where one port is always idle: a
// plan has few stages, and then little passes the node that is short of a port, or many. The
// latency of all plans is that of the last argument or more.
func oddBound(f *fabric.Fabric, s *collective.Section, latency float64) float64 {
	if !oddPorts(f) || s.Space.MembersCount() != f.Nodes || s.Space.Kind == collective.Listed || s.Space.Sizes != nil {
		return 0
	}
	bytes, need := math.Inf(1), needsOf(s)
	for u := range f.Nodes {
		bytes = min(bytes, need(u))
	}
	return sharesOf(f).least(f, latency, func(_, ports float64) float64 { return float64(f.Bandwidth.Transmit(bytes / ports)) })
}

// least is the least over all numbers of stages of what they take and of a load: that of plans with
// some latency or more, over the ports of the node that has fewest in the mean.
func (s portShares) least(f *fabric.Fabric, latency float64, load func(latency, ports float64) float64) float64 {
	stage, wait := float64(f.Alpha.Time()+f.Delta.Time()), float64(f.LeastWait())
	best := math.Inf(1)
	for k := 1; k <= s.nodes; k++ {
		least := max(latency, stage*float64(k)+wait*float64(k-1))
		if least >= best {
			break
		}
		if ports := s.of(k); ports > 0 {
			best = min(best, least+load(least, ports))
		}
		if !s.odd {
			break // more stages are of no use
		}
	}
	return best
}

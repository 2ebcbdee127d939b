package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
)

// oddPorts reports whether one port is always idle. A two-way circuit takes a port at both
// ends, so if the total number of ports is odd, one of them has no circuit.
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

// portShares describes the ports over which the node with the fewest sends and receives.
type portShares struct {
	nodes int
	all   float64 // ports of a GPU
	left  float64 // of the GPU that has lost most
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

// first returns an upper limit on the ports of some node in the first stage.
func (s portShares) first() float64 {
	if s.odd {
		return min(s.left, s.all-1)
	}
	return s.left
}

// of returns an upper limit on the ports over which some node sends and receives, in the mean
// over the loads of the given number of stages. If one port is always idle, one of k stages has
// at least 1/k of the loads, and some node has one port less in it. Also, one of n nodes is
// short of a port for at least 1/n of the loads.
func (s portShares) of(stages int) float64 {
	if !s.odd {
		return s.left
	}
	return min(s.left, s.all-1/float64(min(stages, s.nodes)))
}

// oddBound bounds the time of an operation of all GPUs, in ns, if one port is always idle: a
// plan has either few stages, and then the node that is short of a port can send little, or
// many. All plans have at least the given latency.
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

// least minimises, over the number of stages, the latency of the stages plus a load: that of
// plans with at least some latency, over the mean ports of the node that has the fewest.
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
			break // more stages do not help
		}
	}
	return best
}

package approx

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// evenLengths is the relative difference in length below which nothing is shifted between two
// paths: a hundredth of the intended gap.
const evenLengths = 1e-4

// exponentLimit keeps lengths between e^-300 and e^300: never zero, so that their
// logarithms exist, and far enough from the ends of float64 (e^709) for sums and
// quotients of them. Circuits that far below the peak do not matter.
const exponentLimit = 300

// shortestLength and longestLength are the corresponding lengths for a single circuit,
// approximately e^-300 and e^300.
const shortestLength, longestLength = 5.148e-131, 1.9424e130

// PathFlows are paths with the bytes that take them, demand after demand, in compressed rows:
// demand k has the paths first[k] to first[k+1]-1, and path p uses the bundles
// hop[start[p]:start[p+1]].
type PathFlows struct {
	First []int32
	start []int32
	hop   []int32
	Flow  []float64

	choices []int32 // demands with several paths
}

// Reset empties the rows and keeps the memory.
func (p *PathFlows) Reset() {
	p.First = append(p.First[:0], 0)
	p.start = append(p.start[:0], 0)
	p.hop = p.hop[:0]
	p.Flow = p.Flow[:0]
	p.choices = p.choices[:0]
}

// Reserve makes room for this many demands, paths and hops.
func (p *PathFlows) Reserve(demands, paths, hops int) {
	p.First = slices.Grow(p.First[:0], demands+1)
	p.start = slices.Grow(p.start[:0], paths+1)
	p.Flow = slices.Grow(p.Flow[:0], paths)
	p.hop = slices.Grow(p.hop[:0], hops)
	p.Reset()
}

// Follow empties the rows and makes room for the paths of another PathFlows and half as many more.
func (p *PathFlows) Follow(q *PathFlows) {
	p.Reserve(len(q.First), len(q.Flow)*3/2, len(q.hop)*3/2)
}

// CopyFrom copies the paths of another PathFlows.
func (p *PathFlows) CopyFrom(q *PathFlows) {
	p.First = append(p.First[:0], q.First...)
	p.start = append(p.start[:0], q.start...)
	p.hop = append(p.hop[:0], q.hop...)
	p.Flow = append(p.Flow[:0], q.Flow...)
	p.choices = append(p.choices[:0], q.choices...)
}

// Hops returns the bundles of a path.
func (p *PathFlows) Hops(path int) []int32 { return p.hop[p.start[path]:p.start[path+1]] }

// endPath makes a path from the bundles appended to hop since the previous path.
func (p *PathFlows) endPath(flow float64) {
	p.start = append(p.start, int32(len(p.hop)))
	p.Flow = append(p.Flow, flow)
}

// EndDemand makes a demand from the paths since the previous demand.
func (p *PathFlows) EndDemand() {
	last := len(p.First) - 1
	if len(p.Flow)-int(p.First[last]) > 1 {
		p.choices = append(p.choices, int32(last))
	}
	p.First = append(p.First, int32(len(p.Flow)))
}

// AddRoute appends a path given by its nodes.
func (p *PathFlows) AddRoute(g *topology.Graph, path []int32, flow float64) {
	for h := 1; h < len(path); h++ {
		p.hop = append(p.hop, int32(g.Find(int(path[h-1]), int(path[h]))))
	}
	p.endPath(flow)
}

// AddUsed appends the paths of demand k that carry at least the given bytes. The largest path
// is always added, and gets the bytes of those left out.
func (p *PathFlows) AddUsed(q *PathFlows, k int, least float64) {
	from, to := int(q.First[k]), int(q.First[k+1])
	if to-from == 1 {
		p.hop = append(p.hop, q.Hops(from)...)
		p.endPath(q.Flow[from])
		return
	}
	most, rest := from, 0.0
	for path := most + 1; path < to; path++ {
		if q.Flow[path] > q.Flow[most] {
			most = path
		}
	}
	largest := -1
	for path := from; path < to; path++ {
		switch {
		case path == most:
			largest = len(p.Flow)
		case q.Flow[path] < least:
			rest += q.Flow[path]
			continue
		}
		p.hop = append(p.hop, q.Hops(path)...)
		p.endPath(q.Flow[path])
	}
	p.Flow[largest] += rest
}

// Potential is a smooth stand-in for the peak,
//
//	sum over the classes e of exp(sharpness x (load(e) - peak)).
//
// Its derivative with respect to the bytes on a class, without the factor sharpness, is the
// length of the circuits of the class. The higher the sharpness, the closer the routing of
// smallest potential is to that of smallest peak, and the harder it is to find.
type Potential struct {
	of        []int32   // class of each bundle
	circuits  []float64 // of one bundle of each class
	bytes     []float64 // on one bundle of each class
	Lengths   []float64
	sharpness float64
	peak      float64 // when lengths were last computed; keeps the exponents small

	change  []float64 // change in how often a class is passed; zero between shifts
	changed []change  // the classes that the two paths of a shift pass a different number of times
}

// change is how many times more often a class is passed on one path than on another.
type change struct {
	class int32
	times float64
}

// NewPotential returns the potential without flow: of is the class of each bundle, circuits the
// number of circuits in a bundle of each class.
func NewPotential(of []int32, circuits []float64) *Potential {
	return &Potential{
		of:       of,
		circuits: circuits,
		bytes:    make([]float64, len(circuits)),
		Lengths:  make([]float64, len(circuits)),
		change:   make([]float64, len(circuits)),
	}
}

// Load sets the bytes to those of the paths and returns the peak.
func (s *Potential) Load(p *PathFlows) float64 {
	clear(s.bytes)
	for path, f := range p.Flow {
		for _, b := range p.Hops(path) {
			s.bytes[s.of[b]] += f
		}
	}
	return s.largest()
}

// largest returns the peak.
func (s *Potential) largest() float64 {
	peak := 0.0
	for c, b := range s.bytes {
		peak = max(peak, b/s.circuits[c])
	}
	return peak
}

// SetLengths computes all lengths for the current bytes.
func (s *Potential) SetLengths(sharpness float64) {
	s.sharpness, s.peak = sharpness, s.largest()
	for c := range s.Lengths {
		s.setLength(int32(c))
	}
}

func (s *Potential) setLength(c int32) {
	n := s.circuits[c]
	above := s.sharpness * (s.bytes[c]/n - s.peak)
	s.Lengths[c] = math.Exp(min(max(above, -exponentLimit), exponentLimit)) / n
}

// Room is the divisor that turns sums of amount x distance into bounds on the peak.
func (s *Potential) Room() float64 {
	sum := 0.0
	for c, l := range s.Lengths {
		sum += s.circuits[c] * l
	}
	return sum
}

// Along returns the length of a path.
func (s *Potential) Along(hops []int32) float64 {
	sum := 0.0
	for _, b := range hops {
		sum += s.Lengths[s.of[b]]
	}
	return sum
}

// equalise shifts flow from every path of demand k to its shortest one (Dafermos
// and Sparrow 1969), in time linear in the length of the paths.
func (s *Potential) equalise(p *PathFlows, k int) {
	from, to := int(p.First[k]), int(p.First[k+1])
	best, least := from, math.Inf(1)
	for path := from; path < to; path++ {
		if l := s.Along(p.Hops(path)); l < least {
			best, least = path, l
		}
	}
	for path := from; path < to; path++ {
		if path != best && p.Flow[path] > 0 {
			moved := s.shift(p.Hops(path), p.Hops(best), p.Flow[path])
			p.Flow[path] -= moved
			p.Flow[best] += moved
		}
	}
}

// shift moves bytes from one path to another, at most limit, and returns how many.
//
// Only classes that the two paths pass a different number of times matter. Moving x bytes
// multiplies the length of a class by exp(sharpness x times/circuits). So the logarithm of the
// length of the path that loses bytes falls at most at its current slope, and that of the path
// that gains them rises at most at its largest possible slope. The x at which the two would
// meet therefore never overshoots, and the potential only falls. With single circuits and no
// group it is the exact minimum.
func (s *Potential) shift(from, to []int32, limit float64) float64 {
	s.count(from, -1)
	s.count(to, 1)
	s.changed = s.changed[:0]
	var left, entered, fall, rise float64
	for _, hops := range [2][]int32{from, to} {
		for _, b := range hops {
			c := s.of[b]
			times := s.change[c]
			if times == 0 {
				continue
			}
			s.change[c] = 0
			s.changed = append(s.changed, change{c, times})
			if times < 0 {
				left -= times * s.Lengths[c]
				fall += times * times / s.circuits[c] * s.Lengths[c]
			} else {
				entered += times * s.Lengths[c]
				rise = max(rise, times/s.circuits[c])
			}
		}
	}
	moved := 0.0
	switch {
	case left <= entered*(1+evenLengths):
	case entered == 0: // a detour through classes that the other path uses, too
		moved = limit
	default:
		moved = min(limit, math.Log(left/entered)/(s.sharpness*(fall/left+rise)))
	}
	if moved == 0 {
		return 0
	}
	rate, factor := 0.0, 1.0 // for most classes: passed once, with equal circuits
	for _, d := range s.changed {
		c := d.class
		s.bytes[c] = max(0, s.bytes[c]+d.times*moved)
		n := s.circuits[c]
		switch d.times / n {
		case rate:
			s.Lengths[c] *= factor
		case -rate:
			s.Lengths[c] /= factor
		default:
			rate = d.times / n
			factor = math.Exp(s.sharpness * moved * rate)
			s.Lengths[c] *= factor
		}
		s.Lengths[c] = min(max(s.Lengths[c], shortestLength/n), longestLength/n)
	}
	return moved
}

// count counts how often a path passes the classes.
func (s *Potential) count(hops []int32, times float64) {
	for _, b := range hops {
		s.change[s.of[b]] += times
	}
}

// Sweep equalises every demand that has a choice once.
func (s *Potential) Sweep(ctx context.Context, p *PathFlows) error {
	for i, k := range p.choices {
		if i%sweepPart == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		s.equalise(p, int(k))
	}
	return nil
}

// sweepPart is how many demands a sweep equalises before it looks whether to stop.
const sweepPart = 1 << 12

package bound

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// listedLags goes through all sequences of steps and changes, and adds up what every node pays
// separately. It is the twin of castLags, for the first of n-1 nodes.
type listedLags struct {
	f          *fabric.Fabric
	all, count int
	best       float64
}

// visit continues from a state: the nodes reached so far, those at the last change, what all
// have paid, and the hops of the last step.
func (l *listedLags) visit(holders, hops, have, last int, paid, since float64) {
	if have >= l.count {
		l.best = min(l.best, paid)
		return
	}
	if paid >= l.best {
		return
	}
	alpha, delta, wait := float64(l.f.Alpha.Time()), float64(l.f.Delta.Time()), float64(l.f.LeastWait())
	if hops > 0 {
		l.visit(have, 0, have, 0, paid+wait*float64(l.all-have), since+wait)
	}
	for h := 1; h <= l.all; h++ {
		lasts, cost, now := alpha+delta*float64(h), paid, have
		for rank := have + 1; rank <= l.all; rank++ {
			cost += lasts
			far := 1 // hops beyond those before that the node with this rank is away at least
			for far <= h && float64(holders)*ballOf(l.f, hops+far) < float64(rank) {
				far++
			}
			if far <= h {
				now = rank
				if rank <= l.count {
					cost += min(float64(far-1)*(since+lasts), alpha+delta)
				}
				if children := growth(l.f); rank <= l.count && far == 1 && last > 1 && children > 0 {
					// Its share of the parent's choice: to arrive, or to wait and let its children pay.
					arrives := float64(last-1) * since
					waits := alpha + delta + children*min(since, alpha+delta)
					cost += max(0, min(arrives, waits)-min(arrives, alpha+delta)) / children
				}
			}
		}
		if now == have {
			return
		}
		l.visit(holders, hops+h, now, h, cost, since+lasts)
	}
}

// The lags are the minimum over all sequences of steps, for all nodes and, as far as that
// matters, for fewer.
func TestCastLagsEqualEnumeration(t *testing.T) {
	for _, ports := range []int{1, 2, 3} {
		for _, duplex := range []bool{false, true} {
			for _, n := range []int{3, 4, 6, 9, 13} {
				for _, wait := range []units.Duration{0, 300 * units.Nanosecond, 10 * units.Microsecond} {
					f := fabric.Default()
					f.Nodes, f.Ports, f.Duplex, f.Reconfig.Base = n, ports, duplex, wait
					f.Delta = 350 * units.Nanosecond
					got := castLags(&f, n, true)
					var want lags
					for k := 1; k < n; k++ {
						l := listedLags{f: &f, all: n - 1, count: k, best: math.Inf(1)}
						l.visit(1, 0, 1, 0, 0, 0)
						if want.mean = l.best / float64(n-1); k < n-1 {
							want.fewer = append(want.fewer, lagged{float64(k) / float64(n-1), want.mean})
						}
					}
					// A state has the least that all have paid and the least time, possibly from different
					// sequences: so it may be a little below the minimum over sequences.
					if got.mean > want.mean*(1+1e-9) || got.mean < 0.97*want.mean {
						t.Errorf("%d nodes, %d ports, duplex %v, %v: a mean of %v, all sequences %v", n, ports, duplex, wait, got.mean, want.mean)
					}
					for _, part := range []float64{1, 0.75, 0.5, 0.3} {
						lag := part * want.mean
						if got, want := got.lambda(lag), want.lambda(lag); got < want*(1-1e-9) || got > 1.1*want+30 {
							t.Errorf("%d nodes, %d ports, duplex %v, %v: lambda is %v, from all sequences %v", n, ports, duplex, wait, got, want)
						}
					}
				}
			}
		}
	}
}

// With circuits counted, or with nodes that wait for one another, lags are at least those of
// independent nodes.
func TestLagsAreNoLessThanReach(t *testing.T) {
	for _, ports := range []int{1, 2, 4} {
		for _, n := range []int{3, 8, 27, 64, 100, 128} {
			f := fabric.Default()
			f.Nodes, f.Ports = n, ports
			r, sum := newReaches(&f, n), 0.0
			for k := 1; k < n; k++ {
				sum += r.least(k).cost
			}
			alone, together := castLags(&f, n, false).mean, castLags(&f, n, true).mean
			if least := sum / float64(n-1); alone < least*(1-1e-9) || together < alone*(1-1e-9) {
				t.Errorf("%d nodes, %d ports: %v with circuits, %v without, %v alone", n, ports, together, alone, least)
			}
		}
	}
}

// The bound of large broadcasts is close to pipelines: a and the root of 4 a (D-1) h.
func TestLargeBroadcastsAreBoundedByPipelines(t *testing.T) {
	for _, c := range []struct{ nodes, ports, levels int }{{16, 2, 4}, {64, 2, 6}, {64, 4, 4}, {16, 4, 3}} {
		f := fabric.Default()
		f.Nodes, f.Ports = c.nodes, c.ports
		for _, size := range []units.Bytes{64 * units.MiB, units.GiB} {
			hop, a := float64(f.Alpha.Time()+f.Delta.Time()), float64(f.Bandwidth.Transmit(float64(size)/float64(c.ports)))
			pipeline := a + float64(c.levels)*hop + 2*math.Sqrt(a*float64(c.levels-1)*hop)
			if least := castBound(&f, c.nodes, size, 0); least > pipeline || least < 0.95*pipeline {
				t.Errorf("%d nodes, %d ports, %v: the bound is %v, a pipeline takes %v", c.nodes, c.ports, size, least, pipeline)
			}
		}
	}
}

package bound_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// An outline bounds the steps that every decomposition lays out for random demands, some of whose
// pairs have nothing, and it is close where matchings are alike.
func TestOutlinesBoundDecompositions(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	closest := 0.0
	for range 40 {
		n, ports := 3+random.IntN(12), 1+random.IntN(4)
		d := make(collective.Demand, n)
		for u := range d {
			d[u] = make([]int64, n)
			for v := range d[u] {
				if u != v && random.IntN(4) > 0 {
					d[u][v] = int64(1 + random.IntN(1<<20))
				}
			}
		}
		d[0][1], d[1][0] = 1, 2 // they differ
		f := fabric.Default()
		f.Nodes = n
		f.Ports = ports
		o := bound.OutlineOf(d, ports)
		for _, a := range algorithms.For(collective.AllToAll, collective.Shape{Nodes: n, Ports: ports, Demand: d}) {
			if !a.Decomposes() {
				continue
			}
			laid, err := algorithms.NewExchange(t.Context(), a.Name, d, ports)
			if err != nil {
				t.Fatal(err)
			}
			outlined, per := o.PerStep(&f), bound.PerStep(&f, laid.Collective, laid.Size)
			if outlined > per*(1+1e-9) || len(laid.Steps) < o.Steps {
				t.Errorf("%s: %v in %d steps outlined, %v in %d laid out", a.Name, outlined, o.Steps, per, len(laid.Steps))
			}
			closest = max(closest, float64(outlined/per))
		}
	}
	if closest < 0.9 {
		t.Errorf("the closest outline is %.2f of its steps", closest)
	}
}

// Steps follow from the node with the most peers, bytes from the one that sends or receives most.
func TestOutlineOfEqualPairs(t *testing.T) {
	d := collective.Demand{{0, 6, 0, 6}, {6, 0, 6, 0}, {6, 0, 0, 6}, {0, 12, 6, 0}}
	o := bound.OutlineOf(d, 1)
	if o != (bound.Outline{Steps: 2, Bytes: 18}) {
		t.Errorf("%+v", o)
	}
	if o := bound.OutlineOf(d, 2); o.Steps != 1 {
		t.Errorf("%+v", o)
	}
	f := fabric.Default()
	f.Nodes = 4
	if got, want := o.PerStep(&f), 2*(f.Alpha.Time()+f.Delta.Time())+f.Bandwidth.Transmit(18); got != units.Time(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

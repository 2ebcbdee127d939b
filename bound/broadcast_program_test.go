package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/bound/boundtest"
	"github.com/lightpath-net/lightpath/fabric"
)

// randomCircuits wires ports at random: one-way circuits by permutations, two-way ones by pairs.
func randomCircuits(r *rand.Rand, n, ports int, duplex bool) [][]int {
	circuits := make([][]int, n)
	for u := range circuits {
		circuits[u] = make([]int, n)
	}
	if !duplex {
		for range ports {
			for u, v := range r.Perm(n) {
				if u != v {
					circuits[u][v]++
				}
			}
		}
		return circuits
	}
	var free []int
	for u := range n {
		for range ports {
			free = append(free, u)
		}
	}
	r.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for i := 0; i+1 < len(free); i += 2 {
		if u, v := free[i], free[i+1]; u != v {
			circuits[u][v]++
			circuits[v][u]++
		}
	}
	return circuits
}

// randomSteps is a shape and circuits for each of its steps.
func randomSteps(r *rand.Rand, f *fabric.Fabric) (steps []castStep, given []boundtest.Step) {
	for t := range 1 + r.IntN(3) {
		s := castStep{1 + r.IntN(3), t > 0 && r.IntN(2) == 0}
		circuits := randomCircuits(r, f.Nodes, f.Ports, f.Duplex)
		if t > 0 && !s.changes {
			circuits = given[t-1].Circuits
		}
		steps, given = append(steps, s), append(given, boundtest.Step{Hops: s.hops, Circuits: circuits})
	}
	return steps, given
}

// withoutPort reports whether a GPU uses at most the given number of ports.
func withoutPort(given []boundtest.Step, u, most int) bool {
	for _, s := range given {
		out, in := 0, 0
		for v, count := range s.Circuits[u] {
			out, in = out+count, in+s.Circuits[v][u]
		}
		if out > most || in > most {
			return false
		}
	}
	return true
}

// The steps of no broadcast load less than castProgram says, for any circuits and anything that
// bytes do on them: a linear program over all possibilities that shares nothing with the bound.
func TestNoStepsOfABroadcastLoadLess(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	cases, near, apart := 0, 0, 0
	for cases < 1500 {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 3+r.IntN(4), 1+r.IntN(3), r.IntN(2) == 0
		if f.Nodes == 6 && r.IntN(4) > 0 {
			f.Nodes = 4 // as many as are fast enough
		}
		lost := -1
		if f.Ports > 1 && r.IntN(3) == 0 {
			lost = r.IntN(f.Nodes)
			f.Avoid, _ = fabric.ParseFailures(fmt.Sprintf("port:%d", lost))
		}
		steps, given := randomSteps(r, &f)
		if lost >= 0 && !withoutPort(given, lost, f.Ports-1) {
			continue
		}
		least, _ := boundtest.BroadcastLoad(given)
		if math.IsInf(least, 1) {
			continue
		}
		p := newCastProgram(&f, f.Nodes)
		if p.within(steps, false) < float64(f.Nodes) {
			t.Fatalf("%+v reaches everybody", given)
		}
		cases++
		bound := p.load(steps) / float64(f.Ports)
		if bound > least*(1+1e-6) {
			t.Errorf("two-way %v, %d ports, %+v: %v buffers, the bound is %v", f.Duplex, f.Ports, given, least, bound)
		}
		if bound > least*(1-1e-3) {
			near++
		}
		if bound < least/2 {
			apart++
		}
	}
	t.Logf("%d of %d are as the bound says, %d more than twice that", near, cases, apart)
	if near < cases/10 {
		t.Errorf("the bound is reached in %d of %d cases only", near, cases)
	}
}

// For each shape there are circuits for few GPUs on which the program is nearly tight: the
// example in docs/optima.md, 256KiB to six GPUs with two ports.
func TestABroadcastToSixLoadsSevenThirds(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 6, 2
	got := newCastProgram(&f, 6).load([]castStep{{hops: 2}, {hops: 1}})
	if math.Abs(got-7.0/3) > 1e-6 {
		t.Errorf("%v, not 7/3", got)
	}
}

// With an odd number of two-way ports the node that is short of one needs longer, unless
// another takes its place.
func TestOddPortsAreShared(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 5, 3, true
	if !oddPorts(&f) {
		t.Fatal("5 GPUs have 15 ports")
	}
	for stages, want := range map[int]float64{1: 2, 2: 2.5, 5: 2.8, 9: 2.8} {
		if got := sharesOf(&f).of(stages); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d stages: %v ports, not %v", stages, got, want)
		}
	}
	f.Avoid, _ = fabric.ParseFailures("port:3")
	if oddPorts(&f) || sharesOf(&f).of(7) != 2 {
		t.Error("14 ports are left, 2 of GPU 3")
	}
	f.Avoid, f.Duplex = fabric.Failures{}, false
	if oddPorts(&f) {
		t.Error("one-way circuits need no pairs")
	}
}

package topology_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

func TestKeepLeavesOtherPortsAlone(t *testing.T) {
	for _, duplex := range []bool{false, true} {
		old := topology.DirectedCirculant(10, 1)
		ports := 1
		if duplex {
			old, ports = topology.Circulant(10, 1), 2
		}
		g, err := topology.Matched(10, ports, duplex, [][2]int{{2, 5}, {5, 2}}, "mine")
		if err != nil {
			t.Fatal(err)
		}
		kept := topology.Keep(g, old, ports, duplex)
		if kept.Name() != "mine+kept" || kept.Degree() > ports || kept.Count(2, 5) != g.Count(2, 5) || kept.Count(5, 2) != g.Count(5, 2) {
			t.Errorf("duplex %v: the new circuits are not what was asked for", duplex)
		}
		for e := range old.Edges() {
			touched := e.From == 2 || e.From == 5 || e.To == 2 || e.To == 5
			if !touched && kept.Count(e.From, e.To) == 0 {
				t.Errorf("duplex %v: circuit %d->%d is gone", duplex, e.From, e.To)
			}
		}
		if duplex && !kept.Bidirectional() {
			t.Error("a two-way circuit was cut in half")
		}
	}
}

func TestKeepOfTheSameCircuitsAddsNothing(t *testing.T) {
	g := topology.Torus(3, 4)
	if !topology.Keep(g, g, 4, true).Equal(g) {
		t.Error("it does")
	}
}

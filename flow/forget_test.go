package flow

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// A ladder that forgets after every answer gives the same answers as one that does not, and its
// earlier answers do not change.
func TestForgettingChangesNoAnswer(t *testing.T) {
	for _, g := range []*topology.Graph{
		topology.GenKautz(2, 9), topology.GenKautz(3, 10), topology.Torus(3, 4), topology.DirectedCirculant(11, 1, 3),
		topology.LineGraph(topology.Complete(4), 1),
	} {
		var skewed []Demand
		for _, d := range everybody(g.Nodes(), 5) {
			d.Amount += float64((3*d.Src + d.Dst) % 4)
			skewed = append(skewed, d)
		}
		far, _ := g.Diameter()
		for name, demands := range map[string][]Demand{"even": everybody(g.Nodes(), 5), "skewed": skewed} {
			keeps, err := newLadder(Problem{Graph: g, Demands: demands, Exact: true})
			if err != nil {
				t.Fatal(err)
			}
			forgets, err := newLadder(keeps.p)
			if err != nil {
				t.Fatal(err)
			}
			var before []*Result
			var told []string
			for _, c := range []struct {
				Policy
				hops int
			}{{Shortest, 0}, {Optimal, 0}, {ShortestSplit, 0}, {Optimal, far}, {Optimal, far + 1}, {Shortest, 0}, {Optimal, 0}} {
				want, err := keeps.solve(t.Context(), c.Policy, c.hops, math.Inf(1))
				if err != nil {
					t.Fatal(err)
				}
				got, err := forgets.solve(t.Context(), c.Policy, c.hops, math.Inf(1))
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s, %v within %d hops: %+v, who forgets nothing says %+v", g.Name(), name, c.Policy, c.hops, got.Load, want.Load)
				}
				before, told = append(before, got), append(told, fmt.Sprintf("%+v", *got))
				forgets.forget()
				if forgets.short != nil || forgets.split != nil || forgets.last != nil || forgets.lengths != nil {
					t.Error("it remembers")
				}
			}
			if now := texts(before); !slices.Equal(now, told) {
				t.Errorf("%s, %s: answers have changed", g.Name(), name)
			}
		}
	}
}

func texts(all []*Result) []string {
	var list []string
	for _, r := range all {
		list = append(list, fmt.Sprintf("%+v", *r))
	}
	return list
}

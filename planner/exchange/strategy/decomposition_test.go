package strategy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/model/modeltest"
)

// TestDecompositionMultipliesMatrices: the product of the adjacency matrices of a term has
// an entry for each of its pairs, and the pairs of all terms are the demand.
func TestDecompositionMultipliesMatrices(t *testing.T) {
	for _, p := range []Problem{
		{Demand: uniformDemand(t, 9, 1), Ports: 1, R: 1, T: 1, Stages: 3, Strategy: Relay},
		{Demand: uniformDemand(t, 8, 2), Ports: 2, R: 1, T: 1, Stages: 2, Strategy: Cayley},
		{Demand: modeltest.Skewed(t, "random", 6), Ports: 1, R: 1, T: 1, Stages: 2, Strategy: Relay},
	} {
		n := p.Demand.Nodes()
		s := solved(t, p).Expand()
		sum := make([]int, n*n)
		for _, term := range s.Decompose().Terms {
			product := identity(n)
			for _, f := range term.Factors {
				for range f.Hops {
					product = times(n, product, adjacency(s, f.Stage))
				}
			}
			for _, pair := range term.Pairs {
				if product[pair[0]*n+pair[1]] == 0 {
					t.Errorf("%v has no entry for %v", term.Factors, pair)
				}
				sum[pair[0]*n+pair[1]]++
			}
		}
		for i, got := range sum {
			if got != p.Demand.Count(i/n, i%n) {
				t.Errorf("%d terms from %d to %d, want %d", got, i/n, i%n, p.Demand.Count(i/n, i%n))
			}
		}
	}
}

func identity(n int) []int {
	m := make([]int, n*n)
	for i := range n {
		m[i*n+i] = 1
	}
	return m
}

func adjacency(s *model.Schedule, stage int) []int {
	m := make([]int, s.Nodes*s.Nodes)
	for e := range s.Graph(stage).Edges() {
		m[e.From*s.Nodes+e.To] = e.Count
	}
	return m
}

func times(n int, a, b []int) []int {
	c := make([]int, n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}

// TestDecompositionSums prints sums of every kind.
func TestDecompositionSums(t *testing.T) {
	for _, c := range []struct {
		p    Problem
		want string
	}{
		{Problem{Demand: uniformDemand(t, 5, 1), Ports: 1, Stages: 2, Strategy: Relay}, "A = P1 + P1·P2 + P2 + P2^2"},
		{Problem{Demand: uniformDemand(t, 6, 1), Ports: 2, Stages: 1, Strategy: Shifts}, "A = P1 + M1∘P1^2 + M2∘P1^3"},
		{Problem{Demand: uniformDemand(t, 3, 2), Ports: 2, Stages: 1, Strategy: Direct}, "A = M1∘P1"},
	} {
		c.p.R, c.p.T = 1, 1
		d := solved(t, c.p).Decompose()
		if d.String() != c.want {
			t.Errorf("%s, want %s", d, c.want)
		}
		if err := d.Check(c.p.Demand); err != nil {
			t.Error(err)
		}
	}
}

// TestDecompositionCheckFindsWhatIsWrong in terms that were changed.
func TestDecompositionCheckFindsWhatIsWrong(t *testing.T) {
	demand := uniformDemand(t, 8, 1)
	p := Problem{Demand: demand, Ports: 1, R: 1, T: 1, Stages: 2, Strategy: Paper}
	for want, change := range map[string]func(s *model.Schedule, d *model.Decomposition){
		"do not lead from 0 to 1": func(s *model.Schedule, d *model.Decomposition) {
			d.Terms[0].Factors = []model.Factor{{Stage: 0, Hops: 2}}
		},
		"the terms have 0 chunks from 0 to 1":  func(s *model.Schedule, d *model.Decomposition) { d.Terms = slices.Delete(d.Terms, 0, 1) },
		"the terms have 2 chunks from 0 to 1":  func(s *model.Schedule, d *model.Decomposition) { d.Terms = append(d.Terms, d.Terms[0]) },
		"for 7 nodes, the demand for 8":        func(s *model.Schedule, d *model.Decomposition) { s.Nodes = 7 },
		"hops [{0 1}] do not lead from 0 to 7": func(s *model.Schedule, d *model.Decomposition) { d.Terms[0].Pairs = [][2]int{{0, 7}} },
	} {
		s := solved(t, p)
		d := s.Decompose()
		change(s, d)
		if err := d.Check(demand); !errors.Is(err, model.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

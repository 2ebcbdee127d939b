package strategy

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/topology"
)

// static is a strategy with a single topology and ways over it that even out the loads.
type static struct {
	skewed
	topologies func(ctx context.Context, s *static) ([][][]int, error)
}

func (s *static) limit() int { return 1 }

func (s *static) worth() []int { return []int{s.limit()} }

func (s *static) candidates(ctx context.Context, _ int, worth func(slots int) bool, visit visitor) error {
	list, err := s.topologies(ctx, s)
	if err != nil {
		return err
	}
	for _, circuits := range list {
		if err := s.routed(ctx, [][][]int{circuits}, worth, visit); err != nil {
			return err
		}
	}
	return nil
}

// newStatic returns DirectConnect (Zhao et al., Efficient Direct-Connect Topologies): the
// better of a circulant and a generalised Kautz graph.
func newStatic(p *Problem) solver {
	if p.Demand.Nodes() > topology.MaxCircuits/p.ports() {
		return nil
	}
	return newOneTopology(p, Static, func(ctx context.Context, s *static) ([][][]int, error) {
		jumps, err := rounds.BaseJumps(ctx, s.nodes, s.ports)
		return [][][]int{routing.Rings(s.nodes, jumps), kautzCircuits(s.nodes, s.ports)}, err
	})
}

// kautzCircuits returns the circuits of a generalised Kautz graph. Nodes that it connects to
// themselves are connected in a ring instead.
func kautzCircuits(nodes, ports int) [][]int {
	var pairs [][2]int
	var own []int
	for e := range topology.GenKautz(ports, nodes).Edges() {
		for range e.Count {
			if e.From == e.To {
				own = append(own, e.From)
			} else {
				pairs = append(pairs, [2]int{e.From, e.To})
			}
		}
	}
	for i, u := range own {
		pairs = append(pairs, [2]int{u, own[(i+1)%len(own)]})
	}
	return rounds.Circuits(nodes, pairs)
}

// newRings returns TopoOpt (Wang et al., 2023): k rings whose jumps are coprime to n, about
// equal factors apart.
func newRings(p *Problem) solver {
	return newOneTopology(p, Rings, func(_ context.Context, s *static) ([][][]int, error) {
		return [][][]int{routing.Rings(s.nodes, ringJumps(s.nodes, s.ports))}, nil
	})
}

// ringJumps returns up to k jumps that are coprime to n: 1 and, for each power of the k-th root
// of n, the closest jump that is not taken yet.
func ringJumps(nodes, ports int) []int {
	jumps := []int{1}
	for i := 1; i < ports; i++ {
		goal := int(math.Round(math.Pow(float64(nodes), float64(i)/float64(ports))))
		best := 0
		for j := 2; j < nodes; j++ {
			if arithmetic.GCD(j, nodes) == 1 && !slices.Contains(jumps, j) && (best == 0 || distance(j, goal) < distance(best, goal)) {
				best = j
			}
		}
		if best > 0 {
			jumps = append(jumps, best)
		}
	}
	return jumps
}

func distance(a, b int) int { return max(a-b, b-a) }

func newOneTopology(p *Problem, name string, topologies func(ctx context.Context, s *static) ([][][]int, error)) solver {
	if p.sparing() && p.Demand.Nodes() > explicitNodes {
		return nil
	}
	return &static{skewed: newAnyDemand(p, name, false), topologies: topologies}
}

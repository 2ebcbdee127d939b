package strategy

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// solved plans and proves an exchange.
func solved(t testing.TB, p Problem) *model.Schedule {
	t.Helper()
	s, err := Solve(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(p.Demand); err != nil {
		t.Fatalf("%s with %d stages: %v", s.Strategy, len(s.Stages), err)
	}
	return s
}

// uniformDemand is Uniform for numbers that are known to be right.
func uniformDemand(t testing.TB, n, each int) model.Demand {
	t.Helper()
	d, err := model.Uniform(n, each)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ring3 is three nodes on a ring, which takes the chunks for the second neighbour first.
func ring3() *model.Schedule {
	return &model.Schedule{Nodes: 3, Ports: 1, Group: model.Rotations(3), Stages: []model.Stage{{
		Generators: []int{1},
		Slots:      3,
		Runs: []model.Run{
			{Chunk: model.Chunk{Dest: 2}, From: 0, Port: 0, Slot: 0, Hops: 2},
			{Chunk: model.Chunk{Dest: 1}, From: 0, Port: 0, Slot: 2, Hops: 1},
		},
	}}}
}

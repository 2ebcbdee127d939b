package algorithms_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/topology"
)

// reversedRing is a user's algorithm: the ring's all-gather in the opposite direction.
func reversedRing() algorithms.Algorithm {
	about := algorithms.Algorithm{Name: "backwards", About: "one block to the node before", Ops: []collective.Op{collective.AllGather}, Sizes: "3 or more nodes"}
	return algorithms.Own(about, func(_ collective.Op, s *collective.Shape) error {
		if s.Nodes < 3 {
			return fmt.Errorf("3 nodes, not %d", s.Nodes)
		}
		return nil
	}, func(op collective.Op, s collective.Shape) (collective.Space, []collective.Step) {
		var steps []collective.Step
		for t := range s.Nodes - 1 {
			steps = append(steps, collective.Step{Group: topology.Rotations(s.Nodes, 1), Base: []collective.Transfer{
				{Src: 0, Dst: s.Nodes - 1, Action: collective.Copy, Chunks: collective.Single(t)},
			}})
		}
		return collective.SpaceOf(op, s.Nodes, 1), steps
	})
}

func TestAnAlgorithmOfOnesOwnIsUsedLikeAnyOther(t *testing.T) {
	r, err := algorithms.NewRegistry(reversedRing())
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.New(collective.AllGather, "backwards", 5, 1)
	if err != nil || c.Algorithm != "backwards" || len(c.Steps) != 4 || c.Nodes != 5 {
		t.Fatalf("%+v, %v", c, err)
	}
	named := func(a algorithms.Algorithm) bool { return a.Name == "backwards" }
	if !slices.ContainsFunc(r.For(collective.AllGather, collective.Shape{Nodes: 5, Ports: 1}), named) ||
		slices.ContainsFunc(r.For(collective.AllGather, collective.Shape{Nodes: 2, Ports: 1}), named) {
		t.Error("it is not listed where it can be used, or where it cannot")
	}
	if _, err := r.New(collective.AllGather, "backwards", 2, 1); !errors.Is(err, algorithms.ErrUnsupported) {
		t.Errorf("%v", err)
	}
	section := collective.Section{Op: collective.AllGather, Algorithm: "backwards", Size: 5, Space: c.Space}
	if again, err := r.Rebuild(context.Background(), &section, 1); err != nil || len(again.Steps) != 4 {
		t.Errorf("%v, %v", again, err)
	}
	if _, err := algorithms.New(collective.AllGather, "backwards", 5, 1); err == nil {
		t.Error("a registry has changed what everybody knows")
	}
}

func TestStepsOfOnesOwnAreCheckedForForm(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(space *collective.Space, steps []collective.Step) []collective.Step
	}{
		{"nodes are 0..4", func(_ *collective.Space, s []collective.Step) []collective.Step { s[1].Base[0].Dst = 5; return s }},
		{"to itself", func(_ *collective.Space, s []collective.Step) []collective.Step { s[1].Base[0].Dst = 0; return s }},
		{"action", func(_ *collective.Space, s []collective.Step) []collective.Step {
			s[1].Base[0].Action = "send"
			return s
		}},
		{"no chunks", func(_ *collective.Space, s []collective.Step) []collective.Step { s[1].Base[0].Chunks = nil; return s }},
		{"chunk", func(_ *collective.Space, s []collective.Step) []collective.Step {
			s[1].Base[0].Chunks = collective.Single(9)
			return s
		}},
		{"no transfer", func(_ *collective.Space, s []collective.Step) []collective.Step { s[1].Base = nil; return s }},
		{"step 2", func(_ *collective.Space, s []collective.Step) []collective.Step {
			s[1].Group = topology.Rotations(4, 1)
			return s
		}},
		{"no step", func(*collective.Space, []collective.Step) []collective.Step { return nil }},
		{"6 nodes", func(space *collective.Space, s []collective.Step) []collective.Step { space.Nodes = 6; return s }},
		{"does not choose", func(space *collective.Space, s []collective.Step) []collective.Step {
			space.Members = []int{1}
			return s
		}},
		{"part", func(space *collective.Space, s []collective.Step) []collective.Step { space.Parts = 0; return s }},
	} {
		good := reversedRing()
		bad := algorithms.Own(good, nil, func(op collective.Op, s collective.Shape) (collective.Space, []collective.Step) {
			r, err := algorithms.NewRegistry(good)
			if err != nil {
				t.Fatal(err)
			}
			made, err := r.New(op, "backwards", s.Nodes, s.Ports)
			if err != nil {
				t.Fatal(err)
			}
			steps := c.change(&made.Space, made.Steps)
			return made.Space, steps
		})
		r, err := algorithms.NewRegistry(bad)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.New(collective.AllGather, "backwards", 5, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestAlgorithmsThatMakeNoSenseAreRefused(t *testing.T) {
	ring := reversedRing()
	ring.Name = "ring"
	shouting := reversedRing()
	shouting.Name = "Backwards"
	idle := reversedRing()
	idle.Ops = nil
	for _, own := range [][]algorithms.Algorithm{{ring}, {shouting}, {idle}, {{Name: "empty"}}, {reversedRing(), reversedRing()}} {
		if _, err := algorithms.NewRegistry(own...); err == nil {
			t.Errorf("%s: no error", own[0].Name)
		}
	}
}

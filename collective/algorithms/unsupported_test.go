package algorithms_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

func isPowerOfTwo(n int) bool { return n >= 1 && n&(n-1) == 0 }

// supported states what the documentation says that each algorithm supports.
func supported(algorithm string, op collective.Op, n int) bool {
	reduction := op == collective.AllReduce || op == collective.ReduceScatter || op == collective.AllGather
	switch algorithm {
	case "ring", "recursive-doubling":
		return reduction && n >= 2
	case "halving-doubling", "swing":
		return reduction && n >= 2 && isPowerOfTwo(n)
	case "shift":
		return op == collective.AllToAll && n >= 2
	case "direct":
		return (op == collective.AllToAll || op == collective.Gather || op == collective.Scatter) && n >= 2
	case "binomial":
		rooted := op == collective.Broadcast || op == collective.RootReduce || op == collective.Gather || op == collective.Scatter
		return rooted && n >= 2
	}
	return declared(algorithm, op, n) // documented in the tests of its own file
}

// declared returns what an algorithm itself says that it supports.
func declared(algorithm string, op collective.Op, n int) bool {
	for _, a := range algorithms.Algorithms() {
		if a.Name == algorithm {
			return a.Supports(op, collective.Shape{Nodes: n, Ports: 1}) == nil
		}
	}
	return false
}

func TestUnsupportedRequestsNameWhatWorks(t *testing.T) {
	ns := append(sizes(), math.MinInt, -8, -1, 0, 1, 63, 65, 1000)
	for _, a := range algorithms.Algorithms() {
		for _, op := range collective.Ops() {
			for _, n := range ns {
				err := a.Supports(op, collective.Shape{Nodes: n, Ports: 1})
				if want := supported(a.Name, op, n); (err == nil) != want {
					t.Errorf("%s %s on %d: %v, want supported %v", a.Name, op, n, err, want)
					continue
				}
				if err == nil {
					continue
				}
				_, made := algorithms.New(op, a.Name, n, 1)
				for _, err := range []error{err, made} {
					if !errors.Is(err, algorithms.ErrUnsupported) {
						t.Errorf("%s %s on %d: %v is no ErrUnsupported", a.Name, op, n, err)
					}
					if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), a.Name) {
						t.Errorf("%s %s on %d: %q is not one line that names the algorithm", a.Name, op, n, err)
					}
				}
				// With 8 ports, so that more would not help.
				sized := a.Supports(op, collective.Shape{Nodes: n, Ports: 8}) != nil
				if slices.Contains(a.Ops, op) && sized && !strings.Contains(made.Error(), a.Sizes) {
					t.Errorf("%s %s on %d: %q does not name the sizes %q", a.Name, op, n, made, a.Sizes)
				}
				for _, able := range algorithms.For(op, collective.Shape{Nodes: n, Ports: 1}) {
					if !strings.Contains(made.Error(), able.Name) {
						t.Errorf("%s %s on %d: %q does not name %s, which works", a.Name, op, n, made, able.Name)
					}
				}
			}
		}
	}
}

func TestForListsExactlyTheAlgorithmsThatWork(t *testing.T) {
	for _, op := range collective.Ops() {
		for _, n := range sizes() {
			able := algorithms.For(op, collective.Shape{Nodes: n, Ports: 1})
			if len(able) == 0 {
				t.Errorf("nothing does %s on %d nodes", op, n)
			}
			for _, a := range algorithms.Algorithms() {
				listed := slices.ContainsFunc(able, func(b algorithms.Algorithm) bool { return b.Name == a.Name })
				if listed != supported(a.Name, op, n) {
					t.Errorf("%s for %s on %d: listed %v", a.Name, op, n, listed)
				}
			}
		}
	}
}

func TestUnknownNamesAreRefusedWithTheKnownOnes(t *testing.T) {
	_, err := algorithms.New(collective.AllReduce, "rign", 8, 1)
	for _, want := range []string{`"rign"`, "ring", "swing", "halving-doubling", "recursive-doubling"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("unknown algorithm: %v does not name %s", err, want)
		}
	}
	_, err = collective.ParseOp("all-reduce")
	for _, op := range collective.Ops() {
		if err == nil || !strings.Contains(err.Error(), string(op)) {
			t.Errorf("unknown operation: %v does not name %s", err, op)
		}
		if got, err := collective.ParseOp(string(op)); got != op || err != nil {
			t.Errorf("ParseOp(%q) = %q, %v", op, got, err)
		}
	}
}

func TestSpacesOfOtherOperationsAreRefused(t *testing.T) {
	cases := []struct {
		space collective.Space
		op    collective.Op
		ok    bool
	}{
		{collective.SpaceOf(collective.AllReduce, 8, 1), collective.AllGather, true},
		{collective.SpaceOf(collective.AllReduce, 8, 1), collective.AllToAll, false},
		{collective.SpaceOf(collective.AllToAll, 8, 1), collective.Broadcast, false},
		{collective.SpaceOf(collective.Broadcast, 8, 1), collective.AllReduce, false},
		{collective.SpaceOf(collective.AllReduce, 8, 0), collective.AllReduce, false},
		{collective.SpaceOf(collective.AllReduce, 8, -1), collective.AllReduce, false},
		{collective.SpaceOf(collective.AllReduce, 8, math.MaxInt), collective.AllReduce, false},
		{collective.Space{Kind: "rows", Nodes: 8, Parts: 1}, collective.AllReduce, false},
		{collective.Space{}, collective.AllReduce, false},
	}
	for _, tc := range cases {
		if err := tc.space.Check(tc.op, 1); (err == nil) != tc.ok {
			t.Errorf("%v for %s: %v", tc.space, tc.op, err)
		}
	}
}

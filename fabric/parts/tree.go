package parts

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Tree counts the switches of a folded Clos network, a fat tree, which can route every
// permutation of the endpoints without two flows sharing a link (Al-Fares et al., A Scalable,
// Commodity Data Center Network Architecture, SIGCOMM 2008, for equal switches; here top
// switches that would not be full are left out).
type Tree struct {
	Tiers  int `json:"tiers"`
	Leaves int `json:"leaves"`
	Middle int `json:"middle,omitempty"` // the second of three tiers
	Top    int `json:"top,omitempty"`
	Links  int `json:"links"` // to endpoints and between switches
}

// Switches returns how many there are.
func (t Tree) Switches() int { return t.Leaves + t.Middle + t.Top }

// Plus returns two networks side by side.
func (t Tree) Plus(o Tree) Tree {
	return Tree{max(t.Tiers, o.Tiers), t.Leaves + o.Leaves, t.Middle + o.Middle, t.Top + o.Top, t.Links + o.Links}
}

// times returns n networks side by side.
func (t Tree) times(n int) Tree {
	return Tree{t.Tiers, n * t.Leaves, n * t.Middle, n * t.Top, n * t.Links}
}

// FatTree returns the counts of the smallest fat tree with the given endpoints on switches of
// the given radix: one switch, two tiers or three.
//
// Half the ports of a leaf go up. With h = radix/2 and L leaves, a top switch that has h/S
// links from every leaf needs L h/S ports, so S is the smallest divisor of h that is at least
// L/2. Three tiers are pods of two tiers, with h leaves and h middle switches each. The i-th
// middle switches of all pods share separate top switches in the same way.
func FatTree(endpoints, radix int) (Tree, error) {
	h := radix / 2
	switch {
	case endpoints < 1 || radix < 2:
		return Tree{}, fmt.Errorf("%d endpoints on switches of %d ports", endpoints, radix)
	case endpoints <= radix:
		return Tree{Tiers: 1, Leaves: 1, Links: endpoints}, nil
	case endpoints <= h*2*h:
		leaves := arithmetic.CeilDiv(endpoints, h)
		return Tree{Tiers: 2, Leaves: leaves, Top: meeting(leaves, h), Links: endpoints + leaves*h}, nil
	case endpoints <= h*h*2*h:
		leaves, pods := arithmetic.CeilDiv(endpoints, h), arithmetic.CeilDiv(endpoints, h*h)
		return Tree{
			Tiers: 3, Leaves: leaves, Middle: pods * h, Top: h * meeting(pods, h),
			Links: endpoints + leaves*h + pods*h*h,
		}, nil
	}
	return Tree{}, fmt.Errorf("%d endpoints; three tiers of switches with %d ports have %d", endpoints, radix, 2*h*h*h)
}

// meeting returns how many top switches of 2h ports join switches with h uplinks each in the
// same way.
func meeting(below, h int) int {
	for s := arithmetic.CeilDiv(below, 2); ; s++ {
		if h%s == 0 {
			return s
		}
	}
}

// RailOptimised returns a plan of trees for islands of a size: GPUs at the same place in their
// islands share leaves (a rail), and top switches join all leaves. Different rails share no
// leaf, so there may be more leaves than in a fat tree.
func RailOptimised(island int) func(endpoints, radix int) (Tree, error) {
	return func(endpoints, radix int) (Tree, error) {
		h := radix / 2
		if island <= 1 || endpoints <= radix {
			return FatTree(endpoints, radix)
		}
		perRail := arithmetic.CeilDiv(arithmetic.CeilDiv(endpoints, island), h) * h // whole leaves
		t, err := FatTree(perRail*island, radix)
		t.Links -= perRail*island - endpoints
		return t, err
	}
}

// RailOnly returns a plan of trees for islands of a size in which every rail is a separate
// network (Wang et al., Rail-only, arXiv 2307.12169). Small rails share switches. Data for a
// GPU on another rail crosses the island first.
func RailOnly(island int) func(endpoints, radix int) (Tree, error) {
	return func(endpoints, radix int) (Tree, error) {
		if island <= 1 {
			return FatTree(endpoints, radix)
		}
		if each := arithmetic.CeilDiv(endpoints, island); each <= radix {
			rails := min(island, endpoints)
			return Tree{Tiers: 1, Leaves: arithmetic.CeilDiv(rails, radix/each), Links: endpoints}, nil
		}
		var all Tree
		for place := range min(island, endpoints) {
			t, err := FatTree(arithmetic.CeilDiv(endpoints-place, island), radix)
			if err != nil {
				return Tree{}, err
			}
			all = all.Plus(t)
		}
		return all, nil
	}
}

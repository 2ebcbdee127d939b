package parts

import "fmt"

// Tree counts the switches of a folded Clos network, a fat tree, in which every permutation of
// the endpoints can be routed without two flows on one link (Al-Fares et al., A Scalable,
// Commodity Data Center Network Architecture, SIGCOMM 2008, for equal switches; here top
// switches that are not full are left out).
type Tree struct {
	Tiers  int `json:"tiers"`
	Leaves int `json:"leaves"`
	Middle int `json:"middle,omitempty"` // of three tiers, the second
	Top    int `json:"top,omitempty"`
	Links  int `json:"links"` // of endpoints and between switches
}

// Switches returns how many there are.
func (t Tree) Switches() int { return t.Leaves + t.Middle + t.Top }

// Plus puts two networks side by side.
func (t Tree) Plus(o Tree) Tree {
	return Tree{max(t.Tiers, o.Tiers), t.Leaves + o.Leaves, t.Middle + o.Middle, t.Top + o.Top, t.Links + o.Links}
}

// FatTree returns the counts of the smallest fat tree with so many endpoints on switches of a
// radix: one switch, two tiers or three.
//
// Half the ports of a leaf go up. With h = radix/2 and L leaves, a top switch that has h/S
// links from every leaf needs L h/S ports, so S is the smallest divisor of h that is at least
// L/2. Three tiers are pods of two tiers, with h leaves and h middle switches each; the i-th
// middle switches of all pods meet on top switches of their own, in the same way.
func FatTree(endpoints, radix int) (Tree, error) {
	h := radix / 2
	switch {
	case endpoints < 1 || radix < 2:
		return Tree{}, fmt.Errorf("%d endpoints on switches of %d ports", endpoints, radix)
	case endpoints <= radix:
		return Tree{Tiers: 1, Leaves: 1, Links: endpoints}, nil
	case endpoints <= h*2*h:
		leaves := ceil(endpoints, h)
		return Tree{Tiers: 2, Leaves: leaves, Top: meeting(leaves, h), Links: endpoints + leaves*h}, nil
	case endpoints <= h*h*2*h:
		leaves, pods := ceil(endpoints, h), ceil(endpoints, h*h)
		return Tree{
			Tiers: 3, Leaves: leaves, Middle: pods * h, Top: h * meeting(pods, h),
			Links: endpoints + leaves*h + pods*h*h,
		}, nil
	}
	return Tree{}, fmt.Errorf("%d endpoints; three tiers of switches with %d ports have %d", endpoints, radix, 2*h*h*h)
}

// meeting is how many top switches of 2h ports join switches with h links up each, alike.
func meeting(below, h int) int {
	for s := ceil(below, 2); ; s++ {
		if h%s == 0 {
			return s
		}
	}
}

// RailOptimised returns a plan of trees for islands of a size: GPUs of the same place in their
// islands share leaves (a rail), and top switches join all leaves. Leaves of different rails
// are not shared, so there may be more of them than in a fat tree.
func RailOptimised(island int) func(endpoints, radix int) (Tree, error) {
	return func(endpoints, radix int) (Tree, error) {
		h := radix / 2
		if island <= 1 || endpoints <= radix {
			return FatTree(endpoints, radix)
		}
		perRail := ceil(ceil(endpoints, island), h) * h // whole leaves
		t, err := FatTree(perRail*island, radix)
		t.Links -= perRail*island - endpoints
		return t, err
	}
}

// RailOnly returns a plan of trees for islands of a size in which every rail is a network of
// its own (Wang et al., Rail-only, arXiv 2307.12169). Data for a GPU on another rail crosses
// the island first.
func RailOnly(island int) func(endpoints, radix int) (Tree, error) {
	return func(endpoints, radix int) (Tree, error) {
		if island <= 1 {
			return FatTree(endpoints, radix)
		}
		var all Tree
		for place := range min(island, endpoints) {
			t, err := FatTree(ceil(endpoints-place, island), radix)
			if err != nil {
				return Tree{}, err
			}
			all = all.Plus(t)
		}
		return all, nil
	}
}

func ceil(a, b int) int { return (a + b - 1) / b }

package model

import (
	"fmt"
	"iter"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/capped"
)

// A source has n-1 destinations. Let within(h) be the most that h hops can reach.
// Then at least n-1-within(h) of its chunks make a hop number h+1, for every h >= 0.
// These are chunk hops per source, and a slot can serve k of them: their sum over h, divided by k,
// bounds the slots (LoadBound, RelayBound).

// LoadBound returns a lower bound on the slots that n nodes with k ports need for one chunk
// between every two nodes over d topologies, if every chunk makes its whole way in one of them:
// within(h) = d*(k + k^2 + .. + k^h). With one port it is Theorem 1 of Zhou, Addanki and
// Apostolaki. It takes O(n/d) for one port and O(log n) for more.
func LoadBound(n, k, d int) (int, error) {
	if err := CheckBound(n, k, d); err != nil {
		return 0, err
	}
	return arithmetic.CeilDiv(LoadHops(n, k, d), k), nil
}

// RelayBound returns a lower bound on the slots if chunks may wait at nodes and go on in later
// topologies; it holds for every schedule. A way of h hops is one of C(h+d-1, d-1) divisions of
// h among the topologies and of k^h choices of ports. It takes O(h), where h is the number of
// hops that reach all nodes.
func RelayBound(n, k, d int) (int, error) {
	if err := CheckBound(n, k, d); err != nil {
		return 0, err
	}
	return arithmetic.CeilDiv(RelayHops(n, k, d), k), nil
}

// LoadHops returns a lower bound on the hops that the chunks of a source make if each stays
// within a single topology.
func LoadHops(n, k, d int) int {
	sum := 0
	for left := range left(n, InOne(k, d, n)) {
		sum += left
	}
	return sum
}

// JumpHops is LoadHops for topologies of k jumps, the same from every node: jumps may change
// places along a way, so that h hops lead to no more offsets than there are ways to choose h of
// k jumps with repetition, C(h+k-1, h), and within(h) is the sum of d times these.
func JumpHops(n, k, d int) int {
	sum := 0
	for left := range left(n, func(yield func(int) bool) {
		for choices := range AcrossAll(1, k, n) {
			if !yield(capped.Times(min(d, n), choices, n)) {
				return
			}
		}
	}) {
		sum += left
	}
	return sum
}

// RelayJumpHops is RelayHops for topologies of k jumps: d topologies of k jumps each can reach
// no more than d*k topologies of one jump each.
func RelayJumpHops(n, k, d int) int { return RelayHops(n, 1, capped.Times(min(k, n), d, n)) }

// RelayHops returns a lower bound on the hops that the chunks of a source make.
func RelayHops(n, k, d int) int {
	sum := 0
	for left := range left(n, AcrossAll(k, d, n)) {
		sum += left
	}
	return sum
}

// TwoWayHops is RelayHops for two-way circuits of k ports, at least two: a way that does not
// turn back has k choices for its first hop in a topology, and k-1 for every further one.
func TwoWayHops(n, k, d int) int {
	sum := 0
	for left := range left(n, AcrossTwoWay(k, d, n)) {
		sum += left
	}
	return sum
}

// CheckBound reports parameters for which no bound is defined.
func CheckBound(n, k, d int) error {
	switch {
	case n < 2 || n > MaxNodes:
		return fmt.Errorf("exchange: nodes: %d, want 2 to %d", n, MaxNodes)
	case k < 1:
		return fmt.Errorf("exchange: ports: %d, want 1 or more", k)
	case d < 1:
		return fmt.Errorf("exchange: stages: %d, want 1 or more", d)
	}
	return nil
}

// left yields n-1-within(h) for h = 0, 1, .. while it is positive, where reach yields upper
// bounds on the destinations at 1, 2, .. hops. It ends at a distance at which there are none.
func left(n int, reach iter.Seq[int]) iter.Seq[int] {
	return func(yield func(int) bool) {
		rest := n - 1
		if !yield(rest) {
			return
		}
		for r := range reach {
			if rest -= r; r == 0 || rest <= 0 || !yield(rest) {
				return
			}
		}
	}
}

// InOne yields d*k^h for h = 1, 2, .., capped at n.
func InOne(k, d, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		reach := min(d, n)
		for {
			reach = capped.Times(reach, k, n)
			if !yield(reach) {
				return
			}
		}
	}
}

// AcrossAll yields k^h*C(h+d-1,d-1) for h = 1, 2, .., capped at n. Neither factor falls with
// h, so that one that has reached n may stay there.
func AcrossAll(k, d, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		ports, divisions := 1, 1 // k^h and C(h+d-1,h)
		for h := 1; ; h++ {
			ports = capped.Times(ports, k, n)
			if divisions < n {
				divisions = min(divisions*(min(d, n)+h-1)/h, n)
			}
			if !yield(capped.Times(ports, divisions, n)) {
				return
			}
		}
	}
}

// AcrossTwoWay yields the number of ways of h = 1, 2, .. hops that do not turn back, capped at
// n. With m = k-1, the numbers of ways in one topology are the coefficients of (1+x)/(1-m*x).
// Those across d topologies are the coefficients of its d-th power: the sum of C(d,i) *
// C(h-i+d-1,d-1)*m^(h-i) over i.
func AcrossTwoWay(k, d, n int) iter.Seq[int] {
	d = min(d, n)
	return func(yield func(int) bool) {
		first := []int{1} // C(d,i), up to d/2
		for i := 1; 2*i <= d && first[i-1] < n; i++ {
			first = append(first, min(first[i-1]*(d-i+1)/i, n))
		}
		choices := func(i int) int { return first[min(i, d-i, len(first)-1)] }
		further := []int{1} // C(j+d-1,j) * (k-1)^j
		ports, divisions := 1, 1
		for h := 1; ; h++ {
			ports = capped.Times(ports, k-1, n)
			if divisions < n {
				divisions = min(divisions*(d+h-1)/h, n)
			}
			further = append(further, capped.Times(ports, divisions, n))
			reach := 0
			for i := 0; i <= min(h, d) && reach < n; i++ {
				reach += capped.Times(choices(i), further[h-i], n)
			}
			if !yield(min(reach, n)) {
				return
			}
		}
	}
}

package topology

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Translations is a group of node permutations u -> u + t: nodes are read as
// coordinates modulo Dims (row-major, the last one fastest) and t runs over the
// vectors whose i-th coordinate is a multiple of Stride[i]. It acts freely: only
// t = 0 leaves a node where it is. The zero value is the trivial group.
//
// Dims {n} with Stride {1} are all rotations of a ring, {n} with {2} the even
// ones (Swing), {2,2,..} are the XOR masks (halving-doubling, hypercubes), {a,b}
// those of an a x b torus.
type Translations struct {
	Dims   []int `json:"dims"`
	Stride []int `json:"stride"`
}

// Rotations is the group of rotations of n nodes by multiples of stride.
func Rotations(n, stride int) Translations {
	return Translations{Dims: []int{n}, Stride: []int{stride}}
}

// Translation is the full translation group of a torus with the given sides.
func Translation(dims ...int) Translations {
	stride := slices.Repeat([]int{1}, len(dims))
	return Translations{Dims: slices.Clone(dims), Stride: stride}
}

// Check reports what is wrong with the group for a system of n nodes.
func (t Translations) Check(n int) error {
	if len(t.Dims) != len(t.Stride) {
		return fmt.Errorf("%d dims but %d strides", len(t.Dims), len(t.Stride))
	}
	if len(t.Dims) == 0 {
		return nil
	}
	size := 1
	for i, d := range t.Dims {
		if d < 1 || t.Stride[i] < 1 || d%t.Stride[i] != 0 {
			return fmt.Errorf("stride %d does not divide a side of %d", t.Stride[i], d)
		}
		if size > n/d {
			return fmt.Errorf("sides %v are more than %d nodes", t.Dims, n)
		}
		size *= d
	}
	if size != n {
		return fmt.Errorf("sides %v make %d nodes, not %d", t.Dims, size, n)
	}
	return nil
}

// Equal reports whether two groups have the same Dims and Stride.
func (t Translations) Equal(other Translations) bool {
	return slices.Equal(t.Dims, other.Dims) && slices.Equal(t.Stride, other.Stride)
}

// Trivial reports whether the group has only the identity.
func (t Translations) Trivial() bool { return len(t.Dims) == 0 || slices.Equal(t.Dims, t.Stride) }

// Order returns the number of elements.
func (t Translations) Order() int {
	order := 1
	for i, d := range t.Dims {
		order *= d / t.Stride[i]
	}
	return order
}

// Apply moves node u by the k-th element, 0 <= k < Order(); element 0 is the
// identity.
func (t Translations) Apply(k, u int) int {
	if len(t.Dims) == 1 {
		v := u + k*t.Stride[0]
		if v >= t.Dims[0] {
			v -= t.Dims[0]
		}
		return v
	}
	moved, weight := 0, 1
	for i := len(t.Dims) - 1; i >= 0; i-- {
		d, s := t.Dims[i], t.Stride[i]
		c := (u%d + (k%(d/s))*s) % d
		moved += c * weight
		weight *= d
		u /= d
		k /= d / s
	}
	if len(t.Dims) == 0 {
		return u
	}
	return moved
}

// Masks reports whether every side has two nodes. An element then flips bits of a number:
// Apply(k, u) is Apply(k, 0) XOR u.
func (t Translations) Masks() bool {
	return len(t.Dims) > 0 && !slices.ContainsFunc(t.Dims, func(d int) bool { return d != 2 })
}

// Locate returns the element k and the representative r with Apply(k, r) == u,
// where r is the one node of u's orbit whose coordinates are below the strides.
func (t Translations) Locate(u int) (k, r int) {
	if len(t.Dims) == 0 {
		return 0, u
	}
	weight, elements := 1, 1
	for i := len(t.Dims) - 1; i >= 0; i-- {
		d, s := t.Dims[i], t.Stride[i]
		c := u % d
		r += c % s * weight
		k += c / s * elements
		weight *= d
		elements *= d / s
		u /= d
	}
	return k, r
}

// Back moves node u by the inverse of the k-th element.
func (t Translations) Back(k, u int) int {
	if len(t.Dims) == 0 {
		return u
	}
	moved, weight := 0, 1
	for i := len(t.Dims) - 1; i >= 0; i-- {
		d, s := t.Dims[i], t.Stride[i]
		c := (u%d + d - (k%(d/s))*s) % d
		moved += c * weight
		weight *= d
		u /= d
		k /= d / s
	}
	return moved
}

// Inverse returns the element that undoes the k-th.
func (t Translations) Inverse(k int) int {
	inverse, weight := 0, 1
	for i := len(t.Dims) - 1; i >= 0; i-- {
		order := t.Dims[i] / t.Stride[i]
		inverse += (order - k%order) % order * weight
		weight *= order
		k /= order
	}
	return inverse
}

// Within returns a subgroup that leaves the circuits of g unchanged: it has on each side the
// smallest stride that does so. It is the largest such subgroup among those that have a stride
// per side, and may be trivial.
func (t Translations) Within(g *Graph) Translations {
	return t.Restrict(func(part Translations) bool { return part.Invariant(g) })
}

// Restrict returns the subgroup that has, on each side, the smallest stride for which the
// translations along only that side satisfy holds. If holds is true for generators, it must be
// true for everything they generate.
func (t Translations) Restrict(holds func(part Translations) bool) Translations {
	sub := Translations{Dims: slices.Clone(t.Dims), Stride: slices.Clone(t.Dims)}
	for i, d := range t.Dims {
		part := Translations{Dims: t.Dims, Stride: slices.Clone(t.Dims)}
		for s := t.Stride[i]; s < d; s += t.Stride[i] {
			if d%s != 0 {
				continue
			}
			part.Stride[i] = s
			if holds(part) {
				sub.Stride[i] = s
				break
			}
		}
	}
	if sub.Trivial() {
		return Translations{}
	}
	return sub
}

// Cosets returns one element of t for each coset of its subgroup sub, ascending from the
// identity: every element of t is an element of sub followed by one of these.
func (t Translations) Cosets(sub Translations) []int {
	stride := sub.Stride
	if sub.Trivial() {
		stride = t.Dims
	}
	var cosets []int
	if len(t.Dims) == 1 { // the first ones
		cosets = append(cosets, arithmetic.UpTo(stride[0]/t.Stride[0])...)
		return cosets
	}
	for k := range t.Order() {
		rest, inside := k, true
		for i := len(t.Dims) - 1; i >= 0; i-- {
			order := t.Dims[i] / t.Stride[i]
			inside = inside && rest%order*t.Stride[i] < stride[i]
			rest /= order
		}
		if inside {
			cosets = append(cosets, k)
		}
	}
	return cosets
}

// Generators returns elements that generate the group, one per side on which it
// moves anything.
func (t Translations) Generators() []int {
	var gens []int
	weight := 1
	for i := len(t.Dims) - 1; i >= 0; i-- {
		if t.Dims[i] > t.Stride[i] {
			gens = append(gens, weight)
		}
		weight *= t.Dims[i] / t.Stride[i]
	}
	return gens
}

// Invariant reports whether every element of the group maps the circuits of g
// onto themselves. It looks at every circuit once per generator.
func (t Translations) Invariant(g *Graph) bool {
	if t.Trivial() {
		return true
	}
	if t.Check(g.Nodes()) != nil {
		return false
	}
	weight := 1
	for i := len(t.Dims) - 1; i >= 0; i-- {
		d, s := t.Dims[i], t.Stride[i]
		// The generator of this side moves one coordinate and leaves the others.
		move := func(u int) int {
			if u/weight%d+s < d {
				return u + s*weight
			}
			return u + (s-d)*weight
		}
		for u := 0; s < d && u < g.Nodes(); u++ {
			to, count := g.Row(u)
			from := move(u)
			for j, v := range to {
				if g.Count(from, move(int(v))) != int(count[j]) {
					return false
				}
			}
		}
		weight *= d
	}
	return true
}

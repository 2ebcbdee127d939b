package topology

// Twisted torus (Cámara et al., Twisted Torus Topologies for Enhanced Interconnection Networks,
// IEEE TPDS 2010): a torus in which the rings through the shorter side do not close on
// themselves. A circuit that leaves the end of a column of length a enters another column, a
// further along the longer side b. With b = 2a, the shape of that paper, it is edge-symmetric
// and its diameter is a; the torus with the same sides has a/2 more. With a = b the twist is a
// whole turn and changes nothing.
//
// The nodes are numbered so that the twist disappears: u = j b + i is the node in
// place j of the shorter side and in place i + j, modulo b, of the longer one. A step
// along the longer side changes i by one; a step along the shorter changes j by one
// and i by one the other way, also where j wraps round. All translations of i and j
// are then symmetries, as they are of Torus(a,b), and Symmetry finds them. If the
// first side is the longer one, the roles are exchanged, and u = i b + j.

func twistedTorusSize(x []int, g []size) (size, *fault) {
	s, fault := torusSize(x, g)
	if x[0] != x[1] {
		s.degree = 4 // a short side of 2 leads to two different columns
	}
	return s, fault
}

func twistedTorus(name string, a, b int) *Graph {
	if a == b {
		return torus(name, []int{a, b})
	}
	return fromRows(name, a*b, 4, func(u int, out []int32) []int32 {
		x, y := u/b, u%b
		to := func(dx, dy int) { out = append(out, int32((x+dx+a)%a*b+(y+dy+b)%b)) }
		to(1, -1)
		to(-1, 1)
		if a < b {
			to(0, 1)
			to(0, -1)
		} else {
			to(1, 0)
			to(-1, 0)
		}
		return out
	})
}

// twistedCube is the twisted 3-cube (Esfahanian, Ni and Sagan, The Twisted n-Cube
// with Application to Multiprocessing, IEEE Transactions on Computers 1991): two
// edges of a square of the cube that do not touch, here 0-1 and 2-3, are replaced by
// its diagonals 0-3 and 1-2. The diameter falls from 3 to 2.
func twistedCube(name string) *Graph {
	return fromRows(name, 8, 3, func(u int, out []int32) []int32 {
		first := u ^ 1
		if u < 4 {
			first = u ^ 3
		}
		return append(out, int32(first), int32(u^2), int32(u^4))
	})
}

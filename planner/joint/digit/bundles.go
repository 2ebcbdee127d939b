package digit

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// A step of a digit is the same at all corners except for its place, and it can be very large: an
// allgather of 16384 GPUs with 8 ports, as two digits without symmetry, has 4 million transfers,
// 65280 at each of 64 corners. So the transfers are assembled once (bundles) and then copied to
// every corner (transfers), with few and large allocations.

// bundle is a transfer at corner 0, without its chunks.
type bundle struct {
	plan.Transfer
	pieces []piece // what it carries
}

// piece is the blocks whose value of a digit has the residue of a source, or one of several parts
// of each of these blocks.
type piece struct {
	origin
	part, of int
}

type origin struct{ source, modulus int }

// bundles turns the ways of a step of digit i into transfers. In a gather, everything on the same
// path is one transfer, unless messages are stored and forwarded. In an exchange, everything
// between the same two points is one transfer with several routes, except what takes a route alone.
func (l *numbering) bundles(i int, st stage, ways []network.Way, action collective.Action) []bundle {
	net, prog := st.Net, l.digits[i].prog
	var list []bundle
	var carried []map[origin][]int // parts, by bundle; nil for bundles with several routes
	byEnds, byWay := map[string]int{}, map[string]int{}
	var key []byte
	for _, w := range ways {
		path := make([]int32, len(w.Path))
		from := origin{w.Source, cmp.Or(w.Modulus, prog.points)}
		k := 0
		if net.Symmetric() {
			k, _ = net.Group.Locate(int(w.Path[0]))
			from.source = net.Group.Back(k, from.source)
		}
		for h, v := range w.Path {
			x := int(v)
			if net.Symmetric() {
				x = net.Group.Back(k, x)
			}
			path[h] = int32(x * l.weight[i])
		}
		routed := st.kind == exchange && !w.Alone || w.Share > 0
		key = key[:0]
		switch {
		case routed: // by its ends
			key = appendPoints(key, path[0], path[len(path)-1])
		case l.stores:
			key = appendPoints(appendPoints(key, int32(from.source), int32(from.modulus)), path...)
		default:
			key = appendPoints(key, path...)
		}
		key = append(append(key, w.Of...), byte(w.Sides))
		known := byWay
		if routed {
			known = byEnds
		}
		at, ok := known[string(key)]
		if !ok {
			at = len(list)
			known[string(key)] = at
			b := bundle{Transfer: plan.Transfer{Transfer: collective.Transfer{Src: int(path[0]), Dst: int(path[len(path)-1]), Action: action, Part: w.Of, Sides: w.Sides}}}
			if w.Replaces {
				b.Action = collective.Replace
			}
			var parts map[origin][]int
			if routed {
				b.pieces = []piece{{origin: from, of: 1}}
			} else {
				b.Routes = []flow.Route{{Path: path, Share: 1}}
				parts = map[origin][]int{}
			}
			list, carried = append(list, b), append(carried, parts)
		}
		if routed {
			addRoute(&list[at].Transfer, path, cmp.Or(w.Share, 1/float64(prog.parts)))
			continue
		}
		if carried[at][from] == nil {
			list[at].pieces = append(list[at].pieces, piece{origin: from})
		}
		carried[at][from] = append(carried[at][from], w.Part)
	}
	for at, parts := range carried {
		if parts != nil {
			list[at].pieces = inParts(list[at].pieces, parts, prog.parts)
		}
	}
	return list
}

// inParts cuts the pieces of a bundle into the parts that it carries, except where it carries
// all.
func inParts(from []piece, parts map[origin][]int, of int) []piece {
	list := make([]piece, 0, len(from))
	for _, p := range from {
		if len(parts[p.origin]) == of {
			list = append(list, piece{origin: p.origin, of: 1})
			continue
		}
		for _, part := range parts[p.origin] {
			list = append(list, piece{origin: p.origin, part: part, of: of})
		}
	}
	return list
}

// appendPoints appends points to a key that tells paths apart.
func appendPoints(key []byte, points ...int32) []byte {
	for _, p := range points {
		key = binary.LittleEndian.AppendUint32(key, uint32(p))
	}
	return key
}

func addRoute(t *plan.Transfer, path []int32, share float64) {
	for r := range t.Routes {
		if slices.Equal(t.Routes[r].Path, path) {
			t.Routes[r].Share += share
			return
		}
	}
	t.Routes = append(t.Routes, flow.Route{Path: path, Share: share})
}

// transfers copies the bundles of a step of digit i to all corners.
func (l *numbering) transfers(i int, list []bundle) []plan.Transfer {
	corners := l.corners(i)
	points, ways := 0, 0
	for k := range list {
		ways += len(list[k].Routes)
		points += each.Sum(list[k].Routes, func(r flow.Route) int { return len(r.Path) })
	}
	alike := true // whether all corners send the same chunks
	for j := range i {
		alike = alike && (l.orbits[j] == 1 || l.digits[j].prog.scattered <= 1)
	}
	all := make([]plan.Transfer, 0, len(list)*len(corners))
	for at, corner := range corners {
		held := holding{numbering: l, digit: i, corner: corner, known: map[piece]collective.Chunks{}}
		paths, routes := make([]int32, 0, points), make([]flow.Route, 0, ways)
		for k := range list {
			t := list[k].Transfer
			t.Src, t.Dst = t.Src+corner, t.Dst+corner
			first := len(routes)
			for _, r := range list[k].Routes {
				start := len(paths)
				for _, v := range r.Path {
					paths = append(paths, int32(corner)+v)
				}
				routes = append(routes, flow.Route{Path: slices.Clip(paths[start:]), Share: r.Share})
			}
			t.Routes = slices.Clip(routes[first:])
			if at > 0 && alike {
				t.Chunks = all[k].Chunks
			} else {
				t.Chunks = held.all(list[k].pieces)
			}
			all = append(all, t)
		}
	}
	return all
}

// holding keeps the chunks of pieces at a corner. Transfers of the same piece share them.
type holding struct {
	*numbering
	digit, corner int
	known         map[piece]collective.Chunks
}

// of returns the chunks of a piece, ascending.
func (h *holding) of(p piece) collective.Chunks {
	chunks, ok := h.known[p]
	if !ok {
		chunks = slices.Clip(h.chunks(h.digit, h.corner, p.source%p.modulus, p.modulus, p.part, p.of))
		inOrder(chunks)
		h.known[p] = chunks
	}
	return chunks
}

// all returns the chunks of several pieces, ascending.
func (h *holding) all(pieces []piece) collective.Chunks {
	if len(pieces) == 1 {
		return h.of(pieces[0])
	}
	count := each.Sum(pieces, func(p piece) int { return len(h.of(p)) })
	chunks := make(collective.Chunks, 0, count)
	for _, p := range pieces {
		chunks = append(chunks, h.of(p)...)
	}
	inOrder(chunks)
	return chunks
}

func inOrder(chunks collective.Chunks) {
	slices.SortFunc(chunks, func(a, b collective.Run) int { return a.First - b.First })
}

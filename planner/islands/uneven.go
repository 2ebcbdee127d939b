package islands

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// uneven is a set of islands that differ: GPUs or ports have failed, or GPUs take no part. A GPU
// whose electrical switch has failed is an island of its own.
//
// Plans for a core of such islands are lifted to islands with equal numbers of places: the number
// of GPUs of the largest island or, if every GPU has its own data, the least common multiple of
// all numbers, so that the GPUs of an island have equally many places. A GPU may then have
// several places, each with its own share. Contraction drops transfers between places of one GPU,
// and merges those to places of another.
type uneven struct {
	gpus    [][]int // of every node, the root's first
	members []int   // GPUs by rank; nil: all take part
	ranks   []int   // of GPUs
	count   int     // of GPUs that take part
	places  int
	exact   bool    // GPUs of an island have equally many places
	width   []int   // of every node: places of a GPU, if these are equal
	whole   int     // common multiple of the widths
	hosts   []int   // GPUs by place of all nodes
	first   [][]int // by node and GPU: its first place there; the last entry is all places
}

// Limits on lifting place by place.
const (
	mostUnevenNodes  = 1 << 6
	mostUnevenPlaces = 1 << 6 // of an island
	mostUnevenHosts  = 1 << 10
	mostUnequal      = 1 << 5 // nodes, if each uses all ports that it has left
)

// Uneven lists the cores of a fabric on which something has failed or only some GPUs take part:
// members, in the order of their ranks (nil: all that have not failed). It lists none if all
// islands are alike; see Cores.
func Uneven(f *fabric.Fabric, op collective.Op, members []int) []Core {
	if members == nil {
		members = f.Alive()
	}
	if members == nil && f.Avoid.IsZero() || !f.Links.IsZero() || f.Ports < f.AllPorts() || f.Island.IsZero() {
		return nil
	}
	owned := op != collective.AllReduce && op != collective.Broadcast && op != collective.RootReduce
	x := newUneven(f, members, owned)
	if x == nil {
		return nil
	}
	var all []Core
	for _, fab := range x.cores(f) {
		if fab.Validate() == nil {
			all = append(all, Core{Span: x.places, Fabric: fab, uneven: x})
		}
	}
	return all
}

// Uneven reports whether islands differ.
func (c Core) Uneven() bool { return c.uneven != nil }

// mostCheap is the number of pairs of places within islands up to which lifting a plan takes
// hardly any time.
const mostCheap = 1 << 11

// Costly reports whether lifting a plan takes long, because different islands are many or have
// many places.
func (c Core) Costly() bool {
	return c.uneven != nil && (len(c.uneven.hosts)*c.uneven.places > mostCheap || len(c.uneven.gpus) > mostUnequal)
}

// newUneven returns nil if there are too many places or no islands.
func newUneven(f *fabric.Fabric, members []int, exact bool) *uneven {
	x := &uneven{members: members, ranks: make([]int, f.Nodes), exact: exact, places: 1, whole: 1}
	list := members
	if list == nil {
		list = arithmetic.UpTo(f.Nodes)
	}
	node := map[int]int{}
	most := 0
	for rank, u := range list {
		x.ranks[u] = rank
		island := -1 - u // an island of its own
		if f.InIsland(u) {
			island = u / f.Island.Size
		}
		h, known := node[island]
		if !known {
			h = len(x.gpus)
			node[island], x.gpus = h, append(x.gpus, nil)
		}
		x.gpus[h] = append(x.gpus[h], u)
		most = max(most, len(x.gpus[h]))
	}
	x.count = len(list)
	if most < 2 || len(x.gpus) < 2 || len(x.gpus) > mostUnevenNodes {
		return nil
	}
	if x.places = most; exact {
		for _, gpus := range x.gpus {
			if x.places = arithmetic.LCM(x.places, len(gpus)); x.places > mostUnevenPlaces {
				return nil
			}
		}
	}
	if x.places*len(x.gpus) > mostUnevenHosts {
		return nil
	}
	for _, gpus := range x.gpus {
		width := x.places / len(gpus)
		x.width, x.whole = append(x.width, width), arithmetic.LCM(x.whole, width)
		first := []int{0}
		for i, u := range gpus {
			first = append(first, (i+1)*x.places/len(gpus))
			x.hosts = append(x.hosts, slices.Repeat([]int{u}, first[i+1]-first[i])...)
		}
		x.first = append(x.first, first)
	}
	return x
}

// own returns the range of places of the GPU that has the given place of a node.
func (x *uneven) own(node, place int) (from, to int) {
	from = place
	for from > 0 && x.hosts[node*x.places+from-1] == x.hosts[node*x.places+place] {
		from--
	}
	to = place + 1
	for to < x.places && x.hosts[node*x.places+to] == x.hosts[node*x.places+place] {
		to++
	}
	return from, to
}

// load returns the most shares that a GPU of a node sends or receives if all GPUs get all shares
// and each starts with those of its places.
func (x *uneven) load(node int) int {
	most := 0
	first := x.first[node]
	for i := range x.gpus[node] {
		own := first[i+1] - first[i]
		most = max(most, own*(len(x.gpus[node])-1), x.places-own)
	}
	return most
}

// cores lists the fabrics whose nodes are the islands: one with as many ports as every island has
// left, and one with all ports. If switches restrict circuits, each port has its switch.
func (x *uneven) cores(f *fabric.Fabric) []fabric.Fabric {
	made := core(*f, 2) // with a hop within islands
	made.Nodes, made.Avoid, made.Spares = len(x.gpus), fabric.Failures{}, fabric.Spares{}
	rows := x.rows(f)
	least, most := len(rows[0]), 0
	for _, row := range rows {
		least, most = min(least, len(row)), max(most, len(row))
	}
	if !f.Layout.IsZero() && (!f.Layout.Parallel() || f.Duplex) {
		switches := make([][]int, len(rows))
		for h, row := range rows {
			for _, port := range row {
				switches[h] = append(switches[h], port.onSwitch)
			}
			if len(row) == 0 {
				return nil
			}
		}
		var err error
		if made.Layout, err = layout.Table(switches); err != nil {
			return nil
		}
		made.Ports = most
		return []fabric.Fabric{made}
	}
	if least == 0 {
		return nil
	}
	made.Ports = least
	all := []fabric.Fabric{made}
	if most > least && len(rows) <= mostUnequal {
		var lost []fabric.Failures
		for h, row := range rows {
			lost = append(lost, slices.Repeat([]fabric.Failures{fabric.FailedPort(h)}, most-len(row))...)
		}
		made.Ports, made.Avoid = most, fabric.Failures{}.And(lost...)
		all = append(all, made)
	}
	return all
}

// plugged is a working port: the GPU of the node that has it, and its switch.
type plugged struct{ gpu, onSwitch int }

// rows lists the working ports of every node.
func (x *uneven) rows(f *fabric.Fabric) [][]plugged {
	rows := make([][]plugged, len(x.gpus))
	p := f.Plugging()
	for h, gpus := range x.gpus {
		for i, u := range gpus {
			for port := range f.Ports {
				switch {
				case f.Avoid.Port(u, port, f.AllPorts()) || f.Lost(u, port):
				case p == nil:
					rows[h] = append(rows[h], plugged{i, 0})
				case p.Switch(u, port) >= 0:
					rows[h] = append(rows[h], plugged{i, p.Switch(u, port)})
				}
			}
		}
	}
	return rows
}

// largest returns the number of GPUs of the largest island.
func (x *uneven) largest() int {
	return each.Max(0, x.gpus, func(gpus []int) int { return len(gpus) })
}

// size returns the size of the operation on the core that stands for one of the given size.
func (x *uneven) size(op collective.Op, size units.Bytes) units.Bytes {
	if op == collective.AllToAll {
		nodes := units.Bytes(len(x.gpus))
		return arithmetic.CeilDiv(size*units.Bytes(x.count), nodes)
	}
	return max(1, size)
}

// placed returns the fabric in which every place is a GPU.
func (x *uneven) placed(f *fabric.Fabric) fabric.Fabric {
	made := *f
	made.Nodes, made.Island.Size = len(x.hosts), x.places
	made.Layout, made.Radix, made.Base = layout.Layout{}, 0, ""
	made.Avoid, made.Spares = fabric.Failures{}, fabric.Spares{}
	if made.Initial != fabric.InitialFree {
		made.Initial = fabric.InitialDark
	}
	return made
}

// lift lifts a plan for the core to places and contracts these to GPUs.
func (x *uneven) lift(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric, size units.Bytes) (*plan.Plan, error) {
	on := c
	on.wire = x.wiring(f)
	placed := x.placed(f)
	share := size
	if core.Collective.Op == collective.AllToAll {
		share = max(1, size*units.Bytes(x.count)/units.Bytes(len(x.hosts)))
	}
	made, err := liftWithin(ctx, core, on, &placed, share, 0)
	if err != nil {
		return nil, err
	}
	return x.contract(ctx, made, f, size)
}

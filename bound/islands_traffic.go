package bound

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
)

// islandsTraffic is islandsBound if pairs differ: the larger of a bound for GPUs and a bound
// with islands as nodes, which exchange what their GPUs exchange. What stays within an island
// takes no time in the latter.
func islandsTraffic(f *fabric.Fabric, s *collective.Section, gpus Breakdown) Breakdown {
	core := f.Core(f.Island.Size)
	core.Avoid, core.Links = fabric.Failures{}, fabric.Links{}
	if core.Initial != fabric.InitialDark {
		core.Initial = fabric.InitialFree
	}
	inner := collective.Section{Op: s.Op, Size: s.Size, Space: betweenIslands(&s.Space, f.Island.Size)}
	if core.Validate() != nil || inner.Space.Sizes == nil && len(inner.Space.Pieces) == 0 {
		return gpus
	}
	nodes := sectionBound(&core, &inner)
	if inner.Space.Sizes != nil {
		nodes = planesBound(&core, &inner, nodes)
	}
	if nodes.Initial = initialCharge(f); nodes.Total() > gpus.Total() {
		return nodes
	}
	return gpus
}

// betweenIslands returns the demands, or pieces, between islands of the given number of GPUs,
// without what stays within an island.
func betweenIslands(s *collective.Space, size int) collective.Space {
	inner := collective.Space{Kind: s.Kind, Nodes: s.Nodes / size, Parts: s.Parts}
	if s.Sizes != nil {
		inner.Kind, inner.Parts = collective.Pairs, 1
		sizes := make(collective.Demand, inner.Nodes)
		for a := range sizes {
			sizes[a] = make([]int64, inner.Nodes)
		}
		for u, row := range s.Sizes {
			for v, bytes := range row {
				if u/size != v/size {
					sizes[u/size][v/size] += bytes
				}
			}
		}
		if sizes.Check(inner.Nodes) == nil {
			inner.Sizes = sizes
		}
		return inner
	}
	for i := range s.Pieces {
		p := &s.Pieces[i]
		from, to := islandsOf(p.From, size), islandsOf(p.To, size)
		if !p.Reduces {
			to = slices.DeleteFunc(to, func(h int) bool { return slices.Contains(from, h) })
		}
		if len(to) > 0 && (len(from) > 1 || len(to) > 1 || from[0] != to[0]) {
			inner.Pieces = append(inner.Pieces, collective.Piece{Bytes: p.Bytes, From: from, To: to, Reduces: p.Reduces})
		}
	}
	return inner
}

// islandsOf lists the islands of some GPUs.
func islandsOf(gpus []int, size int) []int {
	all := make([]int, 0, len(gpus))
	for _, u := range gpus {
		all = append(all, u/size)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

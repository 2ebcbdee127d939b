package pricing

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// FitsPorts reports whether every pair of the step can have a circuit of its own.
func FitsPorts(f *fabric.Fabric, step collective.Step) bool {
	if k, ok := step.Rotation(); ok {
		n := step.Group.Dims[0]
		return !f.Duplex || f.Ports >= 2 || 2*k == n
	}
	if !f.Duplex || degree(step) > f.Ports {
		return degree(step) <= f.Ports
	}
	_, err := topology.Matched(f.Nodes, f.Ports, f.Duplex, step.Pairs(), "")
	return err == nil
}

// degree returns to how many others a node sends in a step, or from how many one receives,
// at most. One transfer stands for one of every node of an orbit.
func degree(step collective.Step) int {
	pairs := make([][2]int, 0, len(step.Base))
	nodes := 0
	for _, t := range step.Base {
		k, from := step.Group.Locate(t.Src)
		_, to := step.Group.Locate(t.Dst)
		pairs = append(pairs, [2]int{from, step.Group.Back(k, t.Dst)})
		nodes = max(nodes, from+1, to+1)
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	out, in := make([]int, nodes), make([]int, nodes)
	most := 0
	for _, p := range slices.Compact(pairs) {
		_, to := step.Group.Locate(p[1])
		out[p[0]]++
		in[to]++
		most = max(most, out[p[0]], in[to])
	}
	return most
}

// Package everyplan makes the plans on which compilers are tested: every algorithm with every
// planner.
package everyplan

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/units"
)

var wide = flag.Bool("wide", false, "test every number of nodes and ports of the matrix, for some minutes")

// Cells returns pairs of numbers of nodes and ports: some, or with -wide the whole matrix.
func Cells() [][2]int {
	if !*wide {
		return [][2]int{{2, 1}, {3, 2}, {4, 4}, {5, 1}, {8, 2}}
	}
	var all [][2]int
	for _, n := range []int{2, 3, 4, 5, 8, 9, 12, 16} {
		for _, ports := range []int{1, 2, 4} {
			all = append(all, [2]int{n, ports})
		}
	}
	return all
}

// Each calls use with the plan of every operation, algorithm and planner on a fabric. Of plans
// that differ in their planners only, which compilers use for names alone, it takes the first, or
// with -every all.
func Each(t testing.TB, nodes, ports int, use func(name string, p *plan.Plan)) {
	t.Helper()
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	size := units.Bytes(nodes * nodes * 1024)
	seen := map[string]bool{}
	for _, op := range collective.Ops() {
		for _, pl := range lightpath.Planners() {
			if planner.TraitsOf(pl).Best {
				continue
			}
			for _, c := range layouts(t, op, pl, &f) {
				sizes := []units.Bytes{size}
				if c.Algorithm == joint.Name && op == collective.AllReduce { // small ones are exchanged
					sizes = append(sizes, units.KiB, 16*units.KiB)
				}
				for _, size := range sizes {
					name := fmt.Sprintf("%s/%s/%s/n=%d/ports=%d/%v", op, c.Algorithm, pl.Name(), nodes, ports, size)
					p, err := pl.Plan(ctx, planner.Request{Fabric: f, Collective: c, Size: size})
					if errors.Is(err, planner.ErrInfeasible) {
						continue
					}
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					anonymous := *p
					anonymous.Provenance = plan.Provenance{}
					id, err := anonymous.ID()
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if seen[id] && !samples.Every() {
						continue
					}
					seen[id] = true
					use(name, p)
				}
			}
		}
	}
}

// layouts lists what a planner can plan of an operation.
func layouts(t testing.TB, op collective.Op, pl planner.Planner, f *fabric.Fabric) []*collective.Collective {
	if composer := planner.TraitsOf(pl).Composes; composer != nil {
		c := &collective.Collective{Op: op, Algorithm: composer.Algorithm, Nodes: f.Nodes, Space: collective.SpaceOf(op, f.Nodes, 1)}
		if composer.Supports(c, f) != nil {
			return nil
		}
		return []*collective.Collective{c}
	}
	var all []*collective.Collective
	for _, a := range algorithms.For(op, collective.Shape{Nodes: f.Nodes, Ports: f.Ports}) {
		c, err := algorithms.New(op, a.Name, f.Nodes, f.Ports)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

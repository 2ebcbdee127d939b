package lower_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

var wide = flag.Bool("wide", false, "test every number of nodes and ports of the matrix, for some minutes")

// everyPlan calls use with the plan of every algorithm and planner.
func everyPlan(t *testing.T, nodes, ports int, use func(name string, p *plan.Plan)) {
	t.Helper()
	ctx := context.Background()
	for _, op := range collective.Ops() {
		f := fabric.Default()
		f.Nodes, f.Ports = nodes, ports
		size := units.Bytes(nodes * nodes * 1024)
		for _, pl := range lightpath.Planners() {
			if pl.Name() == lightpath.Auto {
				continue
			}
			var laid []*collective.Collective
			if composer, ok := pl.(planner.Composer); ok {
				c := &collective.Collective{Op: op, Algorithm: composer.Composes(), Nodes: nodes, Space: collective.SpaceOf(op, nodes, 1)}
				if composer.Supports(c, &f) == nil {
					laid = append(laid, c)
				}
			} else {
				for _, a := range collective.For(op, collective.Shape{Nodes: nodes, Ports: ports}) {
					c, err := collective.New(op, a.Name, nodes, ports)
					if err != nil {
						t.Fatal(err)
					}
					laid = append(laid, c)
				}
			}
			for _, c := range laid {
				name := fmt.Sprintf("%s/%s/%s/n=%d/ports=%d", op, c.Algorithm, pl.Name(), nodes, ports)
				p, err := pl.Plan(ctx, planner.Request{Fabric: f, Collective: c, Size: size})
				if errors.Is(err, planner.ErrInfeasible) {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				use(name, p)
			}
		}
	}
}

// cells are the numbers of nodes and ports of the matrix.
func cells() [][2]int {
	if !*wide {
		return [][2]int{{2, 1}, {3, 2}, {4, 1}, {5, 2}, {4, 4}, {8, 2}, {9, 4}}
	}
	var all [][2]int
	for _, n := range []int{2, 3, 4, 5, 8, 9, 12, 16} {
		for _, ports := range []int{1, 2, 4} {
			all = append(all, [2]int{n, ports})
		}
	}
	return all
}

// Every plan of every planner becomes a program that passes every check and computes the
// collective, or is refused for a limit.
func TestEveryPlanBecomesAProgramThatPassesTheChecker(t *testing.T) {
	ctx := context.Background()
	made, refused := 0, 0
	for _, cell := range cells() {
		everyPlan(t, cell[0], cell[1], func(name string, p *plan.Plan) {
			for _, dialect := range []msccl.Dialect{msccl.MSCCL, msccl.RCCL} {
				for _, inPlace := range []bool{false, true} {
					o := lower.Options{Limits: dialect.Limits(), Protocol: program.Simple, InPlace: inPlace, Name: "test", MaxBytes: 1 << 20}
					low, err := lower.Lower(ctx, p, o)
					if errors.Is(err, lower.ErrRefused) {
						t.Logf("%s: %s: %v", name, dialect, err)
						refused++
						continue
					}
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					made++
					report := check.Programs(string(dialect), dialect.Limits(), low.Programs...)
					if bad := report.First(); bad != nil {
						t.Errorf("%s: %s, in place %v: %s: %s", name, dialect, inPlace, bad.Name, bad.Detail)
					}
					if err := check.Interpret(7, low.Programs...); err != nil {
						t.Errorf("%s: %s, in place %v: %v", name, dialect, inPlace, err)
					}
				}
			}
		})
	}
	t.Logf("%d programs, %d refused: %.2f%% of plans compile", made, refused, 100*float64(made)/float64(made+refused))
}

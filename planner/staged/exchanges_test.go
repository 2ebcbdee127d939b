package staged

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// plannedExchange plans an all-to-all with one of the planners and verifies the plan.
func plannedExchange(t *testing.T, p planner.Planner, f fabric.Fabric, algorithm string, size units.Bytes) (*plan.Plan, error) {
	t.Helper()
	c, err := algorithms.New(collective.AllToAll, algorithm, f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	made, err := p.Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: size})
	if err != nil {
		return nil, err
	}
	report, err := verify.Plan(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	if failed := report.First(); failed != nil {
		t.Fatalf("%s: check %s: %s", p.Name(), failed.Name, failed.Detail)
	}
	return made, nil
}

// Every planner makes plans of exchanges that the verifier accepts on data, on one-way and
// two-way fabrics. Only the two planners that need a base topology have no plan where one
// two-way port allows only matchings.
func TestPlansOfExchangesVerify(t *testing.T) {
	for _, algorithm := range []string{"pairwise", "bruck-index", "mirrored-bruck", "retri"} {
		for i, n := range []int{8, 9, 16, 27} {
			for j, ports := range []int{1, 2, 4} {
				if _, err := algorithms.New(collective.AllToAll, algorithm, n, ports); err != nil {
					continue
				}
				for k, duplex := range []bool{false, true} {
					if (i+j+k)%2 > 0 && !samples.Every() {
						continue // in turn
					}
					t.Run(fmt.Sprintf("%s/n=%d/%d/duplex=%v", algorithm, n, ports, duplex), func(t *testing.T) {
						f := fabric.Default()
						f.Nodes, f.Ports, f.Duplex = n, ports, duplex
						for _, p := range Planners() {
							_, err := plannedExchange(t, p, f, algorithm, units.MiB)
							based := p.Name() == "static" || p.Name() == "light-bends"
							if duplex && ports == 1 && based {
								if !errors.Is(err, planner.ErrInfeasible) {
									t.Errorf("%s: %v, want no plan", p.Name(), err)
								}
							} else if err != nil {
								t.Errorf("%s: %v", p.Name(), err)
							}
						}
					})
				}
			}
		}
	}
}

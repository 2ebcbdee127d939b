package lightpath_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
)

// Above 4096 GPUs a plan says what it was chosen from, one for a named algorithm does not,
// and up to there nothing is left out.
func TestVeryManyGPUsArePlannedBySymmetryAndThePlanSaysSo(t *testing.T) {
	for _, c := range []struct {
		nodes     int
		algorithm string
		fewer     bool
	}{
		{64, "", false}, {4097, "", true}, {4097, "recursive-doubling", false},
	} {
		f := fabric.Default()
		f.Nodes = c.nodes
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
			Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: c.algorithm}},
		}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if (p.Among != "") != c.fewer {
			t.Errorf("%d GPUs, algorithm %q: chosen from %q", c.nodes, c.algorithm, p.Among)
		}
	}
}

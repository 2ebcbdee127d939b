package comparing_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
)

func TestAutoIsTheFastestRowOfCompare(t *testing.T) {
	t.Parallel()
	for _, op := range collective.Ops() {
		r := commandtest.Request()
		r.Operations[0].Op, r.Fabric.Nodes = op, 16
		best, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		all, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: r.Fabric, Operation: r.Operations[0]}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Rows) == 0 || best.Cost.Total() != all.Rows[0].TotalNs {
			t.Errorf("%s: auto takes %v, the rows of compare are %v", op, best.Cost.Total(), all.Rows)
		}
	}
}

package report_test

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/units"
)

// As CSV, advice on several operations has the changes of each, with its name and size, and last
// those of all together: under one head, every row as wide as it, with the numbers of the answer.
func TestAdviceOnSeveralOperationsAsCSV(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 4
	a, err := lightpath.Advise(t.Context(), lightpath.AdviseRequest{
		Operation: lightpath.Operation{Op: collective.AllReduce, Size: units.MiB},
		More:      []lightpath.Operation{{Op: collective.AllToAll, Size: 64 * units.KiB}},
		Fabric:    f, Planner: "harvest", MostPorts: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := (report.CSV{}).Write(&text, lightpath.Render(a)); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&text).ReadAll() // which wants rows of the same width
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range records[0] {
		at[name] = i
	}
	type row struct {
		op, size string
		change   lightpath.FabricChange
	}
	var want []row
	for _, c := range a.Changes {
		want = append(want, row{"allreduce", "1048576", c})
	}
	for _, c := range a.More[0].Changes {
		want = append(want, row{"alltoall", "65536", c})
	}
	for _, c := range a.Together {
		want = append(want, row{"all", "", c})
	}
	if len(a.Together) == 0 || len(records) != 1+len(want) {
		t.Fatalf("%d rows, %d of them for all; want %d", len(records)-1, len(a.Together), len(want))
	}
	for i, w := range want {
		got := records[1+i]
		total, err := strconv.ParseFloat(got[at["total_ns"]], 64)
		if err != nil && w.change.TotalNs != 0 {
			t.Errorf("row %d: %v", i+1, err)
		}
		if got[at["op"]] != w.op || got[at["size_bytes"]] != w.size || got[at["change"]] != w.change.Change || got[at["value"]] != w.change.Value || total != float64(w.change.TotalNs) {
			t.Errorf("row %d: %v, want %+v", i+1, got, w)
		}
	}
}

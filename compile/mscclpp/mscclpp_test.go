package mscclpp_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/internal/everyplan"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/plan"
)

// Every plan becomes execution plans that, read back, pass every check and compute the
// collective for messages of up to the largest, or is refused for a limit.
func TestEveryPlanBecomesExecutionPlansThatPassTheChecker(t *testing.T) {
	ctx := context.Background()
	made, refused, turn := 0, 0, 0
	for _, cell := range everyplan.Cells() {
		everyplan.Each(t, cell[0], cell[1], func(name string, p *plan.Plan) {
			// Each plan in one of the four ways, which all occur.
			turn++
			kinds := []mscclpp.ChannelType{mscclpp.Port, mscclpp.Memory}
			for _, kind := range kinds[turn%2 : turn%2+1] {
				inPlace := turn/2%2 == 0
				_, documents, err := mscclpp.Make(ctx, p, inPlace, mscclpp.Options{Channel: kind, Name: "test", MaxBytes: 1 << 30})
				if errors.Is(err, lower.ErrRefused) {
					t.Logf("%s: %s: %v", name, kind, err)
					refused++
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				made++
				var again []*mscclpp.Document
				for _, d := range documents {
					largestIsTheLast(t, name, d)
					var file bytes.Buffer
					if err := d.Write(&file); err != nil {
						t.Fatal(err)
					}
					read, err := mscclpp.Read(&file)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					again = append(again, read)
				}
				report := mscclpp.Check(again...)
				if bad := report.First(); bad != nil {
					t.Errorf("%s: %s, in place %v: %s: %s", name, kind, inPlace, bad.Name, bad.Detail)
					continue
				}
				graphs, err := mscclpp.Graphs(again...)
				if err != nil {
					t.Fatal(err)
				}
				if err := check.InterpretGraphs(3, graphs...); err != nil {
					t.Errorf("%s: %s: %v", name, kind, err)
				}
			}
		})
	}
	t.Logf("%d execution plans, %d refused: %.1f%% of plans compile", made, refused, 100*float64(made)/float64(made+refused))
}

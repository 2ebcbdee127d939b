package lower_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/internal/everyplan"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/plan"
)

// Every plan of every planner becomes a program that passes every check and computes the
// collective, or is refused for a limit.
func TestEveryPlanBecomesAProgramThatPassesTheChecker(t *testing.T) {
	ctx := context.Background()
	made, refused := 0, 0
	for _, cell := range everyplan.Cells() {
		everyplan.Each(t, cell[0], cell[1], func(name string, p *plan.Plan) {
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

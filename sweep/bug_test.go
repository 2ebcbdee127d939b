package sweep_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// buggy is a solver that panics at some cells.
type buggy struct {
	sweep.Solver
	at func(r *sweep.Request) bool
}

func (b buggy) Solve(ctx context.Context, column []sweep.Request) ([]sweep.Outcome, error) {
	for i := range column {
		if b.at(&column[i]) {
			panic("index out of range")
		}
	}
	return b.Solver.Solve(ctx, column)
}

// A panic is the reason of the cells that meet it; all others are answered as without it.
func TestAPanicIsTheReasonOfItsCell(t *testing.T) {
	spec := smallGrid(t)
	good, bad := store(t, "good.db"), store(t, "bad.db")
	if err := sweep.Run(t.Context(), spec, good, solver(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	at := func(r *sweep.Request) bool {
		return r.Size > units.KiB && r.Fabric.Reconfig.Base > units.Microsecond && r.Fabric.Ports == 1
	}
	if err := sweep.Run(t.Context(), spec, bad, buggy{solver(), at}, sweep.Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	want, err := good.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	got, err := bad.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	broken, answered := 0, 0
	for i := range got.Cells {
		g, w := &got.Cells[i], &want.Cells[i]
		if at(&g.Request) {
			broken++
			if !g.Known || !strings.HasPrefix(g.Reason, "internal error: index out of range") {
				t.Errorf("cell %d: %+v", i, g.Outcome)
			}
			continue
		}
		answered++
		if relative := float64(g.Total/w.Total) - 1; !g.Known || relative > 1e-9 || relative < -1e-9 {
			t.Errorf("cell %d: %v, without the bug %v", i, g.Total, w.Total)
		}
	}
	if broken == 0 || answered == 0 {
		t.Errorf("%d cells with the bug, %d without", broken, answered)
	}
}

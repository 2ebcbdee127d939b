package iterating_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// pairs returns a workload of eight ranks whose groups x, y and z are pairs along the bits of
// their numbers.
func pairs(t *testing.T, ops ...string) *workload.Workload {
	t.Helper()
	text := `{"schema":"lightpath.workload/v1","ranks":8,"kinds":{"x":[[0,1],[2,3],[4,5],[6,7]],"y":[[0,2],[1,3],[4,6],[5,7]],` +
		`"z":[[0,4],[1,5],[2,6],[3,7]]},"programs":[{"ranks":"0-7","ops":[` + strings.Join(ops, ",") + `]}]}`
	w := &workload.Workload{}
	if err := json.Unmarshal([]byte(text), w); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return w
}

// on plans a workload, which proves the plan.
func on(t *testing.T, w *workload.Workload, ports int, delay units.Duration, duplex bool) units.Time {
	t.Helper()
	f := fabric.Default()
	f.Ports, f.Reconfig.Base, f.Duplex = ports, delay, duplex
	d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Workload: w, Fabric: f})
	if err != nil {
		t.Errorf("%d ports, %v, two-way %v: %v", ports, delay, duplex, err)
		return 0
	}
	return d.Iteration
}

// TestCircuitsMoveAfterTheirUse: a planner once moved a set of circuits to other ports while a
// collective still used it, or before a collective that was to use it.
func TestCircuitsMoveAfterTheirUse(t *testing.T) {
	t.Parallel()
	on(t, pairs(t, `{"id":"a5","op":"alltoall","size_bytes":4096,"kind":"x"}`, `{"id":"a6","op":"reducescatter","size_bytes":4194304,"kind":"y"}`,
		`{"id":"a7","op":"allreduce","size_bytes":4194304,"kind":"y"}`), 2, 10*units.Microsecond, false)
	on(t, pairs(t, `{"id":"c0","compute_ns":50000}`, `{"id":"a0","op":"alltoall","size_bytes":4096,"kind":"z","after":["c0"]}`,
		`{"id":"c1","compute_ns":1000}`, `{"id":"a1","op":"allgather","size_bytes":4194304,"kind":"z","after":["c1"]}`,
		`{"id":"a2","op":"allgather","size_bytes":1048576,"kind":"y","after":["c1"]}`), 2, 10*units.Microsecond, false)
}

// TestAShorterDelayIsNotSlower: a shorter delay is never slower, for small concurrent
// collectives and for random programs. All plans are proven.
func TestAShorterDelayIsNotSlower(t *testing.T) {
	t.Parallel()
	small := []string{`{"id":"c0","compute_ns":1000}`}
	var before []string
	for i := range 8 {
		small = append(small, fmt.Sprintf(`{"id":"a%d","op":"allreduce","size_bytes":4096,"kind":"x","after":["c0"]}`, i))
		before = append(before, fmt.Sprintf(`"a%d"`, i))
	}
	small = append(small, `{"id":"big","op":"allreduce","size_bytes":1048576,"kind":"x","after":[`+strings.Join(before, ",")+`]}`)
	programs := []*workload.Workload{pairs(t, small...)}
	r := rand.New(rand.NewPCG(31, 41))
	for range samples.Draws(4, 24) {
		var ops []string
		for i := range 2 + r.IntN(6) {
			after := ""
			if i > 0 && r.IntN(2) == 0 {
				after = fmt.Sprintf(`,"after":["o%d"]`, r.IntN(i))
			}
			if r.IntN(3) == 0 {
				ops = append(ops, fmt.Sprintf(`{"id":"o%d","compute_ns":%d%s}`, i, 1000*(1+r.IntN(50)), after))
				continue
			}
			op := []string{"allreduce", "allgather", "reducescatter", "alltoall"}[r.IntN(4)]
			ops = append(ops, fmt.Sprintf(`{"id":"o%d","op":%q,"size_bytes":%d,"kind":%q%s}`, i, op, 1<<(12+r.IntN(11)), []string{"x", "y", "z"}[r.IntN(3)], after))
		}
		programs = append(programs, pairs(t, ops...))
	}
	for i, w := range programs {
		ports, duplex := 4, false
		if i > 0 {
			ports, duplex = 1+r.IntN(3), r.IntN(3) == 0
		}
		last := units.Time(0)
		for _, delay := range []units.Duration{0, units.Nanosecond, units.Microsecond, 10 * units.Microsecond, units.Millisecond} {
			took := on(t, w, ports, delay, duplex)
			if took < last*(1-1e-9) {
				t.Errorf("program %d, %d ports: %v takes %v, a shorter delay %v", i, ports, delay, took, last)
			}
			last = max(last, took)
		}
	}
}

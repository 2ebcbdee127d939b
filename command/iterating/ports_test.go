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

// inHalves draws a workload whose ranks form groups of four neighbours (x), groups of four at
// the same place (y), and two halves that send to each other (p).
func inHalves(t *testing.T, r *rand.Rand, ranks int) *workload.Workload {
	t.Helper()
	half := ranks / 2
	var x, y, p [][]int
	for u := 0; u < ranks; u += 4 {
		x = append(x, []int{u, u + 1, u + 2, u + 3})
	}
	for u := range ranks {
		if u%half < half/2 && u/half == 0 {
			y = append(y, []int{u, u + half/2, u + half, u + half + half/2})
		}
		if u < half {
			p = append(p, []int{u, u + half})
		}
	}
	var first, second []string // what the halves do
	for i := range 2 + r.IntN(5) {
		after := ""
		if i > 0 && r.IntN(2) == 0 {
			after = fmt.Sprintf(`,"after":["o%d"]`, r.IntN(i))
		}
		switch r.IntN(4) {
		case 0:
			op := fmt.Sprintf(`{"id":"o%d","compute_ns":%d%s}`, i, 1000*(1+r.IntN(30)), after)
			first, second = append(first, op), append(second, op)
		case 1:
			first = append(first, fmt.Sprintf(`{"id":"o%d","send_to":"+%d","kind":"p","size_bytes":%d%s}`, i, half, 1<<(12+r.IntN(9)), after))
			second = append(second, fmt.Sprintf(`{"id":"o%d","receive":"o%d","from":"-%d","kind":"p"%s}`, i, i, half, after))
		default:
			op := fmt.Sprintf(`{"id":"o%d","op":%q,"size_bytes":%d,"kind":%q%s}`, i, []string{"alltoall", "alltoall", "allreduce", "allgather"}[r.IntN(4)],
				1<<(12+r.IntN(9)), []string{"x", "y"}[r.IntN(2)], after)
			first, second = append(first, op), append(second, op)
		}
	}
	kinds, err := json.Marshal(map[string][][]int{"x": x, "y": y, "p": p})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"schema":"lightpath.workload/v1","ranks":%d,"kinds":%s,"programs":[{"ranks":"0-%d","ops":[%s]},{"ranks":"%d-%d","ops":[%s]}]}`,
		ranks, kinds, half-1, strings.Join(first, ","), half, ranks-1, strings.Join(second, ","))
	w := &workload.Workload{}
	if err := json.Unmarshal([]byte(text), w); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return w
}

// TestOnePortMoreIsNotSlower: random programs of sends and collectives take no longer with one
// more port, whether circuits are initially up or not, on 8 and on 128 GPUs.
func TestOnePortMoreIsNotSlower(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 11))
	for i := range samples.Draws(3, 16) {
		ranks, most := 8, 3
		if i%8 == 7 {
			ranks, most = 128, 2
		}
		w := inHalves(t, r, ranks)
		f := fabric.Default()
		f.Nodes, f.Reconfig.Base = ranks, []units.Duration{0, units.Microsecond, 3 * units.Microsecond, 20 * units.Microsecond}[r.IntN(4)]
		f.Duplex = r.IntN(4) == 0
		if r.IntN(3) > 0 {
			f.Initial = fabric.InitialDark
		}
		last := units.Time(0)
		for f.Ports = 1; f.Ports <= most; f.Ports++ {
			d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Workload: w, Fabric: f})
			if err != nil {
				t.Fatalf("program %d, %d ports: %v", i, f.Ports, err)
			}
			if f.Ports > 1 && d.Iteration > last*(1+1e-9) {
				t.Errorf("program %d, a delay of %v, %s, two-way %v: %d ports take %v, one less %v", i, f.Reconfig.Base, f.Initial, f.Duplex, f.Ports, d.Iteration, last)
			}
			last = d.Iteration
		}
	}
}

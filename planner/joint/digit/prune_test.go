package digit

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/planner"
)

// The solutions are those of a search that solves every rest, the same ones in a tie; and no task
// takes less than its bound.
func TestRestsThatAreNotSolvedAreOfNoUse(t *testing.T) {
	fewer := 0
	for _, ports := range []int{1, 2, 3, 4, 8} {
		for _, nodes := range []int{6, 12, 16, 18, 32} {
			for i, m := range machines(ports) {
				t.Run(fmt.Sprintf("nodes=%d/ports=%d/machine=%d", nodes, ports, i), func(t *testing.T) {
					memory := planner.NewMemory()
					for _, op := range []goal{AllGather, AllReduce} {
						for _, wait := range []float64{0, 300, 10000} {
							for _, bytes := range []float64{100, 1e6} {
								for _, keep := range []int{1, 3} {
									m.Wait = wait
									q := Question{Machine: m, Limits: unlimited, Keep: keep, Nodes: nodes, Bytes: bytes, Memory: memory, Stopped: never}
									s, plain := NewSearch(q), NewSearch(q)
									plain.every = true
									all := Task{Op: op, Nodes: nodes, Scale: 1, Changes: AnyChanges}
									if got, want := told(s.Solve(all)), told(plain.Solve(all)); got != want {
										t.Errorf("goal %d, wait %v, %v bytes, keep %d:\n%swith every rest\n%s", op, wait, bytes, keep, got, want)
									}
									fewer += len(plain.known) - len(s.known)
									for task, k := range plain.known {
										if least := m.restAtLeast(task.Op, task.Nodes, bytes/float64(task.Scale)); len(k.list) > 0 && k.list[0].Time < least*(1-slack) {
											t.Errorf("%+v of %v bytes takes %v, bound %v", task, bytes, k.list[0].Time, least)
										}
									}
								}
							}
						}
					}
				})
			}
		}
	}
	if fewer == 0 {
		t.Error("every rest was solved")
	}
}

// told writes solutions down.
func told(list []Solution) string {
	text := ""
	for _, s := range list {
		text += fmt.Sprintf("%v, %d changes:", s.Time, s.Changes)
		for _, d := range s.Digits {
			text += fmt.Sprintf(" %d by %s;", d.points, d.Make().about)
		}
		text += "\n"
	}
	return text
}

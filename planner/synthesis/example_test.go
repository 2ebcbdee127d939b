package synthesis_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner/synthesis"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Steps 2 and 3 of Swing, 4 MiB on 8 GPUs with one port, without reconfiguration in between: in
// step 2 GPU r exchanges a quarter with r-1 or r+1, in step 3 an eighth with r+3 or r-3.
func ExampleExact() {
	p := synthesis.Problem{
		Nodes: 8, Ports: 1,
		Alpha: 500 * units.Nanosecond, Delta: 500 * units.Nanosecond, Bandwidth: 800 * units.Gbps,
	}
	for i, offset := range []int{-1, 3} {
		p.Steps = append(p.Steps, synthesis.Step{
			Demands: []flow.Demand{
				{Src: 0, Dst: (8 + offset) % 8, Amount: float64(units.MiB) / float64(i+1)},
				{Src: 1, Dst: (9 - offset) % 8, Amount: float64(units.MiB) / float64(i+1)},
			},
			Group: topology.Rotations(8, 2),
		})
	}
	ring, err := synthesis.Evaluate(context.Background(), p, topology.DirectedCirculant(8, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := synthesis.Exact(context.Background(), p, synthesis.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ring:", ring.Cost)
	fmt.Println("best:", best.Cost, "proven:", best.Proven)
	// Output:
	// ring: 69.91us
	// best: 34.96us proven: true
}

// All steps of recursive doubling, 256 KiB on 16 GPUs with two ports, on one topology: a jump of
// 4 besides that of 1 is better than the ring.
func ExampleSearch() {
	p := synthesis.Problem{Nodes: 16, Ports: 2, Delta: 500 * units.Nanosecond, Bandwidth: 800 * units.Gbps}
	for i := range 4 {
		p.Steps = append(p.Steps, synthesis.Step{
			Demands: []flow.Demand{{Src: 0, Dst: 1 << i, Amount: float64(256*units.KiB) / float64(int(2)<<i)}},
			Group:   topology.Rotations(16, 1),
		})
	}
	ring := topology.DirectedCirculant(16, 1, 1)
	best, err := synthesis.Search(context.Background(), p, []*topology.Graph{ring}, synthesis.Options{Effort: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(best.Graph.Name(), best.Cost)
	// Output:
	// DC(16;1,4) 6.277us
}

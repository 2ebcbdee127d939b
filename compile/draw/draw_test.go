package draw_test

import (
	"os"

	"github.com/lightpath-net/lightpath/compile/draw"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

func ExampleEdges() {
	stage := plan.Stage{Topology: topology.Circulant(4, 1)}
	if err := draw.Edges(os.Stdout, &stage); err != nil {
		panic(err)
	}
	// Output:
	// 0,1,1
	// 0,3,1
	// 1,0,1
	// 1,2,1
	// 2,1,1
	// 2,3,1
	// 3,0,1
	// 3,2,1
}

func ExampleDot() {
	p := &plan.Plan{Stages: []plan.Stage{{Topology: topology.DirectedCirculant(2, 1, 1)}}}
	p.Fabric.Nodes = 2
	if err := draw.Dot(os.Stdout, p); err != nil {
		panic(err)
	}
	// Output:
	// digraph stage_1 {
	//   label="stage 1: DC(2;1,1)";
	//   layout=circo;
	//   node [shape=circle];
	//   0;
	//   1;
	//   0 -> 1 [dir=both, label="2x", tooltip="0 bytes"];
	// }
}

package draw_test

import (
	"os"

	"github.com/lightpath-net/lightpath/compile/draw"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
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

// The GPUs of an island form a cluster, labelled with the data that they send to each other.
func ExampleDot_islands() {
	p := &plan.Plan{Stages: []plan.Stage{{Topology: topology.DirectedCirculant(4, 2)}}}
	p.Fabric.Nodes, p.Fabric.Ports, p.Fabric.Island = 4, 1, fabric.Island{Size: 2, Bandwidth: units.Tbps}
	if err := draw.Dot(os.Stdout, p); err != nil {
		panic(err)
	}
	// Output:
	// digraph stage_1 {
	//   label="stage 1: DC(4;2)";
	//   layout=fdp;
	//   node [shape=circle];
	//   subgraph cluster_0 {
	//     label="island 0"; tooltip="0 bytes";
	//     0; 1;
	//   }
	//   subgraph cluster_1 {
	//     label="island 1"; tooltip="0 bytes";
	//     2; 3;
	//   }
	//   0 -> 2 [dir=both, tooltip="0 bytes"];
	//   1 -> 3 [dir=both, tooltip="0 bytes"];
	// }
}

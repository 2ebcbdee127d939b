package fabric_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// Later settings override earlier ones: a preset, a file, a single value.
func Example() {
	f := fabric.Default()
	if err := f.ApplyPreset("retri"); err != nil {
		fmt.Println(err)
		return
	}
	if err := f.Load("my.yaml", []byte("nodes: 27\nreconfig: 5us\n")); err != nil {
		fmt.Println(err)
		return
	}
	if err := f.Set("reconfig", "per-port:1us+20ns"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Nodes, f.Ports, f.Bandwidth, f.Reconfig, f.Validate())
	// Output: 27 2 400Gbps per-port:1us+20ns <nil>
}

func ExampleFabric_Load() {
	f := fabric.Default()
	fmt.Println(f.Load("my.yaml", []byte("nodes: 16\nports: two\n")))
	fmt.Println(f.Nodes)
	// Output:
	// my.yaml:2: ports: "two" is not a whole number in 1..1024
	// 64
}

func ExampleFabric_BaseTopology() {
	f := fabric.Default()
	for _, ports := range []int{1, 2, 4, 6} {
		f.Ports = ports
		g, err := f.BaseTopology()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(ports, g.Name())
	}
	// Output:
	// 1 DC(64;1)
	// 2 C(64;1)
	// 4 Torus(8,8)
	// 6 Torus(4,4,4)
}

// From one ring of 8 nodes to another every node rewires its port: 8 ports.
func ExampleReconfig_Delay() {
	from, to := topology.DirectedCirculant(8, 1), topology.DirectedCirculant(8, 3)
	for _, text := range []string{"10us", "per-port:1us+20ns", "per-circuit:0ns+5ns"} {
		r, err := fabric.ParseReconfig(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r, "takes", r.Delay(from, to))
	}
	// Output:
	// 10us takes 10.00us
	// per-port:1us+20ns takes 1.160us
	// per-circuit:0ns+5ns takes 40.00ns
}

package parts_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/units"
)

// 64 GPUs with 2 ports each on two optical switches, and on a packet switch for each port.
func Example() {
	all, err := parts.With(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := parts.Machine{Nodes: 64, Ports: 2, Bandwidth: 400 * units.Gbps}
	plugging, err := layout.Rails().Plug(m.Nodes, m.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	optical, err := all.Optical(m, plugging, "polatis", 64)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range optical.Lines {
		fmt.Printf("%4d %s\n", l.Count, l.Part)
	}
	electrical, tree, err := all.Electrical(m, parts.FatTree)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("optical: %.0f USD, %.0f W\n", optical.CostUSD.Likely, optical.PowerW.Likely)
	fmt.Printf("electrical (tiers: %d): %.0f USD, %.0f W\n", tree.Tiers, electrical.CostUSD.Likely, electrical.PowerW.Likely)
	// Output:
	//    2 polatis
	//  128 400G-FR4
	//  256 single-mode
	//  128 400G
	// optical: 344832 USD, 4506 W
	// electrical (tiers: 1): 502144 USD, 7296 W
}

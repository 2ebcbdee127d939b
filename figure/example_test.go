package figure_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/figure"
)

func ExampleMeasured() {
	m, err := lightpath.Topology(context.Background(), lightpath.TopologyRequest{Topology: "Torus(4,4)"})
	if err != nil {
		fmt.Println(err)
		return
	}
	scene, err := figure.Measured(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	var b bytes.Buffer // or scene.WriteFile("torus.png")
	if err := scene.SVG(&b); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4s\n", b.String())
	// Output: <svg
}

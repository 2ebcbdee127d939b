package designing_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/fabric"
)

func ExampleMakeDesign() {
	f := fabric.Default()
	f.Nodes = 8
	a, err := designing.MakeDesign(context.Background(), designing.DesignRequest{
		Mix: []string{"allreduce/4MiB:1"}, Fabric: f, Ports: []int{1}, Technology: []string{"polatis"}, Planner: "harvest",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range a.Choices {
		fmt.Println(c.Name(), c.IterationNs, c.CostUSD.Likely)
	}
	// Output:
	// fat-tree 79.40us 146512
	// polatis 87.40us 233792
}

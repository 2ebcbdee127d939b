package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/client"
	"github.com/lightpath-net/lightpath/units"
)

// A plan is made once and then named by its ID.
func Example() {
	ctx := context.Background()
	service, err := server.New(ctx, server.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()
	web := httptest.NewServer(service.Handler())
	defer web.Close()

	c := &client.Client{Base: web.URL}
	machine := fabric.Default()
	machine.Nodes, machine.Ports = 8, 1
	summary, id, err := c.Plan(ctx, lightpath.PlanRequest{
		Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB, Algorithm: "recursive-doubling"}},
		Fabric:     machine, Planner: "harvest",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(summary.Planner, summary.Reconfigurations)
	checked, err := c.Verify(ctx, lightpath.VerifyRequest{PlanID: id})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(checked.OK)
	_, err = c.Topology(ctx, lightpath.TopologyRequest{Topology: "Ring("})
	fmt.Println(err)
	// Output:
	// harvest 2
	// true
	// topology: topology expression "Ring(": column 6: expected a number, found end of the expression; write Ring(m)
}

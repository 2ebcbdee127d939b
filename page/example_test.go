package page_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/page"
	"github.com/lightpath-net/lightpath/units"
)

func ExamplePlan() {
	p, err := lightpath.Plan(context.Background(), lightpath.PlanRequest{
		Planner: "static", Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: "ring", Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	made, err := page.Plan(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	var b bytes.Buffer // or a file
	if err := made.Write(&b); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(made.Title)
	fmt.Println(strings.Count(b.String(), "<table"), "tables")
	// Output:
	// allgather of 1MiB on 64 GPUs takes 73.32us
	// 3 tables
}

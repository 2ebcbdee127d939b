package workloads_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/workloads"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

func ExampleWorkload() {
	m, err := model.Named("llama3-8b")
	if err != nil {
		fmt.Println(err)
		return
	}
	i, err := workloads.Workload(context.Background(), workloads.WorkloadRequest{Model: m, Config: parallel.Config{TP: 2, DP: 4, GlobalBatch: 8}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range i.Totals {
		fmt.Println(t.Kind, t.Op, t.Most, "of", t.Largest, "at most")
	}
	// Output:
	// dp allreduce 34 of 513032KiB at most
	// tp allreduce 260 of 64MiB at most
}

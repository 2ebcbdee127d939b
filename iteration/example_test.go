package iteration_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/training"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// An iteration is planned, written down and proven.
func Example() {
	ctx := context.Background()
	m, err := model.Named("llama3-8b")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := parallel.Make(m, parallel.Config{TP: 2, DP: 2, GlobalBatch: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := w.Graph(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = w.Ranks, 1, 10*units.Microsecond
	count := &training.Tally{}
	e := command.NewRun(nil)
	p := iteration.NewProgram(g)
	r, err := iteration.NewRepertoire(ctx, p, &f, iteration.Options{Plans: func(f fabric.Fabric) iteration.Plans { return training.PlansOn(f, count, e) }})
	if err != nil {
		fmt.Println(err)
		return
	}
	made, err := iteration.Fastest(ctx, p, r, iteration.Best)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := iteration.NewDocument(g, &f, p, r, made)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := iteration.Verify(ctx, d)
	fmt.Println(report.OK, err, d.Gap < 0.1, d.Iteration <= d.Baselines[iteration.Phases])
	// Output: true <nil> true true
}

package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/client"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// with calls f with a client of a service that runs as long as the example, and prints any error.
func with(f func(ctx context.Context, c *client.Client) error) {
	ctx := context.Background()
	service, err := server.New(ctx, server.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()
	web := httptest.NewServer(service.Handler())
	defer web.Close()
	if err := f(ctx, &client.Client{Base: web.URL}); err != nil {
		fmt.Println(err)
	}
}

func machine(nodes, ports int) fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	return f
}

// eight returns the request that the examples use.
func eight() lightpath.PlanRequest {
	return lightpath.PlanRequest{
		Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB, Algorithm: "recursive-doubling"}},
		Fabric:     machine(8, 1), Planner: "harvest",
	}
}

func allreduce(size units.Bytes) lightpath.Operation {
	return lightpath.Operation{Op: collective.AllReduce, Size: size}
}

// grid returns a sweep of sizes with the given number of points.
func grid(sizes string, points int) lightpath.SweepRequest {
	return lightpath.SweepRequest{Points: points, Fabric: machine(8, 1), Axes: []sweep.Axis{
		{Name: "op", Values: []string{"allreduce"}}, {Name: "size", Values: []string{sizes}}, {Name: "reconfig", Values: []string{"1us", "1ms"}},
	}}
}

// A plan is made once and then named by its ID.
func Example() {
	with(func(ctx context.Context, c *client.Client) error {
		summary, id, err := c.Plan(ctx, eight())
		if err != nil {
			return err
		}
		fmt.Println(summary.Planner, summary.Reconfigurations)
		checked, err := client.Ask(ctx, c, lightpath.Verify, lightpath.VerifyRequest{PlanID: id})
		if err != nil {
			return err
		}
		fmt.Println(checked.OK)
		_, err = client.Ask(ctx, c, lightpath.Topology, lightpath.TopologyRequest{Topology: "Ring("})
		return err
	})
	// Output:
	// harvest 2
	// true
	// topology: topology expression "Ring(": column 6: expected a number, found end of the expression; write Ring(m)
}

func ExampleClient_Plan() {
	with(func(ctx context.Context, c *client.Client) error {
		summary, id, err := c.Plan(ctx, eight())
		if err == nil {
			fmt.Println(summary.Collective.Algorithm, len(summary.Stages), "stages,", len(id), "digits")
		}
		return err
	})
	// Output: recursive-doubling 3 stages, 64 digits
}

func ExampleClient_List() {
	with(func(ctx context.Context, c *client.Client) error {
		all, err := c.List(ctx)
		if err == nil {
			fmt.Println(all.Operations[0])
		}
		return err
	})
	// Output: allreduce
}

func ExampleAsk_compare() {
	with(func(ctx context.Context, c *client.Client) error {
		all, err := client.Ask(ctx, c, lightpath.Compare, lightpath.CompareRequest{Operation: allreduce(4 * units.MiB), Fabric: machine(4, 1)})
		if err == nil {
			fmt.Println(all.Op, len(all.Rows) > 10)
		}
		return err
	})
	// Output: allreduce true
}

func ExampleAsk_frontier() {
	with(func(ctx context.Context, c *client.Client) error {
		best, err := client.Ask(ctx, c, lightpath.FindFrontier, lightpath.FrontierRequest{Operation: allreduce(units.MiB), Fabric: machine(4, 1), Planner: "harvest"})
		if err == nil {
			last := best.Points[len(best.Points)-1]
			fmt.Println("rewired", last.Reconfigurations, "times where that takes longest")
		}
		return err
	})
	// Output: rewired 0 times where that takes longest
}

func ExampleAsk_explain() {
	with(func(ctx context.Context, c *client.Client) error {
		_, id, err := c.Plan(ctx, eight())
		if err != nil {
			return err
		}
		why, err := client.Ask(ctx, c, lightpath.Explain, lightpath.ExplainRequest{PlanID: id})
		if err == nil {
			fmt.Println(len(why.Changes), "changes, the first for step", why.Changes[0].Steps[0])
		}
		return err
	})
	// Output: 2 changes, the first for step 2
}

func ExampleAsk_verify() {
	with(func(ctx context.Context, c *client.Client) error {
		_, id, err := c.Plan(ctx, eight())
		if err != nil {
			return err
		}
		report, err := client.Ask(ctx, c, lightpath.Verify, lightpath.VerifyRequest{PlanID: id})
		if err == nil {
			fmt.Println(report.OK)
		}
		return err
	})
	// Output: true
}

func ExampleAsk_topology() {
	with(func(ctx context.Context, c *client.Client) error {
		m, err := client.Ask(ctx, c, lightpath.Topology, lightpath.TopologyRequest{Topology: "Torus(4,4)"})
		if err == nil {
			fmt.Println(m.Nodes, *m.Diameter)
		}
		return err
	})
	// Output: 16 4
}

func ExampleAsk_schedule() {
	with(func(ctx context.Context, c *client.Client) error {
		s, err := client.Ask(ctx, c, lightpath.MakeSchedule, lightpath.ScheduleRequest{Topology: "C(12;2,3)", Op: collective.AllGather})
		if err == nil {
			fmt.Println(s.Steps, s.Bandwidth)
		}
		return err
	})
	// Output: 2 11/12
}

func ExampleAsk_find() {
	with(func(ctx context.Context, c *client.Client) error {
		found, err := client.Ask(ctx, c, lightpath.Find, lightpath.FindRequest{Nodes: 12, Degree: 3})
		if err == nil {
			fmt.Println(found.Nodes, found.Best.Expr != "")
		}
		return err
	})
	// Output: 12 true
}

func ExampleAsk_simulate() {
	with(func(ctx context.Context, c *client.Client) error {
		_, id, err := c.Plan(ctx, eight())
		if err != nil {
			return err
		}
		s, err := client.Ask(ctx, c, lightpath.Simulate, lightpath.SimulateRequest{PlanID: id, Packet: 64 * units.KiB})
		if err == nil {
			fmt.Println(s.Level, len(s.Steps))
		}
		return err
	})
	// Output: packet 6
}

func ExampleAsk_compile() {
	with(func(ctx context.Context, c *client.Client) error {
		_, id, err := c.Plan(ctx, eight())
		if err != nil {
			return err
		}
		made, err := client.Ask(ctx, c, lightpath.Compile, lightpath.CompileRequest{PlanID: id, To: "timetable", Inline: true})
		if err == nil {
			fmt.Println(made.Format, len(made.Files), len(made.Files[0].Content) > 0)
		}
		return err
	})
	// Output: timetable 1 true
}

func ExampleAsk_check() {
	with(func(ctx context.Context, c *client.Client) error {
		report, err := client.Ask(ctx, c, lightpath.Check, lightpath.CheckRequest{File: "a.xml", Content: map[string]string{
			"a.xml": `<algo name="x" nchunksperloop="1" ngpus="1" proto="Simple" coll="allreduce" inplace="0"></algo>`,
		}})
		if err == nil {
			fmt.Println(report.OK)
		}
		return err
	})
	// Output: false
}

func ExampleAsk_collective() {
	with(func(ctx context.Context, c *client.Client) error {
		layout, err := client.Ask(ctx, c, lightpath.LayOut, lightpath.CollectiveRequest{Op: collective.AllReduce, Algorithm: "swing", Nodes: 8})
		if err == nil {
			fmt.Println(len(layout.Steps), "steps")
		}
		return err
	})
	// Output: 6 steps
}

func ExampleAsk_reproduce() {
	with(func(ctx context.Context, c *client.Client) error {
		claims, err := client.Ask(ctx, c, lightpath.Reproduce, lightpath.ReproduceRequest{ID: "harvest/fig5", List: true})
		if err == nil {
			fmt.Println(claims.Listed, len(claims.Rows) > 0)
		}
		return err
	})
	// Output: true true
}

func ExampleAsk_train() {
	with(func(ctx context.Context, c *client.Client) error {
		trace, err := train.Builtin("resnet50")
		if err != nil {
			return err
		}
		made, err := client.Ask(ctx, c, lightpath.Train, lightpath.TrainRequest{Trace: trace, Topology: "Torus(4,4)"})
		if err == nil {
			fmt.Println(made.Trace)
		}
		return err
	})
	// Output: resnet50
}

func ExampleAsk_advise() {
	with(func(ctx context.Context, c *client.Client) error {
		advice, err := client.Ask(ctx, c, lightpath.Advise, lightpath.AdviseRequest{Operation: allreduce(4 * units.MiB), Fabric: machine(4, 1)})
		if err == nil {
			fmt.Println(len(advice.Changes) > 0)
		}
		return err
	})
	// Output: true
}

func ExampleAsk_tune() {
	with(func(ctx context.Context, c *client.Client) error {
		table, err := client.Ask(ctx, c, lightpath.Tune, lightpath.TuneRequest{Op: collective.AllReduce, Least: units.KiB, Most: 64 * units.KiB, Fabric: machine(4, 1)})
		if err == nil {
			fmt.Println(table.Op, len(table.Rows) > 0)
		}
		return err
	})
	// Output: allreduce true
}

// Cells are reported as they are found.
func ExampleClient_Sweep() {
	with(func(ctx context.Context, c *client.Client) error {
		told := 0
		table, err := c.Sweep(ctx, grid("1MiB..4MiB", 3), func(e client.Event) { told += len(e.Cells) })
		if err == nil {
			fmt.Println(told, "of", len(table.Cells))
		}
		return err
	})
	// Output: 6 of 6
}

func ExampleAsk_emulate() {
	with(func(ctx context.Context, c *client.Client) error {
		r := eight()
		r.Operations[0].Size = 64 * units.KiB
		_, id, err := c.Plan(ctx, r)
		if err != nil {
			return err
		}
		ran, err := client.Ask(ctx, c, lightpath.Emulate, lightpath.EmulateRequest{PlanID: id, NoWait: true})
		if err == nil {
			fmt.Println(ran.OK, ran.Ranks)
		}
		return err
	})
	// Output: true 8
}

func ExampleAsk_calibrate() {
	with(func(ctx context.Context, c *client.Client) error {
		fit, err := client.Ask(ctx, c, lightpath.Calibrate, lightpath.CalibrateRequest{Samples: []lightpath.CalibrateSample{
			{Bytes: 1000, TimeNs: 5010}, {Bytes: 100_000, TimeNs: 6000}, {Bytes: 1_000_000, TimeNs: 15_000},
		}})
		if err == nil {
			fmt.Println(fit.BandwidthBps)
		}
		return err
	})
	// Output: 800Gbps
}

func ExampleClient_Plans() {
	with(func(ctx context.Context, c *client.Client) error {
		_, id, err := c.Plan(ctx, eight())
		if err != nil {
			return err
		}
		list, err := c.Plans(ctx, "doubling")
		if err != nil {
			return err
		}
		fmt.Println(len(list), list[0].ID == id)
		return c.DeletePlan(ctx, id)
	})
	// Output: 1 true
}

func ExampleClient_AddPlan() {
	with(func(ctx context.Context, c *client.Client) error {
		p, err := lightpath.Plan(ctx, eight())
		if err != nil {
			return err
		}
		id, err := c.AddPlan(ctx, p)
		if err != nil {
			return err
		}
		same, err := c.PlanFile(ctx, id)
		if err == nil {
			fmt.Println(same.Planner)
		}
		return err
	})
	// Output: harvest
}

func ExampleClient_Figure() {
	with(func(ctx context.Context, c *client.Client) error {
		_, id, err := c.Plan(ctx, eight())
		if err != nil {
			return err
		}
		drawn, err := c.Figure(ctx, id)
		if err == nil {
			fmt.Println(strings.Contains(string(drawn), "<svg"))
		}
		return err
	})
	// Output: true
}

func ExampleClient_Wiring() {
	with(func(ctx context.Context, c *client.Client) error {
		w, err := c.Wiring(ctx, "Ring(4)")
		if err == nil {
			fmt.Println(w.Expr, len(w.Links))
		}
		return err
	})
	// Output: Ring(4) 8
}

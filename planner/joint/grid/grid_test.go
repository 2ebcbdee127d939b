// Package grid compares planner joint with the published algorithms, each with its best circuits
// (harvest and direct-connect), and with the bound for any plan, over a grid of GPUs, ports,
// sizes and reconfiguration delays. For every operation it prints the speed-up of the best plan
// with joint over the best plan without, the number of plans proven to be within 0.1% of the
// optimum, and the gap to the bound. All planners together plan the operations that joint does
// not support.
//
//	go test ./planner/joint/grid -v -timeout 0 -args grid -nodes 8,12 -sizes 1KiB,1MiB -csv cells.csv
//
// By default the options cover the whole grid, which takes long. Without the word grid the test
// compares only a few cells.
package grid

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

func TestGrid(t *testing.T) {
	args, out := flag.Args(), io.Writer(os.Stdout)
	if len(args) == 0 {
		args, out = []string{"grid", "-nodes", "8,12", "-ports", "2", "-sizes", "16KiB,4MiB", "-delays", "1us,100us"}, io.Discard
	}
	cells, err := run(t.Context(), args[1:], out)
	if err != nil {
		t.Error(err)
	}
	for _, c := range cells {
		if c.now < c.bound*(1-1e-9) {
			t.Errorf("%+v: faster than the bound", c)
		}
	}
}

// cell is one request and its results.
type cell struct {
	op                    collective.Op
	nodes, ports          int
	size                  units.Bytes
	delay                 units.Duration
	published, now, bound units.Time
}

func (c *cell) gain() float64 { return float64(c.published/c.now) - 1 }
func (c *cell) gap() float64  { return max(0, float64(c.now/c.bound)-1) }

func run(ctx context.Context, args []string, out io.Writer) ([]cell, error) {
	flags := flag.NewFlagSet("grid", flag.ContinueOnError)
	nodes := flags.String("nodes", "8,12,16,27,48,64,100,128", "numbers of GPUs")
	ports := flags.String("ports", "1,2,4", "numbers of ports")
	sizes := flags.String("sizes", "1KiB,16KiB,256KiB,4MiB,64MiB,1GiB", "sizes")
	delays := flags.String("delays", "100ns,1us,10us,100us", "reconfiguration delays")
	ops := flags.String("ops", "allreduce,allgather,reducescatter,broadcast,reduce", "operations")
	published := flags.Bool("published", true, "compare with the published algorithms, which takes most of the time")
	all := flags.Bool("all", false, "take the best plans of all planners instead of joint's own; compares with nothing")
	file := flags.String("csv", "", "a file for all cells, which has those that are done at any time")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	table, err := newTable(*file)
	if err != nil {
		return nil, err
	}
	var cells []cell
	for name := range strings.SplitSeq(*ops, ",") {
		op, err := collective.ParseOp(name)
		if err != nil {
			return nil, err
		}
		for n := range strings.SplitSeq(*nodes, ",") {
			for d := range strings.SplitSeq(*ports, ",") {
				for s := range strings.SplitSeq(*sizes, ",") {
					for r := range strings.SplitSeq(*delays, ",") {
						c := cell{op: op}
						var errs [4]error
						c.nodes, errs[0] = strconv.Atoi(n)
						c.ports, errs[1] = strconv.Atoi(d)
						c.size, errs[2] = units.ParseBytes(s)
						c.delay, errs[3] = units.ParseDuration(r)
						if err := errors.Join(errs[:]...); err != nil {
							return nil, err
						}
						plan := func() error { return c.plan(ctx, *published) }
						if *all {
							plan = func() error { return c.planByAll(ctx) }
						}
						if err := plan(); err != nil {
							return nil, err
						}
						cells = append(cells, c)
						if err := table.add(&c); err != nil {
							return nil, err
						}
					}
				}
			}
		}
	}
	summary(out, cells)
	return cells, table.close()
}

func (c *cell) fabric() fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = c.nodes, c.ports, c.delay
	return f
}

// plan fills in the times of a cell. Without the comparison, joint's plans replace the published
// ones.
func (c *cell) plan(ctx context.Context, compared bool) error {
	f := c.fabric()
	harvest := staged.Harvest(staged.HarvestOptions{})
	names := algorithms.For(c.op, collective.Shape{Nodes: c.nodes, Ports: c.ports})
	open := func(p planner.Planner) collective.Sized {
		return collective.Sized{Size: c.size, Collective: &collective.Collective{
			Op: c.op, Algorithm: planner.TraitsOf(p).Composes.Algorithm, Nodes: c.nodes, Space: collective.SpaceOf(c.op, c.nodes, 1),
		}}
	}
	ways := len(names)
	bfb, own := direct.New(), joint.New()
	if planner.TraitsOf(bfb).Composes.Supports(open(bfb).Collective, &f) == nil {
		ways++
	}
	if planner.TraitsOf(own).Composes.Supports(open(own).Collective, &f) != nil {
		return c.planByAll(ctx)
	}
	now, err := own.Plan(ctx, planner.Request{Fabric: f, Collective: open(own).Collective, Size: c.size})
	if err != nil {
		return err
	}
	c.found(now)
	if !compared {
		return nil
	}
	published, err := auto.Fastest(ctx, planner.Request{Fabric: f}, ways, func(i int) (planner.Planner, collective.Sized, error) {
		if i == len(names) {
			return bfb, open(bfb), nil
		}
		laid, err := algorithms.New(c.op, names[i].Name, c.nodes, c.ports)
		return harvest, collective.Sized{Collective: laid, Size: c.size}, err
	})
	if err != nil {
		return err
	}
	c.published = published.Cost.Total()
	c.now = min(c.published, c.now)
	return nil
}

// planByAll fills in the times of the best plan of all planners.
func (c *cell) planByAll(ctx context.Context) error {
	all := portfolio.Planners()
	r := portfolio.Request{Operations: []collective.Operation{{Op: c.op, Size: c.size}}, Fabric: c.fabric()}
	now, err := r.Fastest(ctx, all[len(all)-1], portfolio.NewSearch(portfolio.Options{Planners: all, Bare: true}))
	if err == nil {
		c.found(now)
	}
	return err
}

// found fills in the times of the plan found.
func (c *cell) found(now *plan.Plan) {
	c.now, c.published = now.Cost.Total(), now.Cost.Total()
	c.bound = bound.OfOperation(&now.Fabric, now.Collective.Section()).Total()
}

func summary(out io.Writer, cells []cell) {
	fmt.Fprintf(out, "%-14s %6s %10s %10s %8s %9s %9s\n", "operation", "cells", "mean gain", "largest", "proven", "median gap", "90%")
	var ops []collective.Op
	for _, c := range cells {
		if !slices.Contains(ops, c.op) {
			ops = append(ops, c.op)
		}
	}
	for _, op := range ops {
		var gaps []float64
		sum, most, proven := 0.0, 0.0, 0
		for _, c := range cells {
			if c.op != op {
				continue
			}
			sum += c.gain()
			most = max(most, c.gain())
			gaps = append(gaps, c.gap())
			if c.gap() < 0.001 {
				proven++
			}
		}
		slices.Sort(gaps)
		n := len(gaps)
		fmt.Fprintf(out, "%-14s %6d %9.1f%% %9.1f%% %7.1f%% %9.1f%% %8.1f%%\n", op, n, 100*sum/float64(n), 100*most,
			100*float64(proven)/float64(n), 100*gaps[n/2], 100*gaps[n*9/10])
	}
}

// table is a file with a row for every cell, or nil if no file is requested.
type table struct {
	file *os.File
	rows *csv.Writer
}

func newTable(name string) (*table, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	t := &table{file, csv.NewWriter(file)}
	return t, t.write("op", "nodes", "ports", "size_bytes", "reconfig_ns", "published_ns", "now_ns", "bound_ns")
}

func (t *table) write(row ...string) error {
	if err := t.rows.Write(row); err != nil {
		return err
	}
	t.rows.Flush()
	return t.rows.Error()
}

func (t *table) add(c *cell) error {
	if t == nil {
		return nil
	}
	number := func(t units.Time) string { return strconv.FormatFloat(float64(t), 'f', -1, 64) }
	return t.write(string(c.op), strconv.Itoa(c.nodes), strconv.Itoa(c.ports), strconv.FormatInt(int64(c.size), 10),
		number(c.delay.Time()), number(c.published), number(c.now), number(c.bound))
}

func (t *table) close() error {
	if t == nil {
		return nil
	}
	return t.file.Close()
}

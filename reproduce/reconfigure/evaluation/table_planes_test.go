package evaluation

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// planesRow is the gain of independent planes over planes that reconfigure together, for a
// demand and a number of ports: by delay, the mean over seeds.
type planesRow struct {
	demand string
	ports  int
	gains  []float64
}

// planesDelays are the delays of the table.
var planesDelays = []units.Duration{units.Microsecond, 5 * units.Microsecond, 20 * units.Microsecond}

// runPlanes prints how much faster exchanges are on planes that reconfigure independently.
func runPlanes(ctx context.Context, args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("planes", flag.ContinueOnError)
	nodes := flags.Int("nodes", 12, "GPUs")
	seeds := flags.Int("seeds", 3, "demands of each kind that is drawn at random")
	size := units.Bytes(16 * units.MiB)
	flags.Func("size", "bytes of a GPU, on average (default 16MiB)", func(text string) (err error) {
		size, err = units.ParseBytes(text)
		return err
	})
	if err := parse(flags, args, log); err != nil {
		return err
	}
	if *nodes < 3 || *seeds < 1 {
		return fmt.Errorf("planes: %d nodes and %d seeds, want 3 and 1 or more", *nodes, *seeds)
	}
	rows, err := measurePlanes(ctx, *nodes, *seeds, size, log)
	if err != nil {
		return err
	}
	head, line := "| demand | ports |", "|---|---:|"
	for _, d := range planesDelays {
		head, line = head+fmt.Sprintf(" %v |", d), line+"---:|"
	}
	fmt.Fprintf(out, "%s\n%s\n", head, line)
	for _, r := range rows {
		cells := make([]string, len(r.gains))
		for i, g := range r.gains {
			cells[i] = fmt.Sprintf("%.3f", g)
		}
		fmt.Fprintf(out, "| %s | %d | %s |\n", r.demand, r.ports, strings.Join(cells, " | "))
	}
	return nil
}

// measurePlanes plans everything that the table needs.
func measurePlanes(ctx context.Context, nodes, seeds int, size units.Bytes, log io.Writer) ([]planesRow, error) {
	var rows []planesRow
	p := exchange.New(exchange.Options{})
	for _, demand := range []string{"uniform", "random", "zipf:0.4", "zipf:1", "moe:2", "moe:4"} {
		drawn := seeds
		if demand == "uniform" {
			drawn = 1
		}
		for ports := 2; ports <= 4; ports++ {
			row := planesRow{demand: demand, ports: ports}
			for _, delay := range planesDelays {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Reconfig.Base = nodes, ports, delay
				product := 1.0
				for seed := range drawn {
					gain, err := planesGain(ctx, p, f, demand, size, uint64(seed+1))
					if err != nil {
						return nil, err
					}
					product *= gain
				}
				row.gains = append(row.gains, math.Pow(product, 1/float64(drawn)))
			}
			rows = append(rows, row)
			fmt.Fprintf(log, "%s, %d ports\n", demand, ports)
		}
	}
	return rows, nil
}

// planesGain returns the speed-up of the best plan if planes reconfigure independently.
func planesGain(ctx context.Context, p planner.Planner, f fabric.Fabric, demand string, size units.Bytes, seed uint64) (float64, error) {
	nodes := f.Nodes
	space := collective.SpaceOf(collective.AllToAll, nodes, 1)
	r := planner.Request{Size: size}
	if demand != "uniform" {
		sizes, err := collective.GenerateDemand(demand, nodes, size, seed)
		if err != nil {
			return 0, err
		}
		space.Sizes, r.Size = sizes, sizes.Size()
	}
	r.Collective = &collective.Collective{Op: collective.AllToAll, Algorithm: exchange.Name, Nodes: nodes, Space: space}
	var times [2]units.Time
	for i, kind := range []fabric.OverlapKind{fabric.OverlapNone, fabric.OverlapPlanes} {
		r.Fabric = f
		r.Fabric.Overlap.Kind = kind
		made, err := p.Plan(ctx, r)
		if err != nil {
			return 0, err
		}
		times[i] = made.Cost.Total()
	}
	r.Fabric = f
	other, err := ofAlgorithms(ctx, r)
	if err != nil {
		return 0, err
	}
	together := min(times[0], other)
	return float64(together / min(times[1], together)), nil
}

// ofAlgorithms returns the time of the fastest plan of planner harvest, with the algorithms that
// send everything directly: they may have all ports on the same matching, which exchange does not.
func ofAlgorithms(ctx context.Context, r planner.Request) (units.Time, error) {
	harvest := staged.Harvest(staged.HarvestOptions{})
	best := units.Time(math.Inf(1))
	for _, name := range []string{"direct", "shift", "bvn", "bvn-few"} {
		laid := collective.Sized{Size: r.Size}
		var err error
		if sizes := r.Collective.Space.Sizes; sizes != nil {
			laid, err = algorithms.NewExchange(ctx, name, sizes, r.Fabric.Ports)
		} else {
			laid.Collective, err = algorithms.New(collective.AllToAll, name, r.Fabric.Nodes, r.Fabric.Ports)
		}
		if err != nil {
			continue // an algorithm for demands that differ
		}
		made, err := harvest.Plan(ctx, planner.Request{Fabric: r.Fabric, Collective: laid.Collective, Size: laid.Size})
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			continue
		case err != nil:
			return 0, err
		}
		best = min(best, made.Cost.Total())
	}
	return best, nil
}

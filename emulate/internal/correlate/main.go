// Command correlate runs an allreduce with the plans of several planners, and compares the order
// of the emulated times with that of the simulated ones. It makes the table of docs/cluster.md.
//
//	go build -o lightpath ./cmd/lightpath
//	go run ./emulate/internal/correlate -program ./lightpath -nodes 64 -size 16MiB -slow 30000
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"slices"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate/launch"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

func main() {
	program := flag.String("program", "./lightpath", "the program that is started as ranks and switch")
	nodes := flag.Int("nodes", 64, "GPUs")
	ports := flag.Int("ports", 1, "ports of each")
	slow := flag.Float64("slow", 30000, "factor of all times")
	group := flag.Int("ranks-per-process", 0, "0: one each up to 64")
	size := 16 * units.MiB
	flag.TextVar(&size, "size", size, "of the buffer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	f := fabric.Default()
	f.Nodes, f.Ports = *nodes, *ports
	if err := run(ctx, f, size, lightpath.EmulateRequest{Slow: *slow, RanksPerProcess: *group, Patience: 30 * units.Second}, *program); err != nil {
		fmt.Fprintln(os.Stderr, "correlate:", err)
		os.Exit(1)
	}
}

// row is one plan with its expected and its measured time.
type row struct {
	name                           string
	predicted, simulated, emulated units.Time
}

// run emulates plans of an operation of the given size, by running a program as the request
// says.
func run(ctx context.Context, f fabric.Fabric, size units.Bytes, how lightpath.EmulateRequest, program string) error {
	var rows []row
	for _, algorithm := range []string{"ring", "two-way-ring", "recursive-doubling", "halving-doubling", "swing", "bine"} {
		for _, name := range []string{"static", "every-step", "harvest"} {
			p, err := lightpath.Plan(ctx, lightpath.PlanRequest{
				Fabric: f, Planner: name, Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: size, Algorithm: algorithm}},
			})
			var field *lightpath.FieldError
			if errors.Is(err, planner.ErrInfeasible) || errors.As(err, &field) {
				continue // the planner needs other ports or nodes
			}
			if err != nil {
				return err
			}
			how.Plan = p
			answer, err := lightpath.Emulate(ctx, how,
				lightpath.WithVerifiedPlans(), lightpath.WithLauncher(&launch.Processes{Path: program}))
			if err != nil {
				return err
			}
			if answer.Fault != nil {
				return &answer.Fault.Fault
			}
			r := row{algorithm + ", " + name, answer.PredictedNs, answer.SimulatedNs, answer.MeasuredNs}
			fmt.Printf("| %-30s | %9v | %9v | %9v |\n", r.name, r.predicted, r.simulated, r.emulated)
			rows = append(rows, r)
		}
	}
	fmt.Printf("rank correlation of %d plans: %.3f\n", len(rows), spearman(rows))
	return nil
}

// spearman is the rank correlation of simulated and emulated times; equal times share the
// mean of their ranks.
func spearman(rows []row) float64 {
	a := ranks(rows, func(r row) units.Time { return r.simulated })
	b := ranks(rows, func(r row) units.Time { return r.emulated })
	mean := float64(len(rows)-1) / 2
	var ab, aa, bb float64
	for i := range rows {
		ab += (a[i] - mean) * (b[i] - mean)
		aa += (a[i] - mean) * (a[i] - mean)
		bb += (b[i] - mean) * (b[i] - mean)
	}
	return ab / math.Sqrt(aa*bb)
}

func ranks(rows []row, of func(row) units.Time) []float64 {
	order := arithmetic.UpTo(len(rows))
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(of(rows[i]), of(rows[j])) })
	list := make([]float64, len(rows))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && of(rows[order[j]]) <= of(rows[order[i]])*(1+1e-9) {
			j++
		}
		for _, k := range order[i:j] {
			list[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return list
}

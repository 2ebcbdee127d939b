package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// simulateFace is the command line of simulate: it reads a plan or messages, and writes traces.
type simulateFace struct {
	face
	request            *lightpath.SimulateRequest
	traffic            string
	trace, csv, series string
	interval           *bind.Text
	files              *input.Plan
	lines              []int // line in the file of --traffic, by message
	written            []*files.Writer
}

func init() { own["simulate"] = (*session).simulateCommand }

func (s *session) simulateCommand(asked *lightpath.Command) *cobra.Command {
	f := &simulateFace{request: &lightpath.SimulateRequest{}, interval: bind.NewText("1us", "TIME")}
	f.face = face{asked: asked, request: f.request, doing: "simulating", own: append([]string{"iteration", "traffic", "routes", "rewire", "triggers"}, input.ScheduleFields...), Command: &cobra.Command{
		Use: "simulate PLAN.json | ITERATION.json",
		Long: `Replay a plan file (plan -o) or a HARVEST schedule, and say how and why its time
differs from the model's. Or send messages over the shortest paths of a
topology. Times are exact to the picosecond, and the same input gives the same
output.

The plan of an iteration (iterate -o) is carried out several times: every
communication as packets, computations as delays, ports reconfigured as planned.
With --jitter and --slow every rank has its own times. --trace writes the last
iteration for Perfetto (ui.perfetto.dev).

--fail shows what is lost if circuits, a port or a GPU fail at a given time, or
what an iteration cannot finish; --replan plans the iteration again without the
failed port and goes on. Exit 0: everything arrives. 1: something is lost, or
packets deadlock (--buffer). 2: bad input.`,
		Example: `  lightpath plan allreduce -o plan.json
  lightpath simulate plan.json --level packet --packet 4KiB
  lightpath simulate plan.json --fail link:3-4@10us --fail gpu:5@20us
  lightpath iterate --model llama3-8b --tp 4 --dp 2 -o iteration.json
  lightpath simulate iteration.json --slow gpu:5:1.3 --trace trace.json
  lightpath simulate iteration.json --fail port:5.1@100ms --replan
  lightpath simulate --topology 'BiRing(2,64)' --traffic flows.csv --delta 500ns`,
	}}
	f.bind()
	f.Flags().StringVar(&f.traffic, "traffic", "", "messages: `FILE`.csv with the columns src,dst,bytes,start_ns and optionally priority,route,rewire,dark_ns, or htsim's FILE.cm")
	guard.Output(f.Flags(), &f.trace, "trace", "write a Chrome trace to `FILE`.json")
	guard.Output(f.Flags(), &f.csv, "csv", "write statistics of every link to `FILE`.csv")
	guard.Output(f.Flags(), &f.series, "series", "write every link's utilisation and queue over time to `FILE`.csv")
	f.Flags().Var(f.interval, "interval", "sampling interval of --series and --trace")
	f.files = input.AddPlanOrSchedule(f.Command)
	f.read = func(args []string) error { return f.readInput(s, args) }
	f.options = f.traces
	f.keep = f.commit
	f.end = on(func(answer *lightpath.Simulation) error {
		if answer.Survives() {
			return nil
		}
		return s.no("simulate: " + report.FirstLoss(answer))
	})
	c := f.command(s)
	c.RunE = func(_ *cobra.Command, args []string) error {
		defer f.abort()
		err := f.run(s, args)
		if errors.Is(err, stepwise.ErrDeadlock) {
			return s.no(err.Error())
		}
		return f.atLine(err)
	}
	return c
}

// readInput reads a plan, or messages.
func (f *simulateFace) readInput(s *session, args []string) (err error) {
	raw := f.Flags().Changed("topology") || f.Flags().Changed("traffic")
	switch {
	case raw && len(args) > 0:
		return errors.New("simulate: a plan together with --topology or --traffic: want one or the other")
	case raw && (f.request.Topology == "" || f.traffic == ""):
		return errors.New("simulate: want both --topology and --traffic")
	}
	if raw {
		expr, err := topology.ParseExpr(f.request.Topology)
		if err != nil {
			return fmt.Errorf("--topology: %w", err)
		}
		return f.readTraffic(f.request, expr.Nodes())
	}
	if err := input.Wants(1, 1, "want one plan file", "plan.json")(f.Command, args); err != nil {
		return err
	}
	f.file = args[0]
	if f.request.Iteration, err = input.Iteration(args[0]); f.request.Iteration != nil || err != nil {
		if err == nil && (f.csv != "" || f.series != "") {
			err = errors.New("--csv and --series: only for a plan of one collective, or --traffic")
		}
		return input.By(f.Command, err)
	}
	f.request.Plan, err = f.files.Read(f.Command, args[0])
	return err
}

// traces returns options that write traces to files.
func (f *simulateFace) traces() (options []lightpath.Option, err error) {
	if err := f.checkInterval(); err != nil {
		return nil, err
	}
	if w, err := f.create("trace", f.trace); err != nil {
		return nil, err
	} else if w != nil {
		options = append(options, lightpath.WithTrace(w))
	}
	if w, err := f.create("csv", f.csv); err != nil {
		return nil, err
	} else if w != nil {
		options = append(options, lightpath.WithLinks(w))
	}
	w, err := f.create("series", f.series)
	if err != nil || w == nil && !f.Flags().Changed("interval") {
		return options, err
	}
	interval, err := units.ParsePositiveDuration(f.interval.String())
	if err != nil {
		return nil, fmt.Errorf("--interval: %w", err)
	}
	if w == nil {
		return append(options, lightpath.WithSeries(nil, interval)), nil
	}
	return append(options, lightpath.WithSeries(w, interval)), nil
}

// checkInterval refuses an interval that would give no samples.
func (f *simulateFace) checkInterval() error {
	sampled := f.Flags().Changed("interval")
	switch {
	case (sampled || f.Flags().Changed("series")) && f.request.Level == sim.FlowLevel:
		return errors.New("--series: only with --level packet")
	case sampled && f.series == "" && f.trace == "":
		return errors.New("--interval: only with --series or --trace")
	}
	return nil
}

// create begins a file if its flag was given; otherwise it returns nil.
func (f *simulateFace) create(flag, name string) (*files.Writer, error) {
	if !f.Flags().Changed(flag) {
		return nil, nil
	}
	w, err := files.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	f.written = append(f.written, w)
	return w, nil
}

// commit completes the files; abort removes incomplete ones.
func (f *simulateFace) commit(any) error {
	for _, w := range f.written {
		if err := w.Commit(); err != nil {
			return fmt.Errorf("simulate: %w", err)
		}
	}
	return nil
}

func (f *simulateFace) abort() {
	for _, w := range f.written {
		w.Abort()
	}
}

// readTraffic reads a file of messages between nodes.
func (f *simulateFace) readTraffic(r *lightpath.SimulateRequest, nodes int) error {
	file, err := files.Open(f.traffic)
	if err != nil {
		return fmt.Errorf("--traffic: %w", err)
	}
	defer file.Close()
	if strings.HasSuffix(f.traffic, ".cm") {
		m, err := sim.ReadMatrix(file)
		if err != nil {
			return fmt.Errorf("--traffic: %s: %w", f.traffic, err)
		}
		if m.Nodes != nodes {
			return fmt.Errorf("--traffic: %s is for %d nodes, the topology has %d", f.traffic, m.Nodes, nodes)
		}
		r.Traffic, r.Triggers = m.Flows, m.Triggers
		f.lines = m.Lines
		return f.checkTraffic(r)
	}
	s, err := sim.ReadScenario(file, nodes)
	if err != nil {
		return fmt.Errorf("--traffic: %s: %w", f.traffic, err)
	}
	r.Traffic, r.Rewire = s.Flows, s.Rewirings
	f.lines = s.Lines
	if s.Routes != nil {
		r.UseRoutes(s.Routes)
	}
	return f.checkTraffic(r)
}

// atLine adds the line in the file of --traffic to an error that names a message by its number.
func (f *simulateFace) atLine(err error) error {
	var bad *sim.FlowError
	if !errors.As(err, &bad) || bad.Flow >= len(f.lines) {
		return err
	}
	text, number := bad.Error(), fmt.Sprintf("flow %d", bad.Flow)
	text = strings.TrimPrefix(text, "sim: "+number+": ")
	return fmt.Errorf("--traffic: %s: line %d: %s", f.traffic, f.lines[bad.Flow], strings.Replace(text, number, "this message", 1))
}

// checkTraffic refuses a file without messages.
func (f *simulateFace) checkTraffic(r *lightpath.SimulateRequest) error {
	if len(r.Traffic) == 0 {
		return fmt.Errorf("--traffic: %s lists no message; want at least one", f.traffic)
	}
	return nil
}

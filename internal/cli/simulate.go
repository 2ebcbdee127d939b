package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/sim/stepwise"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// simulateFlags are the flags of the command.
type simulateFlags struct {
	level, topology, traffic, forwarding string
	pace, timing                         string
	trace, csv, series                   string
	interval                             *word
	packet, jitter, bandwidth, delta     *word
	spread                               string
	buffer                               *word
	fail                                 []string
	seed                                 uint64
	threads                              int
	orbit                                bool
	files                                *planFlags
	lines                                []int // of the file of --traffic, by message
}

// rawFlags are for --traffic only: a plan says these things itself.
var rawFlags = []string{"bandwidth", "delta", "forwarding", "spread", "buffer"}

func (s *session) simulateCommand() *cobra.Command {
	f := &simulateFlags{
		packet: &word{sim.DefaultPacket.String(), "SIZE"}, jitter: &word{"0ns", "TIME"},
		bandwidth: &word{"800Gbps", "RATE"}, delta: &word{"500ns", "TIME"},
		buffer: &word{"0B", "SIZE"}, interval: &word{"1us", "TIME"},
	}
	c := &cobra.Command{
		Use:   "simulate PLAN.json",
		Short: "Replay a plan, or any traffic, packet by packet or flow by flow",
		Long: `Replay a plan file (plan -o), or the plan of a HARVEST schedule, and say how and why its time differs from the
model's, or send messages over the shortest paths of a topology. Times are exact
to the picosecond, and the same input gives the same output.

--fail shows what is lost if circuits, a port or a GPU fail at a given time.
Exit 0: everything arrives. 1: something is lost, or packets deadlock
(--buffer). 2: bad input.`,
		Example: `  lightpath plan allreduce -o plan.json
  lightpath simulate plan.json --level packet --packet 4KiB
  lightpath simulate plan.json --fail link:3-4@10us --fail gpu:5@20us
  lightpath simulate --topology 'BiRing(2,64)' --traffic flows.csv --delta 500ns`,
	}
	f.add(c)
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := plot.check(c); err != nil {
			return err
		}
		answer, err := f.run(s, c, args)
		if errors.Is(err, stepwise.ErrDeadlock) {
			return s.no(err.Error())
		}
		if err != nil {
			return err
		}
		if err := s.printPlotted(answer, plot); err != nil {
			return err
		}
		if !answer.Survives() {
			return s.no("simulate: " + report.FirstLoss(answer))
		}
		return nil
	}
	return c
}

func (f *simulateFlags) add(c *cobra.Command) {
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.level, "level", string(sim.PacketLevel), "simulation `LEVEL`: packet | flow")
	c.Flags().Var(f.packet, "packet", "size of a packet")
	c.Flags().StringVar(&f.pace, "pace", string(replay.PaceMerging), "`WHICH` steps send at the plan's rates: merging (where routes merge) | on (all) | off (none)")
	c.Flags().StringVar(&f.timing, "timing", string(replay.Barrier), "`HOW` GPUs proceed from step to step: barrier (all together) | asynchronous (each as soon as it can; circuits change one by one)")
	c.Flags().StringArrayVar(&f.fail, "fail", nil, "inject a failure, `WHAT`: link:3-4@10us, link:3>4@10us, gpu:5@10us, port:7@10us (the last port of GPU 7) or port:7/0@10us; without a time from the start; may be repeated. What has left a link, or reached a GPU, by then is not lost")
	c.Flags().Var(f.jitter, "jitter", "delay each GPU's start by a random time up to this")
	c.Flags().Uint64Var(&f.seed, "seed", collective.DefaultSeed, "random seed `N` of --jitter and --spread")
	c.Flags().IntVar(&f.threads, "threads", 0, "use `N` threads; 0: as many as help")
	c.Flags().BoolVar(&f.orbit, "orbit", false, "simulate one transfer of each symmetric set")
	c.Flags().StringVar(&f.trace, "trace", "", "write a Chrome trace to `FILE`.json")
	c.Flags().StringVar(&f.csv, "csv", "", "write statistics of every link to `FILE`.csv")
	c.Flags().StringVar(&f.series, "series", "", "write every link's utilisation and queue over time to `FILE`.csv")
	c.Flags().Var(f.interval, "interval", "sampling interval of --series; --trace then has the same")
	c.Flags().StringVar(&f.topology, "topology", "", "circuits for --traffic, a topology expression `EXPR`")
	c.Flags().StringVar(&f.traffic, "traffic", "", "messages: `FILE`.csv with the columns src,dst,bytes,start_ns and optionally priority,route,rewire,dark_ns, or htsim's FILE.cm")
	c.Flags().StringVar(&f.spread, "spread", string(sim.SpreadNone), "`HOW` --traffic spreads over shortest paths: shortest (one path) | ecmp (one per message) | spray (one per packet)")
	c.Flags().Var(f.buffer, "buffer", "for --traffic: a node's buffer for packets to forward, per neighbour; 0B: no limit")
	c.Flags().Var(f.bandwidth, "bandwidth", "for --traffic: rate of a circuit")
	c.Flags().Var(f.delta, "delta", "for --traffic: propagation delay of a circuit")
	c.Flags().StringVar(&f.forwarding, "forwarding", string(fabric.StoreAndForward), "for --traffic: `HOW` nodes forward: cut-through | store-and-forward")
	f.files = addScheduleFlags(c)
	offer(c, "level", func() []string { return []string{string(sim.PacketLevel), string(sim.FlowLevel)} })
	offer(c, "pace", func() []string {
		return []string{string(replay.PaceMerging), string(replay.PaceOn), string(replay.PaceOff)}
	})
	offer(c, "timing", timings)
	offer(c, "spread", func() []string {
		return []string{string(sim.SpreadNone), string(sim.SpreadFlow), string(sim.SpreadSpray)}
	})
	offer(c, "forwarding", func() []string { return []string{string(fabric.CutThrough), string(fabric.StoreAndForward)} })
}

// timings are the values of --timing.
func timings() []string { return []string{string(replay.Barrier), string(replay.Asynchronous)} }

func (f *simulateFlags) run(s *session, c *cobra.Command, args []string) (*lightpath.Simulation, error) {
	raw, err := f.raw(c, args)
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	request, err := f.request(c)
	if err != nil {
		return nil, err
	}
	if raw {
		err = f.readRaw(&request)
	} else {
		request.Plan, err = f.files.read(s, c, args[0])
	}
	if err != nil {
		return nil, err
	}
	if err := s.asks(&request); err != nil {
		return nil, err
	}
	bar := s.progress("simulating")
	defer bar.end()
	options := bar.options()
	var written []*files.Writer
	for _, out := range []struct {
		flag, name string
		with       func(*files.Writer) lightpath.Option
	}{
		{"trace", f.trace, func(w *files.Writer) lightpath.Option { return lightpath.WithTrace(w) }},
		{"csv", f.csv, func(w *files.Writer) lightpath.Option { return lightpath.WithLinks(w) }},
	} {
		if !c.Flags().Changed(out.flag) {
			continue
		}
		w, err := files.Create(out.name)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", out.flag, err)
		}
		defer w.Abort()
		written = append(written, w)
		options = append(options, out.with(w))
	}
	more, err := f.seriesOption(c, &written)
	if err != nil {
		return nil, err
	}
	for _, w := range written {
		defer w.Abort()
	}
	options = append(options, more...)
	answer, err := lightpath.Simulate(c.Context(), request, options...)
	if err != nil {
		if len(args) > 0 {
			err = inFile(args[0], err)
		}
		return nil, f.atLine(blame(c, err))
	}
	for _, w := range written {
		if err := w.Commit(); err != nil {
			return nil, fmt.Errorf("simulate: %w", err)
		}
	}
	return answer, nil
}

// seriesOption has a series written, if that is asked for, and adds its file to those that are
// written.
func (f *simulateFlags) seriesOption(c *cobra.Command, written *[]*files.Writer) ([]lightpath.Option, error) {
	if !c.Flags().Changed("series") && !c.Flags().Changed("interval") {
		return nil, nil
	}
	interval, err := units.ParsePositiveDuration(f.interval.text)
	if err != nil {
		return nil, fmt.Errorf("--interval: %w", err)
	}
	if f.level != string(sim.PacketLevel) {
		return nil, errors.New("--series: only with --level packet")
	}
	if f.series == "" {
		if f.trace == "" {
			return nil, errors.New("--interval: only with --series or --trace")
		}
		return []lightpath.Option{lightpath.WithSeries(nil, interval)}, nil
	}
	w, err := files.Create(f.series)
	if err != nil {
		return nil, fmt.Errorf("--series: %w", err)
	}
	*written = append(*written, w)
	return []lightpath.Option{lightpath.WithSeries(w, interval)}, nil
}

// raw reports whether messages are to be simulated and not a plan.
func (f *simulateFlags) raw(c *cobra.Command, args []string) (bool, error) {
	raw := c.Flags().Changed("topology") || c.Flags().Changed("traffic")
	switch {
	case raw && len(args) > 0:
		return raw, errors.New("a plan together with --topology or --traffic: want one or the other")
	case raw && (f.topology == "" || f.traffic == ""):
		return raw, errors.New("want both --topology and --traffic")
	case !raw && len(args) != 1:
		return raw, fmt.Errorf("want one plan file, got %d arguments; e.g. lightpath simulate plan.json", len(args))
	case !raw && args[0] == "":
		return raw, errors.New("the file name is empty")
	case f.trace != "" && f.trace == f.csv:
		return raw, errors.New("--trace and --csv: want two files")
	case f.series != "" && (f.series == f.trace || f.series == f.csv):
		return raw, errors.New("--series, --trace and --csv: want different files")
	}
	for _, name := range rawFlags {
		if !raw && c.Flags().Changed(name) {
			return raw, fmt.Errorf("--%s: only with --traffic; a plan brings its own", name)
		}
	}
	return raw, nil
}

// request reads what all simulations need.
func (f *simulateFlags) request(c *cobra.Command) (r lightpath.SimulateRequest, err error) {
	r.Orbit, r.Threads, r.Seed = f.orbit, f.threads, seedOf(c, f.seed)
	if c.Flags().Changed("pace") {
		r.Pace = replay.Pace(f.pace)
	}
	if c.Flags().Changed("timing") {
		r.Timing = replay.Timing(f.timing)
	}
	if r.Level, err = sim.ParseLevel(f.level); err != nil {
		return r, fmt.Errorf("--level: %w", err)
	}
	if r.Packet, err = units.ParsePositiveBytes(f.packet.text); err != nil {
		return r, fmt.Errorf("--packet: %w", err)
	}
	if r.Jitter, err = units.ParseDuration(f.jitter.text); err != nil {
		return r, fmt.Errorf("--jitter: %w", err)
	}
	for _, text := range f.fail {
		failure, err := replay.ParseFailure(text)
		if err != nil {
			return r, fmt.Errorf("--fail: %w", err)
		}
		r.Fail = append(r.Fail, failure)
	}
	return r, nil
}

// readRaw reads what --traffic needs.
func (f *simulateFlags) readRaw(r *lightpath.SimulateRequest) (err error) {
	if r.Bandwidth, err = units.ParsePositiveBandwidth(f.bandwidth.text); err != nil {
		return fmt.Errorf("--bandwidth: %w", err)
	}
	delta, err := units.ParseDuration(f.delta.text)
	if err != nil {
		return fmt.Errorf("--delta: %w", err)
	}
	r.Delta, r.Forwarding = &delta, fabric.Forwarding(f.forwarding)
	if r.Topology, err = expression(f.topology); err != nil {
		return fmt.Errorf("--topology: %w", err)
	}
	expr, err := topology.ParseExpr(r.Topology)
	if err != nil {
		return fmt.Errorf("--topology: %w", err)
	}
	if r.Buffer, err = units.ParseBytes(f.buffer.text); err != nil {
		return fmt.Errorf("--buffer: %w", err)
	}
	r.Spread = sim.Spread(f.spread)
	return f.readTraffic(r, expr.Nodes())
}

// readTraffic reads a file of messages between nodes.
func (f *simulateFlags) readTraffic(r *lightpath.SimulateRequest, nodes int) error {
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

// atLine says of which line of the file of --traffic an error is that names a message by its
// number.
func (f *simulateFlags) atLine(err error) error {
	var bad *sim.FlowError
	if !errors.As(err, &bad) || bad.Flow >= len(f.lines) {
		return err
	}
	text, number := bad.Error(), fmt.Sprintf("flow %d", bad.Flow)
	text = strings.TrimPrefix(text, "sim: "+number+": ")
	return fmt.Errorf("--traffic: %s: line %d: %s", f.traffic, f.lines[bad.Flow], strings.Replace(text, number, "this message", 1))
}

// checkTraffic refuses a file without messages.
func (f *simulateFlags) checkTraffic(r *lightpath.SimulateRequest) error {
	if len(r.Traffic) == 0 {
		return fmt.Errorf("--traffic: %s lists no message; want at least one", f.traffic)
	}
	return nil
}

package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// simulateFlags are the flags of the command.
type simulateFlags struct {
	level, topology, traffic, forwarding string
	trace, csv                           string
	packet, jitter, bandwidth, delta     *word
	fail                                 []string
	seed                                 uint64
	threads                              int
	orbit                                bool
}

// rawFlags are for --traffic only: a plan says these things itself.
var rawFlags = []string{"bandwidth", "delta", "forwarding"}

func (s *session) simulateCommand() *cobra.Command {
	f := &simulateFlags{
		packet: &word{sim.DefaultPacket.String(), "SIZE"}, jitter: &word{"0ns", "TIME"},
		bandwidth: &word{"800Gbps", "RATE"}, delta: &word{"500ns", "TIME"},
	}
	c := &cobra.Command{
		Use:   "simulate PLAN.json",
		Short: "Replay a plan, or any traffic, packet by packet or flow by flow",
		Long: `Replay a plan that plan -o wrote and say how and why it differs from what the
plan says, or send messages over the shortest paths of a topology. Time is exact
to the picosecond, and the same input gives the same output.

With --fail, tell what is lost if circuits or a GPU stop working at some time.
Exit 0: everything arrives. 1: something is lost. 2: bad input.`,
		Example: `  lightpath plan allreduce -o plan.json
  lightpath simulate plan.json --level packet --packet 4KiB
  lightpath simulate plan.json --fail link:3-4@10us --fail gpu:5@20us
  lightpath simulate --topology 'BiRing(2,64)' --traffic flows.csv --delta 500ns`,
	}
	f.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		answer, err := f.run(s, c, args)
		if err != nil {
			return fmt.Errorf("simulate: %w", flagged(err))
		}
		if err := s.print(answer, func(w io.Writer) { report.Simulation(w, answer) }); err != nil {
			return err
		}
		if !answer.Survives() {
			fmt.Fprintf(s.err, "lightpath: simulate: %s\n", report.FirstLoss(answer))
			return errNo
		}
		return nil
	}
	return c
}

func (f *simulateFlags) add(c *cobra.Command) {
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.level, "level", string(sim.PacketLevel), "packet | flow `LEVEL`")
	c.Flags().Var(f.packet, "packet", "size of a packet")
	c.Flags().StringArrayVar(&f.fail, "fail", nil, "`WHAT` fails: link:3-4@10us, link:3->4@10us or gpu:5@10us; may be repeated")
	c.Flags().Var(f.jitter, "jitter", "every GPU starts late by up to this, at random")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of the jitter, a number `N`")
	c.Flags().IntVar(&f.threads, "threads", 0, "use `N` threads; 0: as many as pay")
	c.Flags().BoolVar(&f.orbit, "orbit", false, "simulate one of each set of symmetric transfers")
	c.Flags().StringVar(&f.trace, "trace", "", "write a Chrome trace to `FILE`.json")
	c.Flags().StringVar(&f.csv, "csv", "", "write what every link did to `FILE`.csv")
	c.Flags().StringVar(&f.topology, "topology", "", "circuits for --traffic, an `EXPR`ession")
	c.Flags().StringVar(&f.traffic, "traffic", "", "messages: `FILE`.csv with the heading src,dst,bytes,start_ns")
	c.Flags().Var(f.bandwidth, "bandwidth", "of a circuit, for --traffic")
	c.Flags().Var(f.delta, "delta", "propagation over a circuit, for --traffic")
	c.Flags().StringVar(&f.forwarding, "forwarding", "store-and-forward", "cut-through | store-and-forward, for --traffic `HOW`")
}

// flagged makes "delta: .." of an error "--delta: ..", since that is where it can be put
// right.
func flagged(err error) error {
	for _, name := range []string{"topology", "traffic", "delta", "fail"} {
		if strings.HasPrefix(err.Error(), name+": ") {
			return fmt.Errorf("--%w", err)
		}
	}
	return err
}

func (f *simulateFlags) run(s *session, c *cobra.Command, args []string) (answer *lightpath.Simulation, err error) {
	raw, err := f.raw(c, args)
	if err != nil {
		return nil, err
	}
	request, err := f.request()
	if err != nil {
		return nil, err
	}
	traffic := lightpath.TrafficRequest{Topology: f.topology, Level: request.Level, Options: request.Options, Failures: request.Failures}
	if raw {
		if err := f.readRaw(&traffic); err != nil {
			return nil, err
		}
	}
	var trace, links *outputFile
	defer func() { err = errors.Join(err, trace.end(err), links.end(err)) }()
	if c.Flags().Changed("trace") {
		if trace, err = createOutput("trace", f.trace); err != nil {
			return nil, err
		}
	}
	if c.Flags().Changed("csv") {
		if links, err = createOutput("csv", f.csv); err != nil {
			return nil, err
		}
	}
	bar := s.progress("simulating")
	defer bar.end()
	if raw {
		traffic.Trace, traffic.Links, traffic.Progress = trace.writer(), links.writer(), bar.report
		return lightpath.SimulateTraffic(c.Context(), traffic)
	}
	request.Trace, request.Links, request.Progress = trace.writer(), links.writer(), bar.report
	return lightpath.SimulateFile(c.Context(), args[0], request)
}

// raw reports whether messages are to be simulated and not a plan.
func (f *simulateFlags) raw(c *cobra.Command, args []string) (bool, error) {
	raw := c.Flags().Changed("topology") || c.Flags().Changed("traffic")
	switch {
	case raw && len(args) > 0:
		return raw, errors.New("a plan and --topology or --traffic: want one of them")
	case raw && (f.topology == "" || f.traffic == ""):
		return raw, errors.New("want both --topology and --traffic")
	case !raw && len(args) != 1:
		return raw, fmt.Errorf("want one plan file, got %d arguments; e.g. lightpath simulate plan.json", len(args))
	case !raw && args[0] == "":
		return raw, errors.New("the file name is empty")
	case f.trace != "" && f.trace == f.csv:
		return raw, errors.New("--trace and --csv: want two files")
	}
	for _, name := range rawFlags {
		if !raw && c.Flags().Changed(name) {
			return raw, fmt.Errorf("--%s: only with --traffic; a plan has its own", name)
		}
	}
	return raw, nil
}

// request reads what all simulations need.
func (f *simulateFlags) request() (lightpath.SimulateRequest, error) {
	r := lightpath.SimulateRequest{Options: sim.Options{Orbit: f.orbit, Threads: f.threads, Skew: sim.Skew{Seed: f.seed}}}
	var err error
	if r.Level, err = sim.ParseLevel(f.level); err != nil {
		return r, fmt.Errorf("--level: %w", err)
	}
	if r.Options.Packet, err = positiveBytes(f.packet.text); err != nil {
		return r, fmt.Errorf("--packet: %w", err)
	}
	if r.Options.Skew.Node, err = units.ParseDuration(f.jitter.text); err != nil {
		return r, fmt.Errorf("--jitter: %w", err)
	}
	switch {
	case f.threads < 0:
		return r, fmt.Errorf("--threads: %d; want 1 or more, or 0 for as many as pay", f.threads)
	case f.orbit && r.Options.Skew.Node > 0:
		return r, errors.New("--orbit: not with --jitter, which makes all GPUs different")
	}
	for _, text := range f.fail {
		failure, err := replay.ParseFailure(text)
		if err != nil {
			return r, fmt.Errorf("--fail: %w", err)
		}
		r.Failures = append(r.Failures, failure)
	}
	return r, nil
}

// readRaw reads what --traffic needs.
func (f *simulateFlags) readRaw(r *lightpath.TrafficRequest) error {
	var err error
	if r.Bandwidth, err = units.ParseBandwidth(f.bandwidth.text); err != nil || r.Bandwidth == 0 {
		if err == nil {
			err = errors.New("must be above 0")
		}
		return fmt.Errorf("--bandwidth: %w", err)
	}
	if r.Delta, err = units.ParseDuration(f.delta.text); err != nil {
		return fmt.Errorf("--delta: %w", err)
	}
	if r.Options.Forwarding, err = lightpath.ParseForwarding(f.forwarding); err != nil {
		return fmt.Errorf("--forwarding: %w", err)
	}
	r.Flows, err = lightpath.ReadTrafficFile(f.traffic, f.topology)
	return err
}

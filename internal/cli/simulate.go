package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// simulateFlags are the flags of the command.
type simulateFlags struct {
	level, topology, traffic, forwarding, trace string
	packet, jitter, bandwidth, delta            *word
	seed                                        uint64
	orbit                                       bool
}

func (s *session) simulateCommand() *cobra.Command {
	f := &simulateFlags{
		packet: &word{sim.DefaultPacket.String(), "SIZE"}, jitter: &word{"0ns", "TIME"},
		bandwidth: &word{"800Gbps", "RATE"}, delta: &word{"500ns", "TIME"},
	}
	c := &cobra.Command{
		Use:   "simulate PLAN.json",
		Short: "Replay a plan, or any traffic, packet by packet or flow by flow",
		Long: `Replay a plan that plan -o wrote and compare it with what the plan says, or send
messages over the shortest paths of a topology. Time is exact to the picosecond,
and the same input gives the same output.`,
		Example: `  lightpath plan allreduce -o plan.json
  lightpath simulate plan.json --level packet --packet 4KiB
  lightpath simulate --topology 'BiRing(2,64)' --traffic flows.csv --delta 500ns`,
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.level, "level", string(sim.PacketLevel), "packet | flow `LEVEL`")
	c.Flags().Var(f.packet, "packet", "size of a packet")
	c.Flags().Var(f.jitter, "jitter", "every GPU starts late by up to this, at random")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of the jitter")
	c.Flags().BoolVar(&f.orbit, "orbit", false, "simulate one of each set of symmetric transfers")
	c.Flags().StringVar(&f.trace, "trace", "", "write a Chrome trace to `FILE`.json")
	c.Flags().StringVar(&f.topology, "topology", "", "circuits for --traffic, an `EXPR`ession")
	c.Flags().StringVar(&f.traffic, "traffic", "", "messages: `FILE`.csv with the heading src,dst,bytes,start_ns")
	c.Flags().Var(f.bandwidth, "bandwidth", "of a circuit, for --traffic")
	c.Flags().Var(f.delta, "delta", "propagation over a circuit, for --traffic")
	c.Flags().StringVar(&f.forwarding, "forwarding", "store-and-forward", "cut-through | store-and-forward, for --traffic `HOW`")
	c.RunE = func(c *cobra.Command, args []string) error {
		answer, err := f.run(s, c, args)
		if err != nil {
			return fmt.Errorf("simulate: %w", err)
		}
		return s.print(answer, func(w io.Writer) { report.Simulation(w, answer) })
	}
	return c
}

func (f *simulateFlags) run(s *session, c *cobra.Command, args []string) (*lightpath.Simulation, error) {
	raw := c.Flags().Changed("topology") || c.Flags().Changed("traffic")
	switch {
	case raw && len(args) > 0:
		return nil, fmt.Errorf("a plan and --topology or --traffic: want one of them")
	case raw && (f.topology == "" || f.traffic == ""):
		return nil, fmt.Errorf("want both --topology and --traffic")
	case !raw && len(args) != 1:
		return nil, fmt.Errorf("want one plan file, got %d arguments; e.g. lightpath simulate plan.json", len(args))
	}
	level, err := sim.ParseLevel(f.level)
	if err != nil {
		return nil, fmt.Errorf("--level: %w", err)
	}
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	bar := s.progress("simulating")
	options.Progress = func(p sim.Progress) { bar.report(int(p.Done), int(p.Total)) }
	defer bar.end()
	var trace io.Writer
	if f.trace != "" {
		if err := checkOutput(f.trace); err != nil {
			return nil, fmt.Errorf("--trace: %w", err)
		}
		file, err := os.Create(f.trace)
		if err != nil {
			return nil, fmt.Errorf("--trace: %w", err)
		}
		defer file.Close()
		trace = file
	}
	if !raw {
		return lightpath.SimulateFile(c.Context(), args[0], lightpath.SimulateRequest{Level: level, Options: options, Trace: trace})
	}
	request := lightpath.TrafficRequest{Topology: f.topology, Level: level, Options: options, Trace: trace}
	if err := f.readRaw(&request); err != nil {
		return nil, err
	}
	return lightpath.SimulateTraffic(c.Context(), request)
}

func (f *simulateFlags) options() (sim.Options, error) {
	o := sim.Options{Orbit: f.orbit}
	var err error
	if o.Packet, err = positiveBytes(f.packet.text); err != nil {
		return o, fmt.Errorf("--packet: %w", err)
	}
	if o.Skew.Node, err = units.ParseDuration(f.jitter.text); err != nil {
		return o, fmt.Errorf("--jitter: %w", err)
	}
	o.Skew.Seed = f.seed
	return o, nil
}

// readRaw reads what --traffic needs.
func (f *simulateFlags) readRaw(r *lightpath.TrafficRequest) error {
	var err error
	if r.Bandwidth, err = units.ParseBandwidth(f.bandwidth.text); err != nil || r.Bandwidth == 0 {
		if err == nil {
			err = fmt.Errorf("must be above 0")
		}
		return fmt.Errorf("--bandwidth: %w", err)
	}
	if r.Delta, err = units.ParseDuration(f.delta.text); err != nil {
		return fmt.Errorf("--delta: %w", err)
	}
	if r.Options.Forwarding, err = lightpath.ParseForwarding(f.forwarding); err != nil {
		return fmt.Errorf("--forwarding: %w", err)
	}
	if r.Flows, err = lightpath.ReadTrafficFile(f.traffic, f.topology); err != nil {
		return fmt.Errorf("--traffic: %w", err)
	}
	return nil
}

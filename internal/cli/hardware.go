package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/files"
)

func init() {
	own["wire"] = (*session).wireCommand
	own["availability"] = (*session).availabilityCommand
}

func (s *session) wireCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.WireRequest{}
	f := &face{asked: asked, request: r, doing: "comparing layouts", partly: true, own: []string{"radix", "spares", "for"}, Command: &cobra.Command{
		Use: "wire",
		Long: `Find which ports to plug into which optical switches. A circuit joins two ports
of one switch, so small switches rule some circuits out. wire compares rails
(port p of every GPU on switch p, if a switch has a port for every GPU), rails
of islands (one switch for the GPUs at the same position in each island), and
grids (one switch per port and line of GPUs, with the last positions left empty
if the GPUs do not fill a grid) by how much slower the operations are than on
one ideal switch with all ports. -o writes the best layout as a list
gpu,port,switch, which --switches @FILE.csv reads. --spares K leaves K ports of
every switch free.

The best layout comes with its bill: switches, transceivers, fibres and network
cards, what they cost and draw, and how many switches in a row the optical power
budget allows. --technology chooses the switches of the bill, and --parts takes
your own prices.

With more than 32 GPUs, a layout that cannot be the best has a bound on its loss
(>= 40%) instead of plans.

Without --for, the operations are allreduce/64MiB and alltoall/64MiB.`,
		Example: `  lightpath wire --nodes 64 --ports 4 --radix 16
  lightpath wire --nodes 16 --ports 2 --radix 8 --for allreduce/4MiB -o plug.csv
  lightpath wire --nodes 64 --technology polatis --parts prices.yaml
  lightpath wire --ports 2 --radix 16 --for allreduce/4MiB alltoall/1MiB`,
		Args: cobra.ArbitraryArgs,
	}}
	var operations []string
	var output string
	f.Flags().StringSliceVar(&operations, "for", nil, "operations `OP/SIZE` .. to compare by, with equal weight")
	f.bind()
	guard.Output(f.Flags(), &output, "output", "write the best layout to `FILE`.csv: gpu,port,switch")
	f.read = func(args []string) error {
		if len(args) > 0 && len(operations) == 0 {
			return fmt.Errorf("%q: operations come after --for", args[0])
		}
		operations = append(operations, args...)
		for _, text := range operations {
			o, err := collective.ParseOperation(text)
			if err != nil {
				return fmt.Errorf("--for: %w", err)
			}
			r.For = append(r.For, o)
		}
		if output == "" {
			return nil
		}
		if ext := filepath.Ext(output); !strings.EqualFold(ext, ".csv") {
			return fmt.Errorf("-o: %s: the list is CSV; name it .csv", output)
		}
		if err := files.Check(output); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		return nil
	}
	f.keep = on(func(answer *lightpath.LayoutTable) error {
		if output == "" || answer.Best == "" {
			return nil
		}
		if err := files.Write(output, answer.WriteCSV); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		return nil
	})
	return f.command(s)
}

func (s *session) availabilityCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.AvailabilityRequest{}
	f := &face{asked: asked, request: r, doing: "planning around failures", own: []string{"for"}, Command: &cobra.Command{
		Use: "availability [OP/SIZE ..]",
		Long: `Find how long a fabric works at full speed, at reduced speed and not at all,
while its parts fail and are repaired: transceivers, fibres, ports of switches,
whole switches, network cards, switches of islands and, with --gpu-failures,
GPUs. The speed with something missing is that of a plan around it. The table
compares runs with and without spares (--spares, --spare-switches), and with and
without plans around failures; without them, the job stops until the repair. How
often parts fail is uncertain: --parts FILE.yaml takes your own figures.

Without --switches, ports are plugged into as few switches as design does. With
--technology and no --reconfig, the switches say how long they take. Operations
are planned one by one, and their times added up (default: allreduce/64MiB).

Likely states are planned first, at most --plans of them; equivalent states are
planned once. Another state counts as known if states with more and with less
missing are equally fast. Small fabrics are enumerated; on large ones, states
with several failures are drawn with --seed.`,
		Example: `  lightpath availability --nodes 64 --ports 4 --technology polatis
  lightpath availability allreduce/100MB --nodes 64 --ports 2 --spares 4
  lightpath availability --nodes 65 --spares gpus:1 --gpu-failures`,
		Args: cobra.ArbitraryArgs,
	}}
	f.bind()
	f.read = func(args []string) error {
		for _, text := range args {
			o, err := collective.ParseOperation(text)
			if err != nil {
				return fmt.Errorf("%w", err)
			}
			r.For = append(r.For, o)
		}
		return nil
	}
	return f.command(s)
}

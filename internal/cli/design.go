package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/garbage"
)

// mostGarbage is large, because a design makes many plans and keeps none: collecting less often
// saves a tenth of its time.
const mostGarbage = 3 << 29

func init() { own["design"] = (*session).designCommand }

func (s *session) designCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.DesignRequest{}
	f := &face{asked: asked, request: r, doing: "planning choices", paged: true, own: []string{"mix", "technology", "packet", "ports", "island"}, Command: &cobra.Command{
		Use: "design --mix OP/SIZE:TIMES,.. | --workload FILE.json",
		Long: `Find which fabric to buy for a load: a mix of operations, or an iteration of a
workload. --ports, --island and --technology are lists to choose from. Every
combination is cabled, priced and planned, and so are packet fabrics with as
many ports. The answer is the fastest within --budget-cost and --budget-power,
and the one with the least time multiplied by cost. The first table marks the
choices that no other beats in time, cost and power. Other tables show the most
that a port of each technology is worth, the delay up to which reconfiguring
pays, and the inputs that would change the answer.

The operations of a mix are planned one by one, and their times added up. Packet
fabrics are planned as circuits without a reconfiguration delay. The bill
includes the switches of islands. Prices are uncertain: --parts FILE.yaml takes
your own.
Exit 0: there is a choice to buy. 1: no choice works and is within the budget.`,
		Example: `  lightpath design --mix allreduce/100MB:1,alltoall/8MB:4 --nodes 64 \
      --ports 1,2,4 --technology polatis,rotornet
  lightpath design --workload w.json --ports 1,2 --budget-cost 500000`,
		Args: cobra.NoArgs,
	}}
	var mix, technologies, packet []string
	f.Flags().StringSliceVar(&mix, "mix", nil, "the load: operations with how often each occurs, `OP/SIZE:TIMES`,..")
	f.Flags().StringSliceVar(&technologies, "technology", nil, "technologies of optical switches, `NAME`,.. (default: all that are known)")
	f.Flags().StringSliceVar(&packet, "packet", nil, "packet fabrics to compare with, `KIND`,..: fat-tree, rail-optimised, rail-only (default: the first two)")
	f.bind()
	f.read = func([]string) (err error) {
		garbage.Most(mostGarbage)
		r.Mix, r.Technology, r.Packet = mix, technologies, packet
		if r.Ports, err = f.list("ports"); err != nil {
			return err
		}
		r.Island, err = f.list("island")
		return err
	}
	f.end = on(func(answer *lightpath.Design) error {
		if len(answer.Frontier) == 0 {
			f.plot.name = "" // there is nothing to draw
		}
		if answer.Best < 0 {
			return s.no(answer.Answer)
		}
		return nil
	})
	return f.command(s)
}

// list reads a flag of the fabric as a list of numbers, and sets the flag to the largest.
func (f *face) list(name string) ([]int, error) {
	flag := f.Flags().Lookup(name)
	if !flag.Changed {
		return nil, nil
	}
	var all []int
	for _, text := range strings.Split(flag.Value.String(), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("--%s: %.40q is not a number; want a list such as 1,2,4", name, text)
		}
		all = append(all, n)
	}
	return all, flag.Value.Set(strconv.Itoa(slices.Max(all)))
}

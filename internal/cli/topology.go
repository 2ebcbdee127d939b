package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/topology"
)

func init() { own["topology"] = (*session).topologyCommand }

func (s *session) topologyCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.TopologyRequest{}
	f := &face{asked: asked, request: r, doing: "measuring", own: []string{"topology"}, Command: &cobra.Command{
		Use: "topology EXPR",
		Long: `Build the topology of an expression and measure it.
` + input.ExpressionHelp,
		Example: `  lightpath topology 'Torus(4,4,4)'
  lightpath topology 'GenKautz(4,64)' --json
  lightpath topology @mine.csv
  lightpath topology 'Kautz(2,3)' --wiring kautz.dot`,
		Args: input.Wants(1, 1, "want one expression", "'Torus(4,4)'"),
	}}
	f.bind()
	out := addWiringFlag(f.Command, "the topology")
	f.read = func(args []string) (err error) {
		if err := out.check(); err != nil {
			return err
		}
		if r.Topology, err = input.Expression(args[0]); err != nil {
			return fmt.Errorf("topology: %w", err)
		}
		return nil
	}
	f.keep = on(func(*topology.Metrics) error { return out.write(r.Topology) })
	return f.command(s)
}

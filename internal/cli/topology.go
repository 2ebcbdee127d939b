package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
)

func (s *session) topologyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "topology EXPR",
		Short: "Measure a topology",
		Long: `Build the topology that an expression describes and measure it.

  families  Ring(m) UniRing(d,m) BiRing(d,m) Torus(a,b,..) TwistedTorus(a,b)
            Q(n) TwistedQ(3) K(m) K(a,a) H(n,q) Kautz(d,n) GenKautz(d,m)
            DeBruijn(d,n) DBJMod(d,n) Diamond DBT(m) DistReg(NAME)
            C(n;a,b,..) (two-way circulant) DC(n;a,..) (directed circulant)
  made of   Line(G,k) Degree(G,k) Power(G,k) Product(G,H,..) Transpose(G)
            Bidirect(G)`,
		Example: "  lightpath topology 'Torus(4,4,4)'\n  lightpath topology 'GenKautz(4,64)' --json",
	}
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := plot.check(c); err != nil {
			return err
		}
		if len(args) != 1 {
			return fmt.Errorf("topology: want one expression, got %d arguments; e.g. lightpath topology 'Torus(4,4)'", len(args))
		}
		request := lightpath.TopologyRequest{Topology: args[0]}
		if err := s.asks(&request); err != nil {
			return err
		}
		metrics, err := lightpath.Topology(c.Context(), request)
		if err != nil {
			return blame(c, err)
		}
		return s.printPlotted(metrics, plot)
	}
	return c
}

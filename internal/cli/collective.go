package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/cli/input"
)

func init() { own["collective"] = (*session).collectiveCommand }

func (s *session) collectiveCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.CollectiveRequest{}
	f := &face{asked: asked, request: r, doing: "laying out", own: []string{"op"}, Command: &cobra.Command{
		Use: "collective OP",
		Long: `Show the steps of a collective algorithm: who sends to whom, and what fraction
of the data. It chooses no circuits; plan does that.

An algorithm may take options after a colon, such as swing:8x8, swing:peers=1
or bruck:r=4.`,
		Example: `  lightpath collective allreduce --algorithm swing --nodes 16
  lightpath collective --list`,
		ValidArgsFunction: input.OfferOperations,
	}}
	f.bind()
	f.read = func(args []string) error {
		if err := input.Single(f.Command, args); err != nil {
			return err
		}
		r.Op = collective.Op(args[0])
		return nil
	}
	return f.listing(s, "list the algorithms and what each can do", func() (any, error) {
		return &lightpath.AlgorithmList{Algorithms: lightpath.List().Algorithms}, nil
	})
}

// listing is the face as a command that prints a list instead of asking if --list is given.
func (f *face) listing(s *session, about string, list func() (any, error)) *cobra.Command {
	listed := f.Flags().Bool("list", false, about)
	c := f.command(s)
	ask := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case !*listed:
			return ask(c, args)
		case len(args) > 0:
			return fmt.Errorf("%s --list: takes no argument", c.Name())
		case c.Flags().Changed("plot"):
			return fmt.Errorf("--plot: not with --list, which has no picture")
		}
		answer, err := list()
		if err != nil {
			return err
		}
		return s.print(answer)
	}
	return c
}

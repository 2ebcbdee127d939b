package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// planFace is the command line of plan, which also prints frontiers and uses tuning tables.
type planFace struct {
	face
	request       *lightpath.PlanRequest
	output, tuned string
	frontier      bool
	row           *lightpath.TuneRow // of the tuning table used
}

func init() {
	own["plan"] = (*session).planCommand
	own["frontier"] = nil // plan --frontier
}

func (s *session) planCommand(asked *lightpath.Command) *cobra.Command {
	request := asked.New().(*lightpath.PlanRequest) //nolint:forcetypeassert // what plan is asked
	f := &planFace{request: request}
	f.face = face{asked: asked, request: f.request, doing: "planning", own: []string{"operations"}, Command: &cobra.Command{
		Use:        "plan OP..",
		SuggestFor: []string{"frontier"},
		Long: `Plan a collective operation (allreduce, allgather, reducescatter, alltoall,
broadcast, reduce, gather, scatter): which circuits are up in which steps, when
to reconfigure them, how long it all takes, and how far that is from a proven
lower bound. Several operations are planned as one sequence. Every plan is
verified.

` + input.OperationHelp + `
` + input.SizeHelp,
		Example: `  lightpath plan allreduce
  lightpath plan alltoall --size 16KiB --algorithm shift --reconfig 1us
  lightpath plan allreduce/64MiB alltoall/1MiB --ports 2
  lightpath plan alltoall --nodes 16 --demand zipf:0.4 --seed 7
  lightpath plan --pattern mine.json
  lightpath plan allreduce --preset polatis --size 1GiB -o plan.json.gz
  lightpath plan allreduce --planner light-bends --charge steps --initial base
  lightpath plan allreduce --frontier
  lightpath plan --list`,
		ValidArgsFunction: input.OfferOperations,
	}}
	work := input.AddOperations(f.Command)
	f.bind()
	guard.Output(f.Flags(), &f.output, "output", "write the whole plan to `FILE`.json or .json.gz")
	f.Flags().StringVar(&f.tuned, "tuned", "", "take algorithm and planner from `FILE`.json, written by tune; a plan that is only printed then skips the baselines")
	f.Flags().BoolVar(&f.frontier, "frontier", false, "show the best plan for every reconfiguration delay, of all planners or of --planner")
	f.Flags().BoolVar(&s.verbose, "verbose", false, "print what the time and the bound consist of, and every stage")
	f.read = func(args []string) (err error) {
		f.request.Operations, err = work.ReadOrPattern(f.Command, args, math.MaxInt, f.request.Pattern, f.machine)
		return err
	}
	f.options = func() ([]lightpath.Option, error) {
		if f.Flags().Changed("output") {
			if err := files.Check(f.output); err != nil {
				return nil, fmt.Errorf("-o: %w", err)
			}
		}
		return nil, f.tuning(s)
	}
	f.keep = on(func(made *plan.Plan) error { return f.write(s, made) })
	f.end = on(func(made *plan.Plan) error {
		if f.output != "" && s.text() {
			fmt.Fprintf(s.out, "\nwritten to %s\n", f.output)
		}
		if f.row != nil && s.text() {
			fmt.Fprintf(s.out, "\n%s", tunedNote(f.tuned, f.row, made))
		}
		return nil
	})
	c := f.listing(s, "list algorithms, planners and presets", func() (any, error) {
		return lightpath.List(lightpath.WithRegistry(lightpath.Planners(s.planners...))), nil
	})
	one := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.frontier {
			return f.showFrontier(s, args)
		}
		return one(c, args)
	}
	return c
}

// tuning takes the choice from a table, if there is one. A plan that is written to a file has
// its baselines, and so is planned without the table's short cut.
func (f *planFace) tuning(s *session) error {
	if f.tuned == "" {
		return nil
	}
	table, err := useTuning(f.Command, f.tuned, f.request)
	if err != nil {
		return fmt.Errorf("--tuned: %w", err)
	}
	if s.text() && f.output == "" {
		f.asked.Ask = func(ctx context.Context, _ lightpath.Request, options ...lightpath.Option) (answer any, err error) {
			answer, f.row, err = table.Plan(ctx, *f.request, options...)
			return answer, err
		}
	}
	return nil
}

// showFrontier prints the best plans for every reconfiguration delay.
func (f *planFace) showFrontier(s *session, args []string) error {
	if err := f.fill(args); err != nil {
		return err
	}
	if err := f.tuning(s); err != nil {
		return err
	}
	given := input.Binder.Given(f.Command, f.request, "fabric", "planner")
	if f.output != "" {
		given = append(given, "output")
	}
	if len(given) > 0 {
		return fmt.Errorf("--%s: not with --frontier, which covers every delay", given[0])
	}
	if err := input.Single(f.Command, args); err != nil {
		return err
	}
	all := &face{Command: f.Command, asked: s.command("frontier"), doing: f.doing, plot: f.plot, request: &lightpath.FrontierRequest{
		Fabric: f.request.Fabric, Operation: f.request.Operations[0], Planner: f.request.Planner,
	}}
	answer, err := all.answer(s)
	if err != nil {
		return err
	}
	return all.show(s, answer)
}

// write writes the whole plan to a file, if requested.
func (f *planFace) write(s *session, made *plan.Plan) error {
	if f.output == "" {
		return nil
	}
	bar := s.progress("writing")
	defer bar.End()
	if err := made.WriteFile(f.Context(), f.output, plan.FileProgress(bar.Report)); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

// tunedNote says what was not recomputed, and whether the table is from another version.
func tunedNote(name string, row *lightpath.TuneRow, made *plan.Plan) string {
	text := fmt.Sprintf("from %s: algorithm %s, planner %s, for sizes from %v on; nothing else was planned\n", name, row.Algorithm, row.Planner, units.Bytes(row.FromBytes))
	if says, ok := row.At(made.Collective.Size); ok && math.Abs(float64(says-made.Cost.Total())) > tunedTolerance*float64(says) {
		text += fmt.Sprintf("the table's time, %v, is not what this plan takes: another version wrote it; run tune again\n", says)
	}
	return text
}

// tunedTolerance is the relative rounding error of a time read off a line.
const tunedTolerance = 1e-6

// useTuning reads a tuning table and takes the algorithm and the planner from it.
func useTuning(c *cobra.Command, name string, r *lightpath.PlanRequest) (*lightpath.Tuning, error) {
	for _, flag := range []string{"algorithm", "planner"} {
		if c.Flags().Changed(flag) {
			return nil, fmt.Errorf("not with --%s, which the table decides", flag)
		}
	}
	for _, o := range r.Options {
		if given := input.Binder.Given(c, o); len(given) > 0 {
			return nil, fmt.Errorf("not with --%s: the table was made without it", given[0])
		}
	}
	if frontier, err := c.Flags().GetBool("frontier"); err == nil && frontier {
		return nil, fmt.Errorf("not with --frontier: the table holds for one delay, a frontier for every delay")
	}
	if c.Flags().Changed("choose-by") {
		return nil, fmt.Errorf("not with --choose-by: the table was made by the model")
	}
	t, err := lightpath.ReadTuning(name)
	if err != nil {
		return nil, err
	}
	return t, t.Apply(r)
}

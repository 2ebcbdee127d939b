package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/workload"
)

func init() { own["iterate"] = (*session).iterateCommand }

func (s *session) iterateCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.IterateRequest{}
	f := &face{asked: asked, request: r, doing: "planning the iteration", own: []string{"workload"}, Command: &cobra.Command{
		Use: "iterate [WORKLOAD.json]",
		Long: `Plan a whole training iteration: when every collective and every send starts,
over how many ports and by which plan, and when ports are rewired, also while
GPUs compute or other ports send. The workload is a file (workload -o), or that
of a model with the given degrees of parallelism. The plan is for the steady
state: an iteration begins with the circuits that the one before has left.

It is compared with policies that people use: ports divided among the kinds of
groups once (static), all ports for the kind that communicates (phases, and
phases-ahead, which rewires as soon as ports are free), every collective for
itself (each) and one topology for all (one). It is never slower than these.`,
		Example: `  lightpath iterate --model llama3-8b --tp 4 --dp 2 --global-batch 4 --ports 2
  lightpath iterate --model llama3-70b --tp 8 --pp 8 --dp 8 --island 8 \
    --island-bandwidth 3600Gbps --reconfig 10us -o iteration.json
  lightpath verify iteration.json`,
		Args: input.Wants(0, 1, "want at most one workload", "workload.json"),
	}}
	var output string
	f.bind()
	f.Flags().StringVarP(&output, "output", "o", "", "write the plan to `FILE`.json, which verify reads")
	f.read = func(args []string) (err error) {
		if output != "" {
			if err := files.Check(output); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		if len(args) == 1 {
			f.file = args[0]
			r.Workload, err = workload.ReadFile(args[0])
		}
		return err
	}
	f.keep = on(func(answer *lightpath.Iteration) error {
		if output == "" {
			return nil
		}
		if err := files.Write(output, answer.Encode); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		return nil
	})
	return f.command(s)
}

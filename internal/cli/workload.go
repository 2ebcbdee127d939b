package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/chakra"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/simai"
)

func init() { own["workload"] = (*session).workloadCommand }

// workloadFiles are the flags for workloads that are not made from a model.
type workloadFiles struct {
	*cobra.Command
	chakra, groups, simai, trace string
	spmd                         bool
	ranks                        int
}

func (s *session) workloadCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.WorkloadRequest{}
	f := &face{asked: asked, request: r, doing: "making the workload", own: []string{"workload"}, Command: &cobra.Command{
		Use: "workload [FILE.json]",
		Long: `Make the workload of one training iteration: ranks, kinds of groups, and what
every class of ranks computes, sends and waits for. It comes from a model and
the degrees of parallelism (--model), from Chakra traces NAME.RANK.et
(--chakra), from SimAI's text (--simai), from a trace of train (--trace), or
from a file that -o wrote. Every workload is proven free of deadlocks.

Computation takes its FLOPs at a fitted fraction of the GPU's peak, plus its
memory traffic. -o writes the document, --to-chakra traces for ASTRA-sim.`,
		Example: `  lightpath workload --list
  lightpath workload --model llama3-405b --tp 8 --pp 16 --dp 128 \
    --sequence-parallel --zero 1 -o w.json
  lightpath workload --model deepseek-v3 --pp 16 --dp 128 --ep 64 --gpu h800
  lightpath workload --chakra traces/run -o w.json
  lightpath workload w.json --to-chakra astra/w`,
	}}
	in := &workloadFiles{Command: f.Command}
	f.bind()
	f.Flags().StringVar(&in.chakra, "chakra", "", "read Chakra traces `PREFIX`.0.et, PREFIX.1.et, ..")
	f.Flags().StringVar(&in.groups, "groups", "", "with --chakra: groups in `FILE`.json (default: PREFIX.comm_group.json or comm_group.json beside the traces)")
	f.Flags().BoolVar(&in.spmd, "spmd", false, "with --chakra: all ranks run the same trace")
	f.Flags().IntVar(&in.ranks, "ranks", 0, "with --spmd or --trace: number of ranks (default: what the groups say, or 8)")
	bind.Call(f.Flags(), "N", "ranks")
	f.Flags().StringVar(&in.simai, "simai", "", "read SimAI's text from `FILE`.txt")
	f.Flags().StringVar(&in.trace, "trace", "", "a trace of train, `NAME` or FILE.csv, on --ranks ranks")
	var output, traces string
	guard.Output(f.Flags(), &output, "output", "write the workload to `FILE`.json")
	f.Flags().StringVar(&traces, "to-chakra", "", "write Chakra traces `PREFIX`.0.et, .. and PREFIX.comm_group.json")
	f.Flags().BoolVar(&s.verbose, "verbose", false, "also print the origin of the workload, its programs and its blocks")
	f.Args = input.Wants(0, 1, "want at most one workload file", "w.json")
	f.read = func(args []string) error {
		for flag, name := range map[string]string{"-o": output, "--to-chakra": traces} {
			if name == "" {
				continue
			}
			if err := files.Check(name); err != nil {
				return fmt.Errorf("%s: %w", flag, err)
			}
		}
		return in.read(r, args)
	}
	f.keep = on(func(answer *lightpath.WorkloadSummary) error {
		if output != "" {
			if err := files.Write(output, answer.WriteJSON); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		if traces == "" {
			return nil
		}
		if err := writeTraces(f.Context(), traces, answer.Graph); err != nil {
			return fmt.Errorf("--to-chakra: %w", err)
		}
		return nil
	})
	return f.listing(s, "list the published models and the GPUs", func() (any, error) { return lightpath.Models() })
}

// read reads the given source.
func (in *workloadFiles) read(r *lightpath.WorkloadRequest, args []string) error {
	sources := 0
	for _, given := range []bool{r.Model != nil, in.chakra != "", in.simai != "", in.trace != "", len(args) > 0} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return input.By(in.Command, errors.New("want one of --model, --chakra, --simai, --trace or a workload FILE.json; workload --list lists the models"))
	}
	for flag, with := range map[string]bool{"groups": in.chakra != "", "spmd": in.chakra != "", "ranks": in.spmd || in.trace != ""} {
		if in.Flags().Changed(flag) && !with {
			return fmt.Errorf("--%s: has no effect here", flag)
		}
	}
	if in.Flags().Changed("ranks") && (in.ranks < 1 || in.ranks > workload.MaxRanks) {
		return fmt.Errorf("--ranks: %d is not in 1..%d", in.ranks, workload.MaxRanks)
	}
	var err error
	switch {
	case in.chakra != "":
		r.Workload, err = in.readChakra(r)
	case in.simai != "":
		r.Workload, err = simai.ReadFile(in.simai)
		err = flagged("--simai", err)
	case in.trace != "":
		r.Workload, err = in.readTrace()
		err = flagged("--trace", err)
	case len(args) > 0:
		r.Workload, err = input.Workload(args[0])
		err = input.By(in.Command, err)
	}
	return err
}

// flagged adds its flag to an error.
func flagged(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// readChakra reads traces. The GPU determines how long operations without a time take.
func (in *workloadFiles) readChakra(r *lightpath.WorkloadRequest) (*workload.Workload, error) {
	o := chakra.Options{SPMD: in.spmd, Ranks: in.ranks, Groups: in.groups}
	gpu, err := model.NamedGPU(cmp.Or(r.GPU, "h100"))
	if err != nil {
		return nil, flagged("--gpu", err)
	}
	o.Speed = gpu.Speed(gpu.Peak, cmp.Or(r.Efficiency, gpu.Efficiency))
	r.GPU, r.Efficiency = "", 0
	w, err := chakra.ReadFiles(in.Context(), in.chakra, o)
	return w, flagged("--chakra", err)
}

func (in *workloadFiles) readTrace() (*workload.Workload, error) {
	const usual = 8
	t, err := train.Load(in.trace)
	if err != nil {
		return nil, err
	}
	in.ranks = cmp.Or(in.ranks, usual)
	return t.Workload(in.ranks)
}

// writeTraces writes the traces of a workload, each when it is complete.
func writeTraces(ctx context.Context, prefix string, g *workload.Graph) error {
	for _, f := range chakra.Files(g) {
		if err := files.Write(prefix+f.Suffix, func(w io.Writer) error { return f.Write(ctx, w) }); err != nil {
			return err
		}
	}
	return nil
}

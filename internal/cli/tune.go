package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/units"
)

func init() { own["tune"] = (*session).tuneCommand }

func (s *session) tuneCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.TuneRequest{}
	f := &face{asked: asked, request: r, doing: "tuning", Command: &cobra.Command{
		Use: "tune OP | --workload FILE.json",
		Long: `Find the best algorithm, planner and topologies for every size of an operation,
and the exact sizes, to the byte, at which one overtakes another. plan --tuned
uses the table. With --workload there is a table for every collective of a
training iteration, for its sizes there. --to nccl-tuner chooses among NCCL's
own algorithms (ring, tree) on the base topology, and writes what NCCL's example
tuner plugin reads.`,
		Example: `  lightpath tune allreduce --size 1KiB..1GiB --nodes 64 -o tuned.json
  lightpath plan allreduce --size 3MiB --nodes 64 --tuned tuned.json
  lightpath tune alltoall --for polatis,rotornet,mine.yaml --planner harvest
  lightpath tune --pattern mine.json --size 1KiB..1GiB
  lightpath tune --workload w.json --ports 2 -o tuned.json
  lightpath tune allreduce --nodes 64 --to nccl-tuner -o tuner.csv`,
		ValidArgsFunction: input.OfferOperations,
	}}
	f.own = []string{"op", "least_bytes", "most_bytes", "for"}
	size := bind.NewText("1KiB..1GiB", "A..B")
	var others, output string
	f.Flags().Var(size, "size", "range of sizes")
	f.Flags().StringVar(&others, "for", "", "also tune for a `LIST` of presets and YAML files")
	f.bind()
	guard.Output(f.Flags(), &output, "output", "write the table to `FILE`.json, for plan --tuned, or .csv for --to")
	f.read = func(args []string) (err error) {
		if r.Pattern != nil {
			input.PatternFabric(f.Command, r.Pattern, f.machine)
		}
		if r.Workload == nil && r.Pattern == nil || len(args) > 0 {
			if err := input.Single(f.Command, args); err != nil {
				return err
			}
			r.Op = collective.Op(args[0])
		}
		if r.Workload == nil || f.Flags().Changed("size") {
			if err := readSizes(size.String(), r); err != nil {
				return fmt.Errorf("--size: %w", err)
			}
		}
		machine, err := f.machine.Read(f.Command)
		if err != nil {
			return err
		}
		if r.For, err = otherFabrics(machine, others); err != nil {
			return fmt.Errorf("--for: %w", err)
		}
		if output == "" {
			return nil
		}
		if err := checkTableFile(output, r.To); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		return nil
	}
	f.keep = on(func(answer *lightpath.Tuning) error {
		if output == "" {
			return nil
		}
		write := func(w io.Writer) error { return s.rendering(r, answer).JSON(w) }
		if r.To != "" {
			write = func(w io.Writer) error { return answer.WriteNCCL(w, r.Channels) }
		}
		if err := files.Write(output, write); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		return nil
	})
	return f.command(s)
}

// checkTableFile refuses a file that plan --tuned could not read: a table is JSON, whatever its
// file is named.
func checkTableFile(name, to string) error {
	if to != "" {
		if ext := filepath.Ext(name); !strings.EqualFold(ext, ".csv") && !strings.EqualFold(ext, ".conf") {
			return fmt.Errorf("%s: a table for %s is CSV; name it .csv or .conf", name, to)
		}
		return files.Check(name)
	}
	if ext := filepath.Ext(name); ext != "" && !strings.EqualFold(ext, ".json") {
		return fmt.Errorf("%s: the table is JSON; name it .json (--format csv prints it for a spreadsheet)", name)
	}
	return files.Check(name)
}

// readSizes reads A..B.
func readSizes(text string, r *lightpath.TuneRequest) (err error) {
	low, high, ok := strings.Cut(text, "..")
	if !ok {
		return fmt.Errorf("%q is not a range; write e.g. 1KiB..1GiB", text)
	}
	if r.Least, err = units.ParsePositiveBytes(low); err != nil {
		return err
	}
	r.Most, err = units.ParsePositiveBytes(high)
	return err
}

// otherFabrics returns fabrics from presets or YAML files, on top of the default fabric with the
// same number of GPUs.
func otherFabrics(base fabric.Fabric, list string) ([]lightpath.NamedFabric, error) {
	if list == "" {
		return nil, nil
	}
	var all []lightpath.NamedFabric
	for name := range strings.SplitSeq(list, ",") {
		f := fabric.Default()
		f.Nodes, f.Ports = base.Nodes, base.Ports
		var err error
		if lower := strings.ToLower(name); strings.HasSuffix(lower, ".yaml") || strings.HasSuffix(lower, ".yml") {
			err = f.LoadFile(name)
		} else {
			err = f.ApplyPreset(name)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, lightpath.NamedFabric{Name: name, Fabric: f})
	}
	return all, nil
}

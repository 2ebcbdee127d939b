package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/units"
)

func (s *session) tuneCommand() *cobra.Command {
	var algorithm, planner, others, output, pattern string
	size := &word{"1KiB..1GiB", "A..B"}
	c := &cobra.Command{
		Use:   "tune OP",
		Short: "Find the best algorithm, planner and topologies for every size",
		Long: `Find the best algorithm, planner and topologies for every size of an operation,
and the exact sizes, to the byte, at which one overtakes another. plan --tuned
uses the table.`,
		Example: `  lightpath tune allreduce --size 1KiB..1GiB --nodes 64 -o tuned.json
  lightpath plan allreduce --size 3MiB --nodes 64 --tuned tuned.json
  lightpath tune alltoall --for polatis,rotornet,mine.yaml --planner harvest
  lightpath tune --pattern mine.json --size 1KiB..1GiB`,
		ValidArgsFunction: offerOperations,
	}
	c.Flags().SortFlags = false
	c.Flags().Var(size, "size", "range of sizes")
	c.Flags().StringVar(&algorithm, "algorithm", lightpath.Auto, "algorithm `NAME`, or auto: all")
	c.Flags().StringVar(&planner, "planner", lightpath.Auto, "planner `NAME`, or auto: all")
	c.Flags().StringVar(&pattern, "pattern", "", "try the steps in `FILE`.json as one more algorithm of the operation that they carry out")
	c.Flags().StringVar(&others, "for", "", "also tune for a `LIST` of presets and YAML files")
	c.Flags().StringVarP(&output, "output", "o", "", "write the table to `FILE`.json, for plan --tuned")
	machine := addFabricFlags(c)
	plot := addPlotFlag(c)
	offer(c, "algorithm", algorithmNames)
	offer(c, "planner", plannerNames)
	c.RunE = func(c *cobra.Command, args []string) error {
		request := lightpath.TuneRequest{Algorithm: algorithm, Planner: planner}
		var err error
		if request.Pattern, err = alongside(c, pattern, machine); err != nil {
			return err
		}
		if request.Pattern == nil || len(args) > 0 {
			if err := single(c, args); err != nil {
				return err
			}
			request.Op = collective.Op(args[0])
		}
		if err := readSizes(size.text, &request); err != nil {
			return fmt.Errorf("--size: %w", err)
		}
		if request.Fabric, err = machine.fabric(c); err != nil {
			return err
		}
		if request.For, err = otherFabrics(request.Fabric, others); err != nil {
			return fmt.Errorf("--for: %w", err)
		}
		if err := plot.check(c); err != nil {
			return err
		}
		if output != "" {
			if err := checkTableFile(output); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		answer, err := answered(s, c, "tuning", lightpath.Tune, request)
		if err != nil {
			return err
		}
		if output != "" {
			if err := writeJSON(output, answer); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		return s.printPlotted(answer, plot)
	}
	return c
}

// checkTableFile refuses what plan --tuned could not read: a table is JSON whatever its file
// is named.
func checkTableFile(name string) error {
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

// otherFabrics are presets, or YAML files, on top of the default with the same GPUs.
func otherFabrics(base fabric.Fabric, list string) ([]lightpath.NamedFabric, error) {
	if list == "" {
		return nil, nil
	}
	var all []lightpath.NamedFabric
	for _, name := range strings.Split(list, ",") {
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

// writeJSON writes an answer to a file.
func writeJSON(name string, answer any) error {
	w, err := files.Create(name)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := (report.JSON{}).Write(w, answer); err != nil {
		return err
	}
	return w.Commit()
}

func (s *session) adviseCommand() *cobra.Command {
	var planner string
	var most int
	c := &cobra.Command{
		Use:   "advise OP..",
		Short: "Show what one change of the fabric would buy",
		Long: `Show which single change of the fabric (half the delay, one more port, double the
bandwidth, overlap, ..) buys most for an operation, below which delay
reconfiguring pays at every size, and how many ports are enough. With several
operations, advise treats them one by one and together: each is planned on its
own, and the times are added up. (plan with the same operations plans them as
one sequence, where each starts from the circuits that the one before left.)

` + operationHelp,
		Example: `  lightpath advise allreduce --size 16MiB --nodes 64 --reconfig 10us
  lightpath advise alltoall --planner harvest --plot advice.html
  lightpath advise allreduce/64MiB alltoall/4MiB --nodes 16`,
		ValidArgsFunction: offerOperations,
	}
	work := addOperationFlags(c)
	machine := addFabricFlags(c)
	c.Flags().StringVar(&planner, "planner", lightpath.Auto, "planner `NAME`, or auto: the fastest")
	c.Flags().IntVar(&most, "most-ports", 0, "largest number of ports to try (default: twice the fabric's, at least 4)")
	plot := addPlotFlag(c)
	offer(c, "planner", plannerNames)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return single(c, args)
		}
		operations, err := work.operations(c, args, machine)
		if err != nil {
			return err
		}
		request := lightpath.AdviseRequest{Operation: operations[0], More: append([]lightpath.Operation(nil), operations[1:]...), Planner: planner, MostPorts: most}
		if request.Fabric, err = machine.fabric(c); err != nil {
			return err
		}
		if err := plot.check(c); err != nil {
			return err
		}
		answer, err := answered(s, c, "looking at changes", lightpath.Advise, request)
		if err != nil {
			return err
		}
		return s.printPlotted(answer, plot)
	}
	return c
}

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/emulate/calibrate"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/files"
)

func init() { own["calibrate"] = (*session).calibrateCommand }

func (s *session) calibrateCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.CalibrateRequest{}
	f := &face{asked: asked, request: r, doing: "measuring", own: []string{"samples"}, Command: &cobra.Command{
		Use: "calibrate [FILE.csv]",
		Long: `Fit time = alpha + bytes/bandwidth to measured times: FILE.csv has the columns
bytes and time_ns and, optionally, steps (separates a constant from the cost of
each step) and bandwidth_factor (multiplies the bytes, e.g. 2(N-1)/N for
allreduce). The default fit minimises squared relative errors, so every size
counts alike; --fit plateau:8KiB takes alpha from the mean of the small messages
and the bandwidth from absolute errors of the rest, as HARVEST (Fig. 7) does.

Without a file, measure this host as a fabric: real processes send to each other
over the software switch, with no waiting. Plan with the fabric that -o writes
to compare a plan's predicted time with emulate --no-wait.`,
		Example: `  lightpath calibrate times.csv -o fabric.yaml
  lightpath calibrate --nodes 16 -o host.yaml
  lightpath plan allreduce --fabric host.yaml -o plan.json
  lightpath emulate plan.json --no-wait`,
	}}
	f.bind()
	var output string
	guard.Output(f.Flags(), &output, "output", "write the fabric to `FILE`.yaml")
	f.read = func(args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("calibrate: want one file of times or none, got %d arguments", len(args))
		}
		if len(args) == 1 {
			if err := readSamples(args[0], r); err != nil {
				return fmt.Errorf("calibrate: %w", err)
			}
		}
		if f.Flags().Changed("output") {
			if err := files.Check(output); err != nil {
				return fmt.Errorf("--output: %w", err)
			}
		}
		return nil
	}
	f.options = ourOptions
	f.keep = on(func(answer *lightpath.Calibration) error {
		if output == "" {
			return nil
		}
		made, settings := answer.Fabric()
		comment := "fitted to measured times by lightpath calibrate; latency is all in alpha"
		if answer.Nodes > 0 {
			comment = "a host, measured by lightpath calibrate"
		}
		err := files.Write(output, func(w io.Writer) error { return calibrate.WriteYAML(w, made, comment, settings...) })
		if err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		return nil
	})
	return f.command(s)
}

// readSamples reads measured times.
func readSamples(name string, r *lightpath.CalibrateRequest) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	samples, err := calibrate.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.Samples = []lightpath.CalibrateSample{}
	for _, s := range samples {
		r.Samples = append(r.Samples, lightpath.CalibrateSample{Bytes: s.Bytes, TimeNs: s.Time, Steps: s.Steps, Factor: s.Factor})
	}
	return nil
}

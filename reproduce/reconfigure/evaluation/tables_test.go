package evaluation

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"
)

// The tables of docs/exchange.md are printed by a test, which takes their names and options:
//
//	go test ./reproduce/reconfigure/evaluation -run TestTables -v -args ratios [-svg FILE]
//
//	ratios [-svg FILE]              Figure 13a: slots over the bound of Theorem 1
//	gap [-nodes N]                  Figure 13b: both for every number of topologies
//	completion [-csv FILE] [-full]  Figures 11, 12 and 14: completion times
//	planes [-nodes N] [-seeds N]    what planes that reconfigure independently gain
//
// Where the paper simulates packets, times here follow its cost model: d topologies and s
// slots take d*R + s*T, with T the time of a chunk over a hop.
func TestTables(t *testing.T) {
	args, out, log := flag.Args(), io.Writer(os.Stdout), io.Writer(os.Stderr)
	if len(args) == 0 {
		args, out, log = []string{"completion", "-nodes", "8", "-points", "3", "-rounds"}, io.Discard, io.Discard
	}
	if err := Run(t.Context(), args, out, log); err != nil {
		t.Error(err)
	}
}

// command runs one subcommand.
type command func(ctx context.Context, args []string, out, log io.Writer) error

// commandOf returns the command with a name, or nil.
func commandOf(name string) command {
	switch name {
	case "ratios":
		return runRatios
	case "gap":
		return runGap
	case "completion":
		return runCompletion
	case "planes":
		return runPlanes
	}
	return nil
}

// Run runs the command with the given arguments. The answer goes to out, progress and help to
// log.
func Run(ctx context.Context, args []string, out, log io.Writer) error {
	if len(args) == 0 {
		return errors.New("no command, want ratios, gap, completion or planes")
	}
	do := commandOf(args[0])
	if do == nil {
		return fmt.Errorf("command %q, want ratios, gap, completion or planes", args[0])
	}
	return do(ctx, args[1:], out, log)
}

// parse reads flags and refuses anything after them.
func parse(flags *flag.FlagSet, args []string, log io.Writer) error {
	flags.SetOutput(log)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s: unexpected argument %q", flags.Name(), flags.Arg(0))
	}
	return nil
}

// writeFile writes a file, or does nothing if the name is empty.
func writeFile(name string, write func(w io.Writer) error) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

package evaluation

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// command does what one word of the command line asks for.
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

// Run does what the arguments of the command say. The answer goes to out, progress and help to
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

// writeFile makes a file, or does nothing without a name.
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

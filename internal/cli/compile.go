package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/internal/files"
)

// compileFlags are the flags of the command.
type compileFlags struct {
	to, output string
	lowered    bool
	targets    *targetFlags
	files      *planFlags
	plot       *plotFlag
}

func (s *session) compileCommand() *cobra.Command {
	f := &compileFlags{targets: &targetFlags{all: compile.Known()}}
	c := &cobra.Command{
		Use:   "compile PLAN.json --to FORMAT -o PATH",
		Short: "Compile a plan into files for runtimes, simulators and switches",
		Long: `Compile a plan file (plan -o) into one of these formats:

` + f.targets.list() + `
A plan with several stages becomes a folder with manifest.json, a timetable and
one file per stage. Runtimes store and forward where a plan may cut through;
--lowered writes the plan as the runtime will execute it.
Exit 0: written. 1: the runtime cannot execute it. 2: bad input.`,
		Example: `  lightpath plan allreduce --nodes 8 --planner static -o plan.json
  lightpath compile plan.json --to msccl -o allreduce.xml
  lightpath compile plan.json --to timetable -o switch.scpi
  lightpath compile plan.json --to rccl --lowered -o lowered.json`,
	}
	f.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("compile: want one plan file, got %d arguments; e.g. lightpath compile plan.json --to msccl -o out.xml", len(args))
		}
		request, err := f.request(c)
		if err != nil {
			return err
		}
		if request.Plan, err = f.files.read(s, c, args[0]); err != nil {
			return err
		}
		if err := f.plot.check(c); err != nil {
			return err
		}
		if err := s.asks(&request); err != nil {
			return err
		}
		bar := s.progress("compiling")
		answer, err := lightpath.Compile(c.Context(), request, bar.options()...)
		bar.end()
		if errors.Is(err, compile.ErrRefused) {
			return s.no(fmt.Sprintf("compile: %s: %v", request.To, err))
		}
		if err != nil {
			return blame(c, inFile(args[0], err))
		}
		if err := f.write(c.Context(), answer); err != nil {
			return err
		}
		if err := s.print(answer); err != nil {
			return err
		}
		if s.text() {
			fmt.Fprintf(s.out, "\nwritten to %s\n", f.output)
		}
		return s.draw(f.plot, func() (*chart.Scene, error) { return figure.Compiled(request.Plan, answer) })
	}
	return c
}

func (f *compileFlags) add(c *cobra.Command) {
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.to, "to", "", "output `FORMAT`: "+f.targets.names(" | "))
	c.Flags().StringVarP(&f.output, "output", "o", "", "write to `PATH`, a file or a folder")
	f.targets.add(c)
	c.Flags().BoolVar(&f.lowered, "lowered", false, "write the plan as the runtime will execute it")
	f.files = addPlanFlags(c)
	f.plot = addPlotFlag(c)
	offer(c, "to", func() []string { return strings.Split(f.targets.names(" "), " ") })
}

func (f *compileFlags) request(c *cobra.Command) (lightpath.CompileRequest, error) {
	r := lightpath.CompileRequest{To: compile.Format(f.to)}
	if f.to == "" {
		return r, fmt.Errorf("--to: missing; use %s", f.targets.names(", "))
	}
	if f.output == "" {
		return r, errors.New("-o: missing; want a file, or a folder for a plan with several stages")
	}
	var err error
	if r.Options, err = f.targets.options(c, r.To); err != nil {
		return r, err
	}
	if r.To == compile.Timetable {
		switch ending := strings.ToLower(filepath.Ext(f.output)); ending {
		case "", ".json", ".csv", ".scpi":
			r.Options = &compile.TimetableOptions{Style: strings.TrimPrefix(ending, ".")}
		default:
			return r, fmt.Errorf("-o: %s: the ending chooses the timetable's format; want .json, .csv or .scpi, not %s", f.output, ending)
		}
	}
	return r, f.place()
}

// place finds out whether there is a place for what is written: of a folder, only the last
// part of its name may be missing.
func (f *compileFlags) place() error {
	if parent := filepath.Dir(filepath.Clean(f.output)); !isFolder(parent) {
		return fmt.Errorf("-o: %s: there is no directory %s", f.output, parent)
	}
	return nil
}

// write writes the files, or the lowered plan.
func (f *compileFlags) write(ctx context.Context, answer *lightpath.Compilation) error {
	if f.lowered {
		if answer.LoweredPlan == nil {
			return fmt.Errorf("--lowered: %s has no runtime to execute a plan", answer.Format)
		}
		if err := answer.LoweredPlan.WriteFile(ctx, f.output); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		return nil
	}
	if !answer.Folder {
		return f.file(ctx, f.output, answer.Files[0].Write)
	}
	return f.folder(ctx, answer.Files)
}

// folder writes files beside the folder that gets them, and moves them there once all are
// whole: a full disk leaves nothing, and no manifest names files of another plan.
func (f *compileFlags) folder(ctx context.Context, all []lightpath.CompiledFile) error {
	target := filepath.Clean(f.output)
	info, err := os.Stat(target)
	fresh := errors.Is(err, fs.ErrNotExist)
	if !fresh && (err != nil || !info.IsDir()) {
		return fmt.Errorf("-o: %s: must be a folder, for %d files", f.output, len(all))
	}
	work, err := os.MkdirTemp(filepath.Dir(target), "."+filepath.Base(target)+".")
	if err != nil {
		return fmt.Errorf("-o: %s: %w", f.output, errors.Unwrap(err))
	}
	defer os.RemoveAll(work)
	for _, file := range all {
		if err := f.file(ctx, filepath.Join(work, file.Path), file.Write); err != nil {
			return fmt.Errorf("-o: %s: %w", f.output, innermost(err))
		}
	}
	if fresh {
		if err := os.Chmod(work, 0o755); err != nil {
			return fmt.Errorf("-o: %s: %w", f.output, innermost(err))
		}
		if err := os.Rename(work, target); err != nil {
			return fmt.Errorf("-o: %s: %w", f.output, innermost(err))
		}
		return nil
	}
	for _, file := range all {
		if err := os.Rename(filepath.Join(work, file.Path), filepath.Join(target, file.Path)); err != nil {
			return fmt.Errorf("-o: %s: %w", filepath.Join(target, file.Path), innermost(err))
		}
	}
	return nil
}

// innermost leaves out the names of files that nobody asked for.
func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (f *compileFlags) file(ctx context.Context, name string, write func(io.Writer) error) error {
	w, err := files.Create(name)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	defer w.Abort()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := write(w); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	if err := w.Commit(); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

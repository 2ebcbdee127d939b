package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/iterations"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
)

// compileFace is the command line of compile: options of every target are flags.
type compileFace struct {
	face
	request *lightpath.CompileRequest
	output  string
	lowered bool
	targets input.Targets
}

func init() { own["compile"] = (*session).compileCommand }

func (s *session) compileCommand(asked *lightpath.Command) *cobra.Command {
	f := &compileFace{request: &lightpath.CompileRequest{}, targets: input.Targets{All: append(compile.Known(), s.targets...)}}
	if len(s.targets) > 0 {
		f.request.Targets = f.targets.All
	}
	f.face = face{asked: asked, request: f.request, doing: "compiling", own: []string{"inline", "iteration"}, Command: &cobra.Command{
		Use: "compile PLAN.json | ITERATION.json --to FORMAT -o PATH",
		Long: `Compile a plan file (plan -o) into one of these formats:

` + f.targets.About() + `
A plan with several stages becomes a folder with manifest.json, a timetable and
one file per stage. The plan of an iteration (iterate -o) becomes a folder with
iteration.json, which says which group runs which program when, a program for
each distinct collective and the timetable of all switches. If an earlier
manifest in the folder (or astra's files.json) names files that are not written
again, these are removed.
Runtimes store and forward where a plan may cut through; --lowered writes the
plan as the runtime will execute it.
Exit 0: written. 1: the runtime cannot execute it. 2: bad input.`,
		Example: `  lightpath plan allreduce --nodes 8 --planner static -o plan.json
  lightpath compile plan.json --to msccl -o allreduce.xml
  lightpath compile plan.json --to timetable -o switch.scpi
  lightpath compile plan.json --to timetable --port-map ports.csv -o t.json
  lightpath compile plan.json --to rccl --lowered -o lowered.json
  lightpath compile iteration.json --to mscclpp -o programs
  lightpath compile iteration.json --to astra -o traces`,
	}}
	f.bind()
	guard.Output(f.Flags(), &f.output, "output", "write to `PATH`, a file or a folder")
	f.targets.Add(f.Command)
	f.Flags().BoolVar(&f.lowered, "lowered", false, "write the plan as the runtime will execute it")
	f.readsPlan(&f.request.Plan, input.AddPlan(f.Command))
	f.orIteration(&f.request.Iteration)
	f.Args = input.Wants(1, 1, "want one plan file", "plan.json --to msccl -o out.xml")
	plan := f.read
	f.read = func(args []string) error {
		if err := f.readOptions(); err != nil {
			return err
		}
		return plan(args)
	}
	f.keep = on(func(answer *lightpath.Compilation) error { return f.write(f.Context(), answer) })
	f.end = func(any) error {
		if s.text() {
			fmt.Fprintf(s.out, "\nwritten to %s\n", f.output)
		}
		return nil
	}
	c := f.command(s)
	c.RunE = func(_ *cobra.Command, args []string) error {
		err := f.run(s, args)
		if errors.Is(err, compile.ErrRefused) {
			return s.no(fmt.Sprintf("compile: %s: %s", f.request.To, strings.TrimPrefix(err.Error(), "compile: ")))
		}
		return err
	}
	return c
}

// readOptions reads the options of the target, and checks that its output can be written.
func (f *compileFace) readOptions() (err error) {
	r := f.request
	if r.To == "" {
		return fmt.Errorf("--to: missing; use %s", strings.Join(f.targets.Names(), ", "))
	}
	if f.output == "" {
		return errors.New("-o: missing; want a file, or a folder for a plan with several stages")
	}
	if r.Options, err = f.targets.Options(f.Command, r.To); err != nil {
		return err
	}
	if r.To == compile.Timetable {
		switch ending := strings.ToLower(filepath.Ext(f.output)); ending {
		case "", ".json", ".csv", ".scpi":
			o, _ := r.Options.(*compile.TimetableOptions)
			if o == nil {
				o = &compile.TimetableOptions{}
			}
			o.Style = strings.TrimPrefix(ending, ".")
			r.Options = o
		default:
			return fmt.Errorf("-o: %s: the ending chooses the timetable's format; want .json, .csv or .scpi, not %s", f.output, ending)
		}
	}
	return f.place()
}

// place checks that the output can be written: only the last part of a folder's name may be
// missing.
func (f *compileFace) place() error {
	if parent := filepath.Dir(filepath.Clean(f.output)); !isFolder(parent) {
		return fmt.Errorf("-o: %s: there is no directory %s", f.output, parent)
	}
	return nil
}

// write writes the files, or the lowered plan.
func (f *compileFace) write(ctx context.Context, answer *lightpath.Compilation) error {
	if f.lowered {
		if f.request.Iteration != nil {
			return errors.New("--lowered: for a plan; an iteration has a program for each of its collectives")
		}
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

// folder writes files beside their folder, and moves them into it once all are complete. So a
// full disk leaves nothing behind, and no manifest names files of another plan.
func (f *compileFace) folder(ctx context.Context, all []lightpath.CompiledFile) error {
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
		if err := os.MkdirAll(filepath.Dir(filepath.Join(work, file.Path)), 0o755); err != nil {
			return fmt.Errorf("-o: %s: %w", f.output, innermost(err))
		}
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
	stale := iterations.Written(os.DirFS(target))
	for _, file := range all {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(target, file.Path)), 0o755); err != nil {
			return fmt.Errorf("-o: %s: %w", filepath.Join(target, file.Path), innermost(err))
		}
		if err := os.Rename(filepath.Join(work, file.Path), filepath.Join(target, file.Path)); err != nil {
			return fmt.Errorf("-o: %s: %w", filepath.Join(target, file.Path), innermost(err))
		}
	}
	remove(target, stale, all)
	return nil
}

// remove removes files that an earlier run has written into a folder but this run has not.
// Folders with other content stay.
func remove(folder string, written []string, now []lightpath.CompiledFile) {
	// Files come before their folders.
	slices.SortFunc(written, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, name := range written {
		name = filepath.FromSlash(name)
		if name != "." && !slices.ContainsFunc(now, func(f lightpath.CompiledFile) bool { return filepath.Clean(f.Path) == name }) {
			_ = os.Remove(filepath.Join(folder, name)) // it may not exist any more
		}
	}
}

// innermost removes the names of files that the user does not know from an error.
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

func (f *compileFace) file(ctx context.Context, name string, write func(io.Writer) error) error {
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

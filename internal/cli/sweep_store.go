package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/sweep"
)

func (s *session) sweepShowCommand() *cobra.Command {
	var show showFlags
	c := &cobra.Command{
		Use:     "show FILE.db",
		Short:   "Show the results of a sweep",
		Example: "  lightpath sweep show s.db --metric winner --plot winners.svg\n  lightpath sweep show s.db --format csv > s.csv",
		Args:    input.Wants(1, 1, "want the file of a sweep", "s.db"),
	}
	show.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		metrics, err := show.read(c)
		if err != nil {
			return err
		}
		t, err := sweep.LoadLast(c.Context(), args[0])
		if err != nil {
			return fmt.Errorf("sweep show: %w", err)
		}
		if err := checkMetrics(metrics, t.Spec.Packet > 0, t.Spec.Workload != "", args[0]); err != nil {
			return fmt.Errorf("sweep show: %w", err)
		}
		return s.printSweep(t, metrics, show.plot)
	}
	return c
}

func (s *session) sweepDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD.db NEW.db",
		Short: "Compare the results of two sweeps",
		Args:  input.Wants(2, 2, "want the files of two sweeps", "old.db new.db"),
		RunE: func(c *cobra.Command, args []string) error {
			var tables [2]*sweep.Table
			for i, name := range args {
				var err error
				if tables[i], err = sweep.LoadLast(c.Context(), name); err != nil {
					return fmt.Errorf("sweep diff: %w", err)
				}
			}
			return s.print(sweep.Diff(tables[0], tables[1]))
		},
	}
}

func (s *session) sweepMergeCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge FILE.db..",
		Short: "Merge the shards of a sweep into one file",
		Args:  input.Wants(1, math.MaxInt, "want the files of a sweep's parts", "a.db b.db --out all.db"),
	}
	guard.Store(c.Flags(), &out, "out", "merge into `FILE`.db, which keeps what it already holds")
	c.RunE = func(c *cobra.Command, args []string) error {
		if out == "" {
			return errors.New("sweep merge: --out: want the file to merge into")
		}
		t, err := mergeSweeps(c.Context(), out, args)
		if err != nil {
			return fmt.Errorf("sweep merge: %w", err)
		}
		if err := s.print(t); err != nil {
			return err
		}
		if t.Missing > 0 {
			return s.no(fmt.Sprintf("sweep merge: %d of %d cells are missing", t.Missing, len(t.Cells)))
		}
		return nil
	}
	return c
}

// oneGrid refuses files of different grids before writing anything, because only the last grid
// would be shown. The grid in the output file counts, too.
func oneGrid(ctx context.Context, out string, names []string) error {
	if _, err := os.Stat(out); err == nil {
		names = append([]string{out}, names...)
	}
	var first *sweep.Spec
	firstName := ""
	for _, name := range names {
		store, err := sweep.Open(ctx, name)
		if err != nil {
			return err
		}
		specs, err := store.Specs(ctx)
		if err = errors.Join(err, store.Close()); err != nil {
			return err
		}
		if len(specs) == 0 {
			continue
		}
		last := specs[len(specs)-1]
		if first == nil {
			first, firstName = last, name
		} else if differ := first.Differences(last); len(differ) > 0 {
			return fmt.Errorf("%s and %s hold different grids (they differ in %s); want shards of one grid (--shard)", firstName, name, strings.Join(differ, ", "))
		}
	}
	return nil
}

func mergeSweeps(ctx context.Context, out string, names []string) (*sweep.Table, error) {
	if err := oneGrid(ctx, out, names); err != nil {
		return nil, err
	}
	into, err := sweep.Create(ctx, out, true)
	if err != nil {
		return nil, err
	}
	defer into.Close()
	for _, name := range names {
		from, err := sweep.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		err = errors.Join(into.Merge(ctx, from), from.Close())
		if err != nil {
			return nil, err
		}
	}
	spec, err := into.Last(ctx)
	if err != nil {
		return nil, err
	}
	return into.Load(ctx, spec)
}

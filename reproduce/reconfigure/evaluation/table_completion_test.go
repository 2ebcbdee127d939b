package evaluation

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// runCompletion prints completion times and reductions (Figures 11, 12 and 14).
func runCompletion(ctx context.Context, args []string, out, log io.Writer) error {
	var m method
	flags := flag.NewFlagSet("completion", flag.ContinueOnError)
	csv := flags.String("csv", "", "write the time of every strategy at every R to this `file`")
	most := flags.Int("nodes", 64, "only settings of up to so many `nodes`")
	full := flags.Bool("full", false, "every flow size with every number of nodes")
	flags.BoolVar(&m.every, "every", false, "every number of topologies, also for 32 and more nodes with demands that differ: slow")
	flags.BoolVar(&m.rounds, "rounds", false, "the paper's rule and its baselines only, all in rounds")
	flags.Uint64Var(&m.seed, "seed", 1, "`seed` of the workloads")
	flags.IntVar(&m.points, "points", 25, "`number` of values of R")
	if err := parse(flags, args, log); err != nil {
		return err
	}
	if m.points < 1 {
		return fmt.Errorf("completion: %d values of R, want 1 or more", m.points)
	}
	chosen := slices.DeleteFunc(settings(*full), func(s setting) bool { return s.nodes > *most })
	list, err := measure(ctx, chosen, m, log)
	if err != nil {
		return err
	}
	writeTable(out, list)
	writeMeans(out, list)
	return writeFile(*csv, func(w io.Writer) error { return writeCSV(w, list) })
}

// measure plans all settings and says on log which is next.
func measure(ctx context.Context, list []setting, m method, log io.Writer) ([]measured, error) {
	var all []measured
	for i, s := range list {
		fmt.Fprintf(log, "%d of %d: %v\n", i+1, len(list), s)
		c, err := m.plan(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", s, err)
		}
		all = append(all, measured{s, c, s.sweep(m.points)})
	}
	return all, nil
}

// writeTable prints a line for each setting, at the R with the largest benefit.
func writeTable(out io.Writer, list []measured) {
	fmt.Fprintf(out, "Completion times at the R with the largest reduction, R/T from 1 to n^2/k, T = %v;\n", inTime(1))
	fmt.Fprintln(out, "mean: reduction over the whole sweep; rule: the same two for the paper's construction")
	fmt.Fprintf(out, "%2s %1s %-8s %5s %7s %10s %3s %10s %-8s %6s %6s %6s %6s\n",
		"n", "k", "workload", "flow", "R/T", "ours", "d", "baseline", "which", "saved", "mean", "rule", "mean")
	for _, m := range list {
		first, rule := contests[0].over(m.curves, m.sweep), contests[2].over(m.curves, m.sweep)
		ours := m.least(first.at, strategy.Auto)
		theirs := m.least(first.at, allBaselines...)
		fmt.Fprintf(out, "%2d %1d %-8s %3dMB %7.1f %10v %3d %10v %-8s %5.1f%% %5.1f%% %5.1f%% %5.1f%%\n",
			m.nodes, m.ports, m.workload, m.flow/units.MB, first.at, inTime(ours.time), ours.Stages,
			inTime(theirs.time), theirs.Strategy, 100*first.best, 100*first.mean, 100*rule.best, 100*rule.mean)
	}
}

// group is a set of settings over which the paper or this package takes a mean.
type group struct {
	name  string
	holds func(setting) bool
}

// groups are the sets of settings of the figures.
func groups() []group {
	list := []group{{"Figure 11 (paper: 39.66%)", setting.inFigure11}}
	for _, w := range workloads {
		list = append(list, group{"- " + w, func(s setting) bool { return s.inFigure11() && s.workload == w }})
	}
	for _, k := range []int{1, 2} {
		list = append(list, group{fmt.Sprintf("- k=%d", k), func(s setting) bool { return s.inFigure11() && s.ports == k }})
	}
	list = append(list, group{"Figure 12 (paper: 47.35%)", setting.inFigure12})
	for _, k := range []int{1, 2} {
		list = append(list, group{fmt.Sprintf("- k=%d", k), func(s setting) bool { return s.inFigure12() && s.ports == k }})
	}
	return append(list, group{"all settings", func(setting) bool { return true }})
}

// writeMeans prints mean reductions.
func writeMeans(out io.Writer, list []measured) {
	fmt.Fprintln(out, "\nMean reductions: at the R with the largest one, and over the sweep of R")
	for _, g := range groups() {
		for _, t := range contests {
			if best, swept, count := mean(list, t, g.holds); count > 0 {
				fmt.Fprintf(out, "%-26s %2d settings  %-36s %6.2f%% %6.2f%%\n", g.name, count, t.name, 100*best, 100*swept)
			}
		}
	}
}

// mean returns the means, over the settings that are chosen, of the largest reduction and of
// the mean reduction, and how many settings there are.
func mean(list []measured, t contest, chosen func(setting) bool) (best, swept float64, count int) {
	for _, m := range list {
		if chosen(m.setting) {
			o := t.over(m.curves, m.sweep)
			best += o.best
			swept += o.mean
			count++
		}
	}
	return best / float64(count), swept / float64(count), count
}

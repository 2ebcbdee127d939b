package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Host describes a host as a fabric of some ranks that all send at once, without waiting for any
// of a fabric's times.
type Host struct {
	Nodes int
	Line
	Barrier  units.Time // starting a step at all ranks and collecting their answers
	Reconfig units.Time // a change of all circuits
}

// Options say how to measure a host.
type Options struct {
	Nodes   int // ranks; 0: DefaultNodes
	Repeats int // of every measurement; 0: DefaultRepeats
	// Launcher starts processes; nil: goroutines are measured.
	Launcher emulate.Launcher
	Patience time.Duration
	Progress func(done, total int)
}

// Defaults of Options.
const (
	DefaultNodes   = 8
	DefaultRepeats = 7
)

// changes is how often circuits are changed to measure how long that takes.
const changes = 4

// Measure runs steps of different sizes and hops and fits a line to the median times of each. It
// also returns these medians.
func Measure(ctx context.Context, o Options) (*Host, []Sample, error) {
	o.Nodes = cmp.Or(o.Nodes, DefaultNodes)
	o.Repeats = cmp.Or(o.Repeats, DefaultRepeats)
	if o.Repeats < 1 {
		return nil, nil, fmt.Errorf("%d repeats; want 1 or more", o.Repeats)
	}
	p, order, err := probe(o.Nodes, o.Repeats, changes)
	if err != nil {
		return nil, nil, err
	}
	r, err := emulate.Run(ctx, p, emulate.Options{Launcher: o.Launcher, Patience: o.Patience, Progress: o.Progress})
	if err != nil {
		return nil, nil, err
	}
	if r.Fault != nil {
		return nil, nil, r.Fault
	}
	return evaluate(o.Nodes, order, r)
}

// evaluate turns the times of a probe's steps into samples and fits them.
func evaluate(nodes int, order []shot, r *emulate.Report) (*Host, []Sample, error) {
	times := map[shot][]units.Time{}
	var barriers, switching []units.Time
	first := len(order) - changes // steps after it follow a change
	for i, s := range order[:first] {
		times[s] = append(times[s], r.Steps[i].Measured)
		if s.hops == 1 && s.bytes < units.KiB {
			barriers = append(barriers, r.Steps[i].Barrier)
		}
	}
	for _, s := range r.Stages[1:] {
		switching = append(switching, s.Measured)
	}
	var samples []Sample
	for _, s := range shots(nodes) {
		samples = append(samples, Sample{Bytes: float64(s.bytes) * float64(s.hops), Hops: float64(s.hops), Time: median(times[s])})
	}
	line, err := Fit(samples)
	if err != nil {
		return nil, nil, err
	}
	return &Host{Nodes: nodes, Line: *line, Barrier: median(barriers), Reconfig: median(switching)}, samples, nil
}

func median(times []units.Time) units.Time {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// Fabric returns the host as a fabric.
func (h *Host) Fabric() fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports = h.Nodes, 1
	f.Alpha, f.Delta, f.Bandwidth = whole(h.Alpha), whole(h.Delta), h.Bandwidth()
	if err := f.Set("reconfig", whole(h.Reconfig).String()); err != nil {
		panic("calibrate: a delay that cannot be: " + err.Error()) // cannot happen: it was measured
	}
	return f
}

// Fabric returns a line as a fabric of the default's nodes and ports: alpha includes the
// propagation, which measured times cannot separate from it.
func (l *Line) Fabric() fabric.Fabric {
	f := fabric.Default()
	f.Alpha, f.Delta, f.Bandwidth = whole(l.Alpha), whole(l.Delta), l.Bandwidth()
	return f
}

// whole rounds a time to a picosecond.
func whole(t units.Time) units.Duration { return units.Duration(math.Round(float64(t) * 1000)) }

// WriteYAML writes settings of a fabric in the form that fabric.LoadFile reads.
func WriteYAML(w io.Writer, f fabric.Fabric, comment string, names ...string) error {
	if _, err := fmt.Fprintf(w, "# %s\n", comment); err != nil {
		return err
	}
	for _, s := range fabric.Settings() {
		if !slices.Contains(names, s.Name) {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", s.Name, s.Get(&f)); err != nil {
			return err
		}
	}
	return nil
}

package fabric

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// OverlapKind says what may go on while circuits change.
type OverlapKind string

// The kinds.
const (
	// OverlapNone overlaps nothing. A change begins when the previous step has ended, and the next
	// step waits for all circuits.
	OverlapNone OverlapKind = ""
	// OverlapCompute has the GPUs compute for a given time before every change; circuits can
	// already change during that time.
	OverlapCompute OverlapKind = "compute"
	// OverlapPorts sets up circuits on ports that the previous stage leaves free while that stage
	// sends.
	OverlapPorts OverlapKind = "ports"
	// OverlapCircuits lets transfers over circuits that stay go on without waiting for those that
	// change.
	OverlapCircuits OverlapKind = "circuits"
	// OverlapPlanes gives port p of every GPU a separate switch, plane p, which reconfigures
	// independently while the other planes send. Only plans that say what every plane does use it;
	// for others it is as if there were no overlap.
	OverlapPlanes OverlapKind = "planes"
)

// Overlap says what may go on while circuits change.
type Overlap struct {
	Kind    OverlapKind
	Compute units.Duration // for OverlapCompute
}

const overlapSyntax = "use none, compute:TIME, ports, circuits or planes"

// ParseOverlap reads "none", "compute:20us", "ports", "circuits" or "planes".
func ParseOverlap(s string) (Overlap, error) {
	if s == noOverlap {
		return Overlap{}, nil
	}
	kind, time, timed := strings.Cut(s, ":")
	o := Overlap{Kind: OverlapKind(kind)}
	var err error
	if timed && o.Kind == OverlapCompute {
		if o.Compute, err = units.ParseDuration(time); err != nil {
			return Overlap{}, fmt.Errorf("%w; %s", err, overlapSyntax)
		}
		return o, nil
	}
	if timed || o.Kind == OverlapNone || o.Kind == OverlapCompute || o.validate() != nil {
		return Overlap{}, fmt.Errorf("unknown overlap %q; %s", s, overlapSyntax)
	}
	return o, nil
}

// String writes the overlap as ParseOverlap reads it.
func (o Overlap) String() string {
	if o.Kind == OverlapCompute {
		return fmt.Sprintf("%s:%v", o.Kind, o.Compute)
	}
	if o.Kind == OverlapNone {
		return noOverlap
	}
	return string(o.Kind)
}

// noOverlap is the text of OverlapNone.
const noOverlap = "none"

func (o Overlap) validate() error {
	if o.Kind != OverlapNone {
		if _, err := oneOf(string(o.Kind), OverlapCompute, OverlapPorts, OverlapCircuits, OverlapPlanes); err != nil {
			return err
		}
	}
	if o.Compute < 0 || o.Compute > 0 && o.Kind != OverlapCompute {
		return fmt.Errorf("a time of %v does not fit %s", o.Compute, o.Kind)
	}
	return nil
}

// Wait returns how long nothing is sent when circuits change from one set to another: the delay
// minus its hidden part, plus the barrier. It is 0 without a change.
func (f *Fabric) Wait(from, to *topology.Graph, hidden units.Time) units.Time {
	if from == to || from.Equal(to) {
		return 0
	}
	return exposed(f.Reconfig.Delay(from, to), hidden, f.Sync.Time())
}

// WaitFor returns how long nothing is sent during a change of the given delay. Computation may
// hide part of it (OverlapCompute).
func (f *Fabric) WaitFor(delay units.Time) units.Time {
	return exposed(delay, f.Overlap.Compute.Time(), f.Sync.Time())
}

// WaitAlone returns how long circuits carry nothing during a change of the given delay that
// nothing hides: that of a single plane, or of a fabric on which nothing is up.
func (f *Fabric) WaitAlone(delay units.Time) units.Time { return exposed(delay, 0, f.Sync.Time()) }

// DelaysFor is the inverse of WaitFor: it returns the range of delays whose waits are within
// the given ones. The longer wait must be at least that of no delay.
func (f *Fabric) DelaysFor(from, to units.Time) (least, most units.Time) {
	shift := f.Overlap.Compute.Time() - f.Sync.Time()
	if from > f.WaitFor(0) {
		least = from + shift
	}
	return least, to + shift
}

// ConstantWait is WaitFor of a delay that does not depend on what changes, to the
// picosecond.
func (f *Fabric) ConstantWait() units.Duration {
	return exposed(f.Reconfig.Base, f.Overlap.Compute, f.Sync)
}

// exposed is the only place that computes a wait from a delay, what hides it and the barrier.
func exposed[T units.Time | units.Duration](delay, hidden, sync T) T {
	return max(0, delay-hidden) + sync
}

// Hidden returns the part of a change that happens before the steps on the old circuits have
// ended; these were up and sending for the given time. What is hidden after that
// (OverlapCircuits) depends on what is sent: see package plan.
func (f *Fabric) Hidden(from, to *topology.Graph, sending units.Time) units.Time {
	switch f.Overlap.Kind {
	case OverlapCompute:
		return f.Overlap.Compute.Time()
	case OverlapPorts:
		if f.Spare(from, to) {
			return sending
		}
	}
	return 0
}

// Spare reports whether the new circuits find ports that the old ones leave free, so that both
// sets can be up at once.
func (f *Fabric) Spare(from, to *topology.Graph) bool {
	return from == to || from.Equal(to) || Changes{reconfig: f.Reconfig}.Together(from, to, f.AllPorts())
}

// SetUps returns the number of changes that every plan needs: one if no circuits are up at the
// start, else none. A plan with no more changes than that does not reconfigure.
func (f *Fabric) SetUps() int {
	if f.Initial == InitialDark {
		return 1
	}
	return 0
}

// LeastWait returns the shortest wait that any change of circuits can cause.
func (f *Fabric) LeastWait() units.Time {
	if f.Overlap.Kind == OverlapPlanes {
		return 0 // other planes send, and no GPU waits for a barrier
	}
	return f.LeastBarrier()
}

// LeastBarrier returns the shortest wait that any change can cause if all GPUs wait together,
// as in plans that do not say what every plane does.
func (f *Fabric) LeastBarrier() units.Time {
	if f.Overlap.Kind == OverlapPorts || f.Overlap.Kind == OverlapCircuits {
		return f.WaitFor(0)
	}
	return f.WaitFor(f.Reconfig.Least())
}

// UniformWait returns the wait of every change for which all GPUs wait together. It requires
// that this wait depends neither on what changes nor on what happens in islands and over fixed
// links meanwhile, and that only changes are charged.
func (f *Fabric) UniformWait() (wait units.Time, ok bool) {
	_, uniform := f.Reconfig.Uniform()
	return f.LeastBarrier(), uniform && f.Charge == ChargeChanges && !f.Tiered() &&
		(f.Overlap.Kind == OverlapNone || f.Overlap.Kind == OverlapCompute || f.Overlap.Kind == OverlapPlanes)
}

// CanStagger reports why planes of a fabric cannot reconfigure independently, or nil.
func (f *Fabric) CanStagger() error {
	switches, _ := f.Reconfig.Parallel()
	switch {
	case f.Overlap.Kind != OverlapPlanes:
		return fmt.Errorf("planes reconfigure together with overlap %s; use planes", f.Overlap)
	case !f.Links.IsZero():
		return fmt.Errorf("circuits of the base differ, and it is not known which plane has which")
	case f.Restricts():
		return fmt.Errorf("the switches %s are no whole planes", f.Layout.Short())
	case f.CapTheta:
		return fmt.Errorf("several planes send faster than theta 1 allows")
	case switches != 0 && switches != f.AllPorts():
		return fmt.Errorf("%d switches for %d planes; a plane needs one of its own", switches, f.AllPorts())
	}
	return nil
}

// Switches returns the number of parallel switches over which a GPU's ports are spread, and
// whether the fabric has such switches: port p is on switch p modulo their number, and a switch
// is dark as a whole when it changes.
func (f *Fabric) Switches() (count int, whole bool) {
	count, whole = f.Reconfig.Parallel()
	if whole && count == 0 {
		count = f.Ports
	}
	return count, whole
}

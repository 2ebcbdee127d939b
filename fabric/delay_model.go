package fabric

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/units"
)

// DelayModel says how long a change of circuits takes. All properties of a model are here or
// follow from these methods (Reconfig derives them), so a model is one file, in this package or
// in a program that uses it. fabrictest.Model tests the rules below.
//
// A change takes Reconfig.Base plus the model's charge. A model sees how much changes, not
// which circuits: changes with the same counts take the same time. Its dynamic type must be
// comparable, because a delay is part of Fabric.Key, and its values must not change.
type DelayModel interface {
	// String returns the name of the model in settings, files and messages, such as "per-port".
	String() string
	// Syntax describes how a delay of the model is written, such as "per-port:BASE+PER_PORT".
	Syntax() string
	// Parse reads a delay that begins with the model's name. The caller fills in Model.
	Parse(text string) (Reconfig, error)
	// Format writes a delay for Parse.
	Format(r Reconfig) string
	// Check reports why the numbers of a delay do not fit the model.
	Check(r Reconfig) error
	// Scaled returns a delay that is times/over as long for every change.
	Scaled(r Reconfig, times, over int64) Reconfig
	// Charge returns what a change takes in addition to Base. It is not negative, and a change
	// with more of anything costs no less. A charge that is the same for all changes belongs in
	// Base.
	Charge(r Reconfig, c Change) units.Time
	// Switches returns the number of parallel switches over which the ports are spread (0: one for
	// each port) and whole = true if a switch that changes is dark as a whole. If circuits are set
	// one by one, and those that stay remain up, whole is false.
	Switches(r Reconfig) (count int, whole bool)
}

// Change counts what a reconfiguration changes. It is never empty.
type Change interface {
	// Ports counts the ports with another circuit than before: for each GPU, the most circuits
	// that it gains or loses in one direction.
	Ports() int
	// Circuits counts the circuits that are set up and those that are taken down.
	Circuits() (set, taken int)
	// Switches counts the parallel switches that change, if the model has any.
	Switches() int
}

// Counts is a Change with known counts.
type Counts struct{ OfPorts, Set, Taken, OfSwitches int }

// Ports implements Change.
func (c Counts) Ports() int { return c.OfPorts }

// Circuits implements Change.
func (c Counts) Circuits() (set, taken int) { return c.Set, c.Taken }

// Switches implements Change.
func (c Counts) Switches() int { return c.OfSwitches }

// Terms is the text form of most models: NAME:BASE+EACH. Models embed it.
type Terms struct {
	Name    string
	Each    string // what Reconfig.Each is for: PER_PORT
	Counted bool   // NAME/K is allowed: K parallel switches
}

// String implements DelayModel.
func (t Terms) String() string { return t.Name }

// Syntax implements DelayModel.
func (t Terms) Syntax() string {
	plain := fmt.Sprintf("%s:BASE+%s", t.Name, t.Each)
	if t.Counted {
		plain += fmt.Sprintf(" or %s/K:BASE+%s for K switches", t.Name, t.Each)
	}
	return plain
}

// Parse implements DelayModel.
func (t Terms) Parse(text string) (r Reconfig, err error) {
	head, delays, _ := strings.Cut(text, ":")
	if _, switches, counted := strings.Cut(head, "/"); counted && !t.Counted {
		return r, errOtherModel
	} else if counted {
		if r.Switches, err = parseCount(switches, 1, MaxPorts); err != nil {
			return r, fmt.Errorf("switches: %w", err)
		}
	}
	base, each, ok := strings.Cut(delays, "+")
	if !ok {
		return r, fmt.Errorf("%q has no +", text)
	}
	if r.Base, err = units.ParseDuration(base); err != nil {
		return r, err
	}
	r.Each, err = units.ParseDuration(each)
	return r, err
}

// Format implements DelayModel.
func (t Terms) Format(r Reconfig) string {
	name := t.Name
	if r.Switches > 0 {
		name += fmt.Sprintf("/%d", r.Switches)
	}
	return fmt.Sprintf("%s:%s+%s", name, r.Base, r.Each)
}

// Check implements DelayModel.
func (t Terms) Check(r Reconfig) error {
	if r.Base < 0 || r.Each < 0 {
		return fmt.Errorf("must not be negative")
	}
	if r.Switches < 0 || r.Switches > 0 && !t.Counted {
		return fmt.Errorf("%d switches do not fit %s", r.Switches, t.Name)
	}
	return nil
}

// Scaled implements DelayModel.
func (t Terms) Scaled(r Reconfig, times, over int64) Reconfig {
	r.Base, r.Each = r.Base*units.Duration(times)/units.Duration(over), r.Each*units.Duration(times)/units.Duration(over)
	return r
}

// Switches implements DelayModel: circuits are set one by one.
func (t Terms) Switches(Reconfig) (count int, whole bool) { return 0, false }

package fault

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// Injection is a fault that is made on purpose.
type Injection struct {
	Kind Kind // Died, Stalled, Restarted, Garbage, Secret, Clock: of rank From; SwitchDied; Cut
	// From and To are the ends of a circuit that is cut, in both directions unless OneWay.
	From, To int
	OneWay   bool
	Step     int            // in which it happens, from 1; 0: at a time
	At       units.Duration // since the first circuits were set, in the fabric's time
}

const injectionSyntax = "use link:U-V, link:U>V (one direction), gpu:U, stall:U, restart:U, garbage:U, clock:U, secret:U or switch, each with @step:N or @TIME, e.g. link:3-4@step:5 or gpu:2@10us"

// words are the faults of a rank, by how they are written.
var words = map[string]Kind{
	"gpu": Died, "stall": Stalled, "restart": Restarted, "garbage": Garbage, "clock": Clock, "secret": Secret,
}

// Parse reads a fault, such as link:3-4@step:5 or gpu:2@10us. Circuits, GPUs and times are
// written as for a simulation (replay.ParseFailure).
func Parse(text string) (Injection, error) {
	bad := fmt.Errorf("%q: %s", text, injectionSyntax)
	what, when, ok := strings.Cut(text, "@")
	if !ok {
		return Injection{}, bad
	}
	var i Injection
	if step, found := strings.CutPrefix(when, "step:"); found {
		n, err := strconv.Atoi(step)
		if err != nil || n < 1 || strconv.Itoa(n) != step {
			return Injection{}, fmt.Errorf("%q: step %q; steps count from 1; %s", text, step, injectionSyntax)
		}
		i.Step, when = n, "0ns"
	}
	kind, who, _ := strings.Cut(what, ":")
	switch {
	case what == "switch":
		at, err := units.ParseDuration(when)
		if err != nil {
			return Injection{}, fmt.Errorf("%q: %w; %s", text, err, injectionSyntax)
		}
		i.Kind, i.From, i.At = SwitchDied, Nobody, at
		return i, nil
	case kind == "link":
		i.Kind = Cut
	case words[kind] != "":
		i.Kind = words[kind]
		what = "gpu:" + who
	default:
		return Injection{}, bad
	}
	f, err := replay.ParseFailure(what + "@" + when)
	if err != nil {
		return Injection{}, bad
	}
	i.From, i.To, i.OneWay, i.At = f.From, f.To, f.OneWay, f.At
	return i, nil
}

// String writes the fault as Parse reads it.
func (i Injection) String() string {
	when := i.At.String()
	if i.Step > 0 {
		when = fmt.Sprintf("step:%d", i.Step)
	}
	switch i.Kind {
	case SwitchDied:
		return "switch@" + when
	case Cut:
		arrow := "-"
		if i.OneWay {
			arrow = ">"
		}
		return fmt.Sprintf("link:%d%s%d@%s", i.From, arrow, i.To, when)
	}
	for word, kind := range words {
		if kind == i.Kind {
			return fmt.Sprintf("%s:%d@%s", word, i.From, when)
		}
	}
	return string(i.Kind)
}

// MarshalText writes the fault as String does.
func (i Injection) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads it as Parse does.
func (i *Injection) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*i = parsed
	}
	return err
}

// Check reports a rank or a step that is not there.
func (i Injection) Check(nodes, steps int) error {
	if most := max(i.From, i.To); most >= nodes {
		return fmt.Errorf("%v: there is no node %d; nodes are 0 to %d", i, most, nodes-1)
	}
	if i.Step > steps {
		return fmt.Errorf("%v: there is no step %d; the plan has %d", i, i.Step, steps)
	}
	return nil
}

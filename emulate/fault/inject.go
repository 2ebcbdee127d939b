package fault

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// Injection is a fault to inject.
type Injection struct {
	// Kind is Died, Stalled, Restarted, Garbage, Secret or Clock, for rank From; SwitchDied; or
	// Cut, Slowed or Corrupted, for circuits.
	Kind Kind
	// From and To are the ends of circuits, in both directions unless OneWay.
	From, To int
	OneWay   bool
	Factor   float64        // for Slowed: how many times longer bytes take
	Step     int            // step of the fault, from 1; 0: at a time
	At       units.Duration // since the first circuits were set, in the fabric's time
}

const injectionSyntax = "use link:U-V, link:U>V (one direction), slow:U-V:K, corrupt:U-V, gpu:U, stall:U, restart:U, garbage:U, clock:U, secret:U or switch, each with @step:N or @TIME, e.g. link:3-4@step:5 or gpu:2@10us"

// words are the faults of a rank, by their text forms.
var words = map[string]Kind{
	"gpu": Died, "stall": Stalled, "restart": Restarted, "garbage": Garbage, "clock": Clock, "secret": Secret,
}

// maxFactor is slower than any link that is up.
const maxFactor = 1000.0

// OfLink reports whether the fault is one of circuits.
func (i Injection) OfLink() bool { return i.Kind == Cut || i.Kind == Slowed || i.Kind == Corrupted }

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
	case kind == "corrupt":
		i.Kind, what = Corrupted, "link:"+who
	case kind == "slow":
		circuit, factor, _ := strings.Cut(who, ":")
		k, err := strconv.ParseFloat(factor, 64)
		if err != nil || !(k > 1) || k > maxFactor {
			return Injection{}, fmt.Errorf("%q: %q is not above 1 and up to %d times as long; %s", text, factor, int(maxFactor), injectionSyntax)
		}
		i.Kind, i.Factor, what = Slowed, k, "link:"+circuit
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

// String returns the form that Parse reads.
func (i Injection) String() string {
	when := i.At.String()
	if i.Step > 0 {
		when = fmt.Sprintf("step:%d", i.Step)
	}
	switch i.Kind {
	case SwitchDied:
		return "switch@" + when
	case Cut, Slowed, Corrupted:
		arrow := "-"
		if i.OneWay {
			arrow = ">"
		}
		between := fmt.Sprintf("%d%s%d", i.From, arrow, i.To)
		switch i.Kind {
		case Slowed:
			return fmt.Sprintf("slow:%s:%s@%s", between, strconv.FormatFloat(i.Factor, 'g', -1, 64), when)
		case Corrupted:
			return fmt.Sprintf("corrupt:%s@%s", between, when)
		}
		return fmt.Sprintf("link:%s@%s", between, when)
	}
	for word, kind := range words {
		if kind == i.Kind {
			return fmt.Sprintf("%s:%d@%s", word, i.From, when)
		}
	}
	return string(i.Kind)
}

// MarshalText returns the form of String.
func (i Injection) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads the form of Parse.
func (i *Injection) UnmarshalText(text []byte) error { return units.Read(i, Parse, string(text)) }

// Check returns an error if the rank or the step does not exist.
func (i Injection) Check(nodes, steps int) error {
	if most := max(i.From, i.To); most >= nodes {
		return fmt.Errorf("%v: there is no node %d; nodes are 0 to %d", i, most, nodes-1)
	}
	if i.Step > steps {
		return fmt.Errorf("%v: there is no step %d; the plan has %d", i, i.Step, steps)
	}
	return nil
}

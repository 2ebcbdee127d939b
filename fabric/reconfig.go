package fabric

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Model says on what the delay of a reconfiguration depends.
type Model string

// The models. A change of nothing is always free.
const (
	Constant   Model = "constant"    // Base, whatever changes
	PerPort    Model = "per-port"    // Base + Each for every port with a changed circuit
	PerCircuit Model = "per-circuit" // Base + Each for every circuit set up (or taken down, if more are)
	PerSwitch  Model = "per-switch"  // Base + Each for every parallel switch that changes, see switches.go
)

// Reconfig is the delay of a change of circuits.
type Reconfig struct {
	Model      Model
	Base, Each units.Duration
	Switches   int // of PerSwitch: the ports are spread over that many; 0: one for each port
}

const reconfigSyntax = "use 10us, per-port:BASE+PER_PORT, per-circuit:BASE+PER_CIRCUIT, per-switch:BASE+PER_SWITCH or per-switch/K:BASE+PER_SWITCH for K switches"

// ParseReconfig reads "10us", "per-port:1us+20ns", "per-circuit:1us+20ns",
// "per-switch:1us+5us" or, for 2 parallel switches, "per-switch/2:1us+5us".
func ParseReconfig(s string) (Reconfig, error) {
	model, delays, tagged := strings.Cut(s, ":")
	if !tagged {
		base, err := units.ParseDuration(s)
		if err != nil {
			return Reconfig{}, fmt.Errorf("%w; %s", err, reconfigSyntax)
		}
		return Reconfig{Model: Constant, Base: base}, nil
	}
	model, switches, counted := strings.Cut(model, "/")
	r := Reconfig{Model: Model(model)}
	var err error
	switch {
	case r.Model != PerPort && r.Model != PerCircuit && r.Model != PerSwitch, counted && r.Model != PerSwitch:
		return Reconfig{}, fmt.Errorf("unknown model %q; %s", s[:strings.Index(s, ":")], reconfigSyntax)
	case counted:
		if r.Switches, err = parseCount(switches, 1, MaxPorts); err != nil {
			return Reconfig{}, fmt.Errorf("switches: %w; %s", err, reconfigSyntax)
		}
	}
	first, second, ok := strings.Cut(delays, "+")
	if !ok {
		return Reconfig{}, fmt.Errorf("%q has no +; %s", s, reconfigSyntax)
	}
	if r.Base, err = units.ParseDuration(first); err != nil {
		return Reconfig{}, fmt.Errorf("%w; %s", err, reconfigSyntax)
	}
	if r.Each, err = units.ParseDuration(second); err != nil {
		return Reconfig{}, fmt.Errorf("%w; %s", err, reconfigSyntax)
	}
	return r, nil
}

// String writes the delay as ParseReconfig reads it.
func (r Reconfig) String() string {
	if r.Model == Constant {
		return r.Base.String()
	}
	model := string(r.Model)
	if r.Switches > 0 {
		model += fmt.Sprintf("/%d", r.Switches)
	}
	return fmt.Sprintf("%s:%s+%s", model, r.Base, r.Each)
}

func (r Reconfig) validate() error {
	if _, err := oneOf(string(r.Model), Constant, PerPort, PerCircuit, PerSwitch); err != nil {
		return err
	}
	if r.Base < 0 || r.Each < 0 {
		return fmt.Errorf("must not be negative")
	}
	if r.Switches < 0 || r.Switches > 0 && r.Model != PerSwitch {
		return fmt.Errorf("%d switches do not fit %s", r.Switches, r.Model)
	}
	return nil
}

// Least returns the smallest delay that any change of circuits can have.
func (r Reconfig) Least() units.Time {
	if r.Model == Constant {
		return r.Base.Time()
	}
	return r.Base.Time() + r.Each.Time()
}

// Delay returns what it takes to get from one set of circuits to another.
func (r Reconfig) Delay(from, to *topology.Graph) units.Time {
	if from == to || from.Equal(to) {
		return 0
	}
	switch r.Model {
	case PerPort:
		return r.Base.Time() + units.Time(changedPorts(from, to))*r.Each.Time()
	case PerCircuit:
		added, removed := changedCircuits(from, to)
		return r.Base.Time() + units.Time(max(added, removed))*r.Each.Time()
	case PerSwitch:
		return r.Base.Time() + units.Time(changedSwitches(from, to, r.Switches))*r.Each.Time()
	}
	return r.Base.Time()
}

// changedPorts counts, per node, the ports whose transmit or receive fibre gets
// another peer: the largest of the circuits that it gains or loses in one direction.
func changedPorts(from, to *topology.Graph) int {
	n := from.Nodes()
	out := make([][2]int, n) // gained, lost
	in := make([][2]int, n)
	differences(from, to, func(u, v, gained int) {
		side := 0
		if gained < 0 {
			side, gained = 1, -gained
		}
		out[u][side] += gained
		in[v][side] += gained
	})
	sum := 0
	for u := range n {
		sum += max(out[u][0], out[u][1], in[u][0], in[u][1])
	}
	return sum
}

func changedCircuits(from, to *topology.Graph) (added, removed int) {
	differences(from, to, func(_, _, gained int) {
		if gained > 0 {
			added += gained
		} else {
			removed -= gained
		}
	})
	return added, removed
}

// differences visits every pair of nodes whose number of circuits differs.
func differences(from, to *topology.Graph, visit func(u, v, gained int)) {
	for e := range to.Edges() {
		if gained := e.Count - from.Count(e.From, e.To); gained != 0 {
			visit(e.From, e.To, gained)
		}
	}
	for e := range from.Edges() {
		if to.Count(e.From, e.To) == 0 {
			visit(e.From, e.To, -e.Count)
		}
	}
}

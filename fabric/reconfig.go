package fabric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Model names a DelayModel.
type Model string

// DelayModel says how long a change of circuits takes and which circuits it leaves up. The two
// sets of circuits always differ: an empty change is free. Each model has its own file and a
// name in delayModels.
type DelayModel interface {
	// Delay returns how long the circuits that are set up are dark.
	Delay(from, to *topology.Graph) units.Time
	// Least returns the smallest delay that a change can have.
	Least() units.Time
	// Most returns the delay of a change of every circuit, of so many nodes with so many ports.
	Most(nodes, ports int) units.Time
	// Uniform reports whether all changes have the same delay.
	Uniform() bool
	// Stay returns which bundles of the new circuits carry on all through the change, with
	// all of their circuits.
	Stay(from, to *topology.Graph) func(u, v int) bool
	// Together reports whether, with so many ports per GPU, the new circuits can be set up
	// while every old one carries on.
	Together(from, to *topology.Graph, ports int) bool
}

// delayModels lists all models, in the order in which they are named to users.
func delayModels() []delayModel {
	return []delayModel{constantModel, perPortModel, perCircuitModel, perSwitchModel}
}

// delayModel is a DelayModel's name, how it is written, and how it is made of a delay.
type delayModel struct {
	name    Model
	syntax  string
	counted bool // it may have a number of switches
	of      func(r Reconfig) DelayModel
}

// modelOf returns the model of a delay. What has none, and does not pass validation, is a
// constant.
func modelOf(r Reconfig) DelayModel {
	for _, m := range delayModels() {
		if m.name == r.Model {
			return m.of(r)
		}
	}
	return constantModel.of(r)
}

// Reconfig is the delay of a change of circuits.
type Reconfig struct {
	Model      Model
	Base, Each units.Duration
	Switches   int // of PerSwitch: the ports are spread over that many; 0: one for each port
}

// reconfigSyntax says how delays are written.
func reconfigSyntax() string {
	var all []string
	for _, m := range delayModels() {
		all = append(all, m.syntax)
	}
	return "use " + strings.Join(all, ", ")
}

// ParseReconfig reads "10us", "per-port:1us+20ns", "per-circuit:1us+20ns",
// "per-switch:1us+5us" or, for 2 parallel switches, "per-switch/2:1us+5us".
func ParseReconfig(s string) (Reconfig, error) {
	model, delays, tagged := strings.Cut(s, ":")
	if !tagged {
		base, err := units.ParseDuration(s)
		if err != nil {
			return Reconfig{}, fmt.Errorf("%w; %s", err, reconfigSyntax())
		}
		return Reconfig{Model: Constant, Base: base}, nil
	}
	model, switches, counted := strings.Cut(model, "/")
	r := Reconfig{Model: Model(model)}
	var err error
	switch {
	case !slices.ContainsFunc(delayModels(), func(m delayModel) bool {
		return m.name == r.Model && r.Model != Constant && (m.counted || !counted)
	}):
		return Reconfig{}, fmt.Errorf("unknown model %q; %s", s[:strings.Index(s, ":")], reconfigSyntax())
	case counted:
		if r.Switches, err = parseCount(switches, 1, MaxPorts); err != nil {
			return Reconfig{}, fmt.Errorf("switches: %w; %s", err, reconfigSyntax())
		}
	}
	first, second, ok := strings.Cut(delays, "+")
	if !ok {
		return Reconfig{}, fmt.Errorf("%q has no +; %s", s, reconfigSyntax())
	}
	if r.Base, err = units.ParseDuration(first); err != nil {
		return Reconfig{}, fmt.Errorf("%w; %s", err, reconfigSyntax())
	}
	if r.Each, err = units.ParseDuration(second); err != nil {
		return Reconfig{}, fmt.Errorf("%w; %s", err, reconfigSyntax())
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
	var names []Model
	counted := false
	for _, m := range delayModels() {
		names = append(names, m.name)
		counted = counted || m.name == r.Model && m.counted
	}
	if _, err := oneOf(string(r.Model), names...); err != nil {
		return err
	}
	if r.Base < 0 || r.Each < 0 {
		return fmt.Errorf("must not be negative")
	}
	if r.Switches < 0 || r.Switches > 0 && !counted {
		return fmt.Errorf("%d switches do not fit %s", r.Switches, r.Model)
	}
	return nil
}

// Least returns the smallest delay that any change of circuits can have.
func (r Reconfig) Least() units.Time { return modelOf(r).Least() }

// Most returns the delay of a change of every circuit, of so many nodes with so many ports.
func (r Reconfig) Most(nodes, ports int) units.Time { return modelOf(r).Most(nodes, ports) }

// Uniform returns the delay of every change, if it does not depend on what changes.
func (r Reconfig) Uniform() (delay units.Time, ok bool) {
	model := modelOf(r)
	return model.Least(), model.Uniform()
}

// Delay returns what it takes to get from one set of circuits to another.
func (r Reconfig) Delay(from, to *topology.Graph) units.Time {
	if from == to || from.Equal(to) {
		return 0
	}
	return modelOf(r).Delay(from, to)
}

// Remembering returns the model for many changes between the same topologies: it keeps what
// it has found out about each of them. It is not for concurrent use.
func (r Reconfig) Remembering() DelayModel {
	model := modelOf(r)
	if switches, ok := model.(perSwitchDelay); ok {
		switches.known = map[dealt][][][2]int{}
		return switches
	}
	return model
}

// Stay returns which bundles of the new circuits are up all through a change, with all of
// their circuits: what transfers over them need not wait for.
func (r Reconfig) Stay(from, to *topology.Graph) func(u, v int) bool {
	if from == to || from.Equal(to) {
		return func(int, int) bool { return true }
	}
	return modelOf(r).Stay(from, to)
}

// singly is what circuits have in common that a switch sets one by one: those that are in
// both sets are not touched, and new ones take ports that are free.
type singly struct{}

// Stay implements DelayModel. Of a bundle that grows, some circuits are dark: it waits.
func (singly) Stay(from, to *topology.Graph) func(u, v int) bool {
	return func(u, v int) bool { return from.Count(u, v) >= to.Count(u, v) }
}

// Together implements DelayModel.
func (singly) Together(from, to *topology.Graph, ports int) bool {
	n := from.Nodes()
	out, in := make([]int, n), make([]int, n)
	count := func(u, v, circuits int) {
		out[u] += circuits
		in[v] += circuits
	}
	for e := range from.Edges() {
		count(e.From, e.To, max(e.Count, to.Count(e.From, e.To)))
	}
	for e := range to.Edges() {
		if from.Count(e.From, e.To) == 0 {
			count(e.From, e.To, e.Count)
		}
	}
	for u := range n {
		if out[u] > ports || in[u] > ports {
			return false
		}
	}
	return true
}

// differences visits every pair of nodes whose number of circuits differs.
func differences(from, to *topology.Graph, visit func(u, v, gained int)) {
	for u := range to.Nodes() {
		old, oldCount := from.Row(u)
		now, nowCount := to.Row(u)
		i := 0
		for k, v := range now { // both are ascending
			for ; i < len(old) && old[i] < v; i++ {
				visit(u, int(old[i]), -int(oldCount[i]))
			}
			gained := int(nowCount[k])
			if i < len(old) && old[i] == v {
				gained -= int(oldCount[i])
				i++
			}
			if gained != 0 {
				visit(u, int(v), gained)
			}
		}
		for ; i < len(old); i++ {
			visit(u, int(old[i]), -int(oldCount[i]))
		}
	}
}

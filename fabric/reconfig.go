package fabric

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// delayModels lists the built-in models, in the order in which users see them.
func delayModels() []DelayModel { return []DelayModel{Constant, PerPort, PerCircuit, PerSwitch} }

// delaySyntax lists how delays of models are written.
func delaySyntax(models []DelayModel) []string { return each.Of(models, DelayModel.Syntax) }

// Reconfig is the delay of a change of circuits.
type Reconfig struct {
	Model DelayModel
	// Base is the delay of every change, and Each the unit of the model's charge.
	Base, Each units.Duration
	Switches   int // parallel switches over which the ports are spread; 0: one for each port
}

// errOtherModel says that the text is not of this model after all.
var errOtherModel = errors.New("unknown model")

// Forbidding is the delay that rules out changes: a million seconds. A plan that does not
// reconfigure takes the same time at any delay. So the fastest plan at this delay is the fastest
// plan without reconfigurations at every delay.
const Forbidding = 1_000_000 * units.Second

// ParseReconfig reads "10us", "per-port:1us+20ns", "per-circuit:1us+20ns", "per-switch:1us+5us"
// or, for 2 parallel switches, "per-switch/2:1us+5us", and the syntax of additional models.
func ParseReconfig(s string, more ...DelayModel) (Reconfig, error) {
	all := append(delayModels(), more...)
	use := "use " + strings.Join(delaySyntax(all), ", ")
	head, _, tagged := strings.Cut(s, ":")
	model := Constant
	if tagged {
		name, _, _ := strings.Cut(head, "/")
		i := slices.IndexFunc(all, func(m DelayModel) bool { return m.String() == name && m != Constant })
		if i < 0 {
			return Reconfig{}, fmt.Errorf("unknown model %q; %s", head, use)
		}
		model = all[i]
	}
	r, err := model.Parse(s)
	switch {
	case errors.Is(err, errOtherModel):
		return Reconfig{}, fmt.Errorf("unknown model %q; %s", head, use)
	case err != nil:
		return Reconfig{}, fmt.Errorf("%w; a delay looks like %s", err, strings.Join(delaySyntax(all), ", "))
	}
	r.Model = model
	return r, nil
}

// modelNamed returns the model with a name. If there is none, the result does not pass
// validation.
func modelNamed(name string, more []DelayModel) DelayModel {
	all := append(delayModels(), more...)
	if i := slices.IndexFunc(all, func(m DelayModel) bool { return m.String() == name }); i >= 0 {
		return all[i]
	}
	return unknownModel{Terms{Name: name}}
}

// unknownModel stands for a name that no model has. It charges nothing.
type unknownModel struct{ Terms }

// Charge implements DelayModel.
func (unknownModel) Charge(Reconfig, Change) units.Time { return 0 }

// Check implements DelayModel.
func (m unknownModel) Check(Reconfig) error {
	names := each.Of(delayModels(), DelayModel.String)
	_, err := oneOf(m.Name, names...)
	return err
}

// model returns the model; for the zero value it is unknown.
func (r Reconfig) model() DelayModel {
	if r.Model == nil {
		return unknownModel{}
	}
	return r.Model
}

// String writes the delay as ParseReconfig reads it.
func (r Reconfig) String() string { return r.model().Format(r) }

func (r Reconfig) validate() error {
	if model := reflect.TypeOf(r.model()); !model.Comparable() {
		return fmt.Errorf("values of the model's type %v cannot be compared", model)
	}
	return r.model().Check(r)
}

// Scaled returns a delay that is times/over as long for every change.
func (r Reconfig) Scaled(times, over int64) Reconfig { return r.model().Scaled(r, times, over) }

// Charge returns the delay of a change with known counts. It is the only place that computes a
// delay.
func (r Reconfig) Charge(c Change) units.Time { return r.Base.Time() + r.model().Charge(r, c) }

// Parallel returns the number of parallel switches over which the ports are spread (0: one for
// each port), and whether there are such switches. Each is dark as a whole when it changes.
func (r Reconfig) Parallel() (switches int, whole bool) { return r.model().Switches(r) }

// Least returns the smallest delay that any change of circuits can have. A change touches the
// port at either end of a circuit; for a loop that can be the same port.
func (r Reconfig) Least() units.Time {
	return min(r.Charge(Counts{OfPorts: 1, Set: 1, OfSwitches: 1}), r.Charge(Counts{OfPorts: 1, Taken: 1, OfSwitches: 1}))
}

// Within returns the time that a switch may take to set one circuit.
func (r Reconfig) Within() units.Duration {
	return units.Duration(math.Round(float64(r.Least()) * float64(units.Nanosecond)))
}

// Most returns the delay of changing every circuit of a fabric with these nodes and ports.
func (r Reconfig) Most(nodes, ports int) units.Time {
	all := nodes * ports
	switches, _ := r.Parallel()
	return r.Charge(Counts{OfPorts: all, Set: all, Taken: all, OfSwitches: cmp.Or(switches, ports)})
}

// Uniform returns the delay of every change, if it does not depend on what changes: it is Base
// then.
func (r Reconfig) Uniform() (delay units.Time, ok bool) {
	return r.Base.Time(), r.Most(MaxNodes, MaxPorts) == r.Base.Time()
}

// Delay returns how long the change from one set of circuits to another takes.
func (r Reconfig) Delay(from, to *topology.Graph) units.Time {
	if from == to || from.Equal(to) {
		return 0
	}
	return Changes{reconfig: r}.Delay(from, to)
}

// Stay returns which bundles of the new circuits are up throughout a change, with all of their
// circuits, so that transfers over them need not wait for it.
func (r Reconfig) Stay(from, to *topology.Graph) func(u, v int) bool {
	if from == to || from.Equal(to) {
		return func(int, int) bool { return true }
	}
	return Changes{reconfig: r}.Stay(from, to)
}

// Charge says which steps pay for a reconfiguration.
type Charge string

// The ways to charge.
const (
	// ChargeChanges charges a step whose circuits differ from those of the previous step.
	ChargeChanges Charge = ""
	// ChargeSteps charges every step on circuits other than the base's, even if the previous step
	// had the same, and a step on the base after such a step ("When Light Bends to the Collective
	// Will", Eq. 7). The first step of a fabric that is free at the start pays nothing in either
	// case.
	ChargeSteps Charge = "steps"
)

// chargeChanges is the text of ChargeChanges.
const chargeChanges = "changes"

// ParseCharge reads "changes" or "steps".
func ParseCharge(s string) (Charge, error) {
	if s == chargeChanges {
		return ChargeChanges, nil
	}
	_, err := oneOf(s, chargeChanges, string(ChargeSteps))
	return Charge(s), err
}

// String writes the charge as ParseCharge reads it.
func (c Charge) String() string {
	if c == ChargeChanges {
		return chargeChanges
	}
	return string(c)
}

// Resting returns the circuits on which a step pays nothing if the previous step had them, too:
// the base's. It is nil with ChargeChanges, for which that holds for all circuits.
func (f *Fabric) Resting() (*topology.Graph, error) {
	if f.Charge == ChargeChanges {
		return nil, nil
	}
	whole := f.whole()
	return whole.BaseTopology()
}

// checkCharge reports settings that are incompatible with ChargeSteps. Eq. 7 has one delay that
// everything waits for, and one base.
func (f *Fabric) checkCharge() error {
	if f.Charge == ChargeChanges {
		return nil
	}
	if _, err := ParseCharge(string(f.Charge)); err != nil {
		return field.In("charge", err)
	}
	refuse := func(format string, args ...any) error {
		return field.Errorf("charge", "%s does not go with %s; use %s", f.Charge, fmt.Sprintf(format, args...), ChargeChanges)
	}
	switch _, uniform := f.Reconfig.Uniform(); {
	case !uniform:
		return refuse("the delay %s, which depends on what changes", f.Reconfig)
	case f.Overlap.Kind != OverlapNone:
		return refuse("overlap %s", f.Overlap)
	case !f.Island.IsZero():
		return refuse("islands")
	case !f.Fixed.IsZero():
		return refuse("fixed links")
	case !f.Avoid.IsZero() || !f.Spares.IsZero():
		return refuse("failed or held parts")
	}
	if _, err := f.Resting(); err != nil {
		if of := (*field.Error)(nil); errors.As(err, &of) {
			err = of.Err
		}
		return field.Errorf("charge", "%s needs a base: %w", f.Charge, err)
	}
	return nil
}

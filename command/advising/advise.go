// Package advising is the command advise: what one change of the fabric buys, in numbers and in
// words.
package advising

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// AdviseRequest asks what a change of the fabric would buy.
type AdviseRequest struct {
	Operation collective.Operation `json:"operation"`
	// More are further operations, each treated on its own.
	More    []collective.Operation `json:"more,omitempty"`
	Fabric  fabric.Fabric          `json:"fabric,omitzero"`
	Planner string                 `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
	// MostPorts is the largest number of ports to try; 0: twice the fabric's, at least 4.
	MostPorts int `json:"most_ports,omitempty" help:"largest number of ports to try, ${D} (default: twice the fabric's, at least 4)"`
}

// UnmarshalJSON reads the JSON form.
func (r *AdviseRequest) UnmarshalJSON(data []byte) error {
	type plain AdviseRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *AdviseRequest) Complete() error {
	if err := command.CompleteOperation(&r.Operation, &r.Fabric); err != nil {
		return err
	}
	for i := range r.More {
		if err := r.More[i].Complete(r.Fabric.Nodes); err != nil {
			return field.In(field.Index("more", i), err)
		}
	}
	r.Planner = cmp.Or(r.Planner, collective.Auto)
	if r.MostPorts == 0 {
		r.MostPorts = max(4, 2*r.Fabric.Ports)
	}
	if r.MostPorts < r.Fabric.Ports || r.MostPorts > fabric.MaxPorts {
		return field.Errorf("most_ports", "%d is not in %d..%d", r.MostPorts, r.Fabric.Ports, fabric.MaxPorts)
	}
	return nil
}

// AdviseSchema names the JSON form of advice and its version.
const AdviseSchema = "lightpath.advise/v1"

// Advice is the outcome.
type Advice struct {
	Schema           string        `json:"schema"`
	Fabric           fabric.Fabric `json:"fabric"`
	Op               collective.Op `json:"op"`
	SizeBytes        int64         `json:"size_bytes"`
	Algorithm        string        `json:"algorithm"`
	Planner          string        `json:"planner"`
	TotalNs          units.Time    `json:"total_ns"`
	Reconfigurations int           `json:"reconfigurations"`
	// Changes of the fabric, best first.
	Changes []FabricChange `json:"changes"`
	// PaysBelow gives, for sizes from 1KiB to 1GiB, the delay below which the planner's best plan
	// reconfigures. Absent if delays do not add up.
	PaysBelow []PaysBelow `json:"pays_below,omitempty"`
	// Ports is the time by the number of ports.
	Ports []PortsTime `json:"ports"`
	// EnoughPorts is the smallest number of ports beyond which no number tried gains 5%. Absent if
	// that is not known: the largest number tried still gains, or no other was tried.
	EnoughPorts int `json:"enough_ports,omitempty"`
	// More is the advice for each of the other operations.
	More []Advice `json:"more,omitempty"`
	// TogetherNs is the total time of all operations, each planned on its own from the fabric's
	// initial circuits. A plan of the sequence may take a different time, because each operation
	// then starts on the circuits that the one before left.
	TogetherNs units.Time `json:"together_ns,omitempty"`
	// Together is what changes buy for all operations, best first, with times added up like
	// TogetherNs. Changes that leave some operation without a plan are left out.
	Together []FabricChange `json:"together,omitempty"`
}

// FabricChange is one change of the fabric and what it buys.
type FabricChange struct {
	Change    string     `json:"change"` // in words
	Setting   string     `json:"setting"`
	Value     string     `json:"value"`
	TotalNs   units.Time `json:"total_ns,omitempty"`
	Speedup   float64    `json:"speedup,omitempty"`
	Algorithm string     `json:"algorithm,omitempty"`
	Reason    string     `json:"reason,omitempty"` // why there is no plan
}

// PaysBelow is the delay below which rewiring pays for a size.
type PaysBelow struct {
	SizeBytes int64 `json:"size_bytes"`
	// ReconfigNs is 0 if reconfiguring never pays, and absent if it always does.
	ReconfigNs *units.Time `json:"reconfig_ns,omitempty"`
}

// PortsTime is the time with a number of ports.
type PortsTime struct {
	Ports   int        `json:"ports"`
	TotalNs units.Time `json:"total_ns,omitempty"`
	Reason  string     `json:"reason,omitempty"`
}

// enoughGain is what another port must buy to be worth a word.
const enoughGain = 0.05

// Advise says which single change of the fabric buys most, below which delay reconfiguring
// pays, and how many ports are enough, for every operation and for all of them together.
// Every number is the time of a plan, or the delay at which two lines of the frontier meet;
// nothing is read off a grid.
func Advise(ctx context.Context, r AdviseRequest, options ...command.Option) (*Advice, error) {
	e := command.NewEnvironment(options)
	r.More = slices.Clone(r.More)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	a, err := r.advise(ctx, e)
	if err != nil {
		return nil, e.Unfinished(ctx, err, func() (any, string) { return a.soFar(0, len(r.More)) })
	}
	for i, o := range r.More {
		one := r
		one.Operation, one.More = o, nil
		other, err := one.advise(ctx, e)
		if err != nil {
			return nil, e.Unfinished(ctx, field.In(field.Index("more", i), err), func() (any, string) { return a.soFar(i+1, len(r.More)) })
		}
		a.More = append(a.More, *other)
	}
	a.addUp()
	return a, nil
}

// soFar is the advice that is known when there is no time for more.
func (a *Advice) soFar(operations, more int) (known any, how string) {
	if a == nil || len(a.Changes) == 0 {
		return nil, ""
	}
	sortChanges(a.Changes)
	if len(a.Ports) == 0 {
		a.Ports = []PortsTime{{Ports: a.Fabric.Ports, TotalNs: a.TotalNs}}
	}
	a.addUp()
	return a, fmt.Sprintf("%d of %d operations were looked at in full, %d changes", operations, more+1, len(a.Changes))
}

// addUp finds what changes buy for all operations, each planned separately.
func (a *Advice) addUp() {
	if len(a.More) == 0 {
		return
	}
	now := a.Now()
	a.TogetherNs = now
	for _, c := range a.Changes {
		sum := FabricChange{Change: c.Change, Setting: c.Setting, Value: c.Value, TotalNs: c.TotalNs}
		possible := c.Reason == ""
		for i := range a.More {
			k := slices.IndexFunc(a.More[i].Changes, func(o FabricChange) bool { return o.Change == c.Change })
			if possible = possible && k >= 0 && a.More[i].Changes[k].Reason == ""; possible {
				sum.TotalNs += a.More[i].Changes[k].TotalNs
			}
		}
		if possible {
			sum.Speedup = float64(now / sum.TotalNs)
			a.Together = append(a.Together, sum)
		}
	}
	sortChanges(a.Together)
}

// Now is the sum of the times of all operations, each planned on its own.
func (a *Advice) Now() units.Time {
	sum := a.TotalNs
	for i := range a.More {
		sum += a.More[i].TotalNs
	}
	return sum
}

// advise looks at one operation. With an error comes what is known of it.
func (r *AdviseRequest) advise(ctx context.Context, e *command.Environment) (*Advice, error) {
	now, _, err := r.time(ctx, e, r.Fabric)
	if err != nil {
		return nil, err
	}
	a := &Advice{
		Schema: AdviseSchema, Fabric: r.Fabric, Op: r.Operation.Op, SizeBytes: int64(r.Operation.Size),
		Algorithm: now.Algorithm, Planner: now.planner, TotalNs: now.TotalNs, Reconfigurations: now.changes, Changes: []FabricChange{},
	}
	work := r.variations()
	done, all := 0, len(work)+(r.MostPorts-r.Fabric.Ports)+len(adviseSizes())
	for _, v := range work {
		e.Report(done, all)
		done++
		c := FabricChange{Change: v.words, Setting: v.setting, Value: v.value}
		made, reason, err := r.time(ctx, e, v.fabric)
		if err != nil {
			return a, err
		}
		if reason != "" {
			c.Reason = reason
		} else {
			c.TotalNs, c.Speedup, c.Algorithm = made.TotalNs, float64(a.TotalNs/made.TotalNs), made.Algorithm
		}
		a.Changes = append(a.Changes, c)
	}
	sortChanges(a.Changes)
	if err := a.countPorts(ctx, r, e, func() { e.Report(done, all); done++ }); err != nil {
		return a, err
	}
	return a, a.findPaysBelow(ctx, r, e, func() { e.Report(done, all); done++ })
}

// advised is a plan's time.
type advised struct {
	PortsTime
	Algorithm, planner string
	changes            int
}

// time plans on another fabric. A fabric on which there is no plan is a reason.
func (r *AdviseRequest) time(ctx context.Context, e *command.Environment, f fabric.Fabric) (advised, string, error) {
	quiet := e.Search
	quiet.Progress, quiet.Bare = nil, true
	request := planning.PlanRequest{Fabric: f, Planner: r.Planner, Operations: []collective.Operation{r.Operation}}
	if err := request.Complete(); err != nil {
		return advised{}, err.Error(), r.fault(&f, err)
	}
	p, err := e.Search.Planners.Lookup(r.Planner)
	if err != nil {
		return advised{}, "", field.In("planner", err)
	}
	made, err := request.Asked().Fastest(ctx, p, &quiet)
	if err != nil {
		return advised{}, err.Error(), r.fault(&f, err)
	}
	return advised{PortsTime{Ports: f.Ports, TotalNs: made.Cost.Total()}, made.Collective.Algorithm, made.Planner, made.Reconfigurations}, "", nil
}

// fault returns the error of a fabric that was asked for; one that was only thought of may
// have no plan.
func (r *AdviseRequest) fault(f *fabric.Fabric, err error) error {
	var named *field.Error
	if f.Equal(r.Fabric) || !errors.Is(err, planner.ErrInfeasible) && !errors.As(err, &named) {
		return err
	}
	return nil
}

type variation struct {
	words, setting, value string
	fabric                fabric.Fabric
}

// variations lists the changes that are looked at.
func (r *AdviseRequest) variations() []variation {
	var all []variation
	add := func(words, setting string, change func(f *fabric.Fabric)) {
		f := r.Fabric
		change(&f)
		value := ""
		for _, s := range fabric.Settings() {
			if s.Name == setting {
				value = s.Get(&f)
			}
		}
		all = append(all, variation{words, setting, value, f})
	}
	add("half the reconfiguration delay", "reconfig", func(f *fabric.Fabric) { f.Reconfig.Base /= 2; f.Reconfig.Each /= 2 })
	add("one more port per GPU", "ports", func(f *fabric.Fabric) { f.Ports++ })
	others := ""
	if !r.Fabric.Links.IsZero() {
		others = " whose circuits have none of their own"
	}
	add("double the bandwidth of a port"+others, "bandwidth", func(f *fabric.Fabric) { f.Bandwidth *= 2 })
	add("half the start-up of a step", "alpha", func(f *fabric.Fabric) { f.Alpha /= 2 })
	add("half the delay of a hop"+others, "delta", func(f *fabric.Fabric) { f.Delta /= 2 })
	if r.Fabric.Overlap.Kind == fabric.OverlapNone {
		add("transfers over circuits that stay go on while others change", "overlap", func(f *fabric.Fabric) { f.Overlap = fabric.Overlap{Kind: fabric.OverlapCircuits} })
		if r.Fabric.Ports > 1 {
			add("switches of each port change while those of the others send", "overlap", func(f *fabric.Fabric) { f.Overlap = fabric.Overlap{Kind: fabric.OverlapPlanes} })
			add("circuits on free ports change while others send", "overlap", func(f *fabric.Fabric) { f.Overlap = fabric.Overlap{Kind: fabric.OverlapPorts} })
		}
	}
	return all
}

// sortChanges puts those that buy most first, those without a plan last.
func sortChanges(changes []FabricChange) {
	for i := range changes {
		for j := i; j > 0 && changes[j].Speedup > changes[j-1].Speedup; j-- {
			changes[j], changes[j-1] = changes[j-1], changes[j]
		}
	}
}

// countPorts plans with every number of ports.
func (a *Advice) countPorts(ctx context.Context, r *AdviseRequest, e *command.Environment, step func()) error {
	a.Ports = append(a.Ports, PortsTime{Ports: r.Fabric.Ports, TotalNs: a.TotalNs})
	a.EnoughPorts = r.Fabric.Ports
	best := a.TotalNs
	for ports := r.Fabric.Ports + 1; ports <= r.MostPorts; ports++ {
		step()
		f := r.Fabric
		f.Ports = ports
		made, known := a.onePortMore(ports - r.Fabric.Ports)
		if !known {
			found, reason, err := r.time(ctx, e, f)
			if err != nil {
				return err
			}
			made = PortsTime{TotalNs: found.TotalNs, Reason: reason}
		}
		made.Ports = ports
		a.Ports = append(a.Ports, made)
		if made.Reason == "" && made.TotalNs < best*(1-enoughGain) {
			best, a.EnoughPorts = made.TotalNs, ports
		}
	}
	if a.EnoughPorts == r.MostPorts { // what the next one buys nobody has looked at
		a.EnoughPorts = 0
	}
	return nil
}

// onePortMore returns what is known of it: it is one of the changes.
func (a *Advice) onePortMore(ports int) (PortsTime, bool) {
	for _, c := range a.Changes {
		if c.Setting == "ports" && ports == 1 {
			return PortsTime{TotalNs: c.TotalNs, Reason: c.Reason}, true
		}
	}
	return PortsTime{}, false
}

// adviseSizes are those for which the break-even delay is found: from 1KiB to 1GiB.
func adviseSizes() []units.Bytes {
	var sizes []units.Bytes
	for s := units.KiB; s <= units.GiB; s *= 4 {
		sizes = append(sizes, s)
	}
	return sizes
}

// findPaysBelow finds the delays below which the best plan rewires: where the line of the
// fewest changes takes over on the frontier.
func (a *Advice) findPaysBelow(ctx context.Context, r *AdviseRequest, e *command.Environment, step func()) error {
	if comparing.DelaysAddUp(&r.Fabric) != nil || r.Operation.Demand != nil || r.Operation.Generator != "" {
		return nil
	}
	for _, size := range adviseSizes() {
		step()
		o := r.Operation
		o.Size = size
		frontier, err := comparing.FindFrontier(ctx, comparing.FrontierRequest{Operation: o, Fabric: r.Fabric, Planner: r.Planner}, command.WithRegistry(e.Search.Planners))
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			continue
		case err != nil:
			return err
		}
		last := frontier.Points[len(frontier.Points)-1]
		from := last.FromNs
		p := PaysBelow{SizeBytes: int64(size), ReconfigNs: &from}
		if last.Reconfigurations > leastChanges(&r.Fabric) {
			p.ReconfigNs = nil // no plan does without
		}
		a.PaysBelow = append(a.PaysBelow, p)
	}
	return nil
}

// leastChanges is how many changes a plan on one topology has.
func leastChanges(f *fabric.Fabric) int {
	if f.Initial == fabric.InitialFree || f.Initial == fabric.InitialBase {
		return 0
	}
	return 1
}

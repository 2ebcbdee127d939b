// Package advising implements the command advise: what one change of the fabric saves, in
// numbers and in words.
package advising

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// enoughGain is the least gain for which another port is worth it.
const enoughGain = 0.05

// Advise says which single change of the fabric saves most, below which delay reconfiguring pays
// off, and how many ports are enough, for every operation and for all of them together. Every
// number is the time of a plan, or the delay at which two lines of the frontier meet; nothing is
// read off a grid.
func Advise(ctx context.Context, r AdviseRequest, options ...command.Option) (*Advice, error) {
	e := command.NewRun(options)
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

// soFar returns the advice known so far, for when time runs out.
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

// advise handles one operation. With an error, it returns the advice known so far.
func (r *AdviseRequest) advise(ctx context.Context, e *command.Run) (*Advice, error) {
	now, _, err := r.time(ctx, e, r.Fabric)
	if err != nil {
		return nil, err
	}
	a := &Advice{
		Schema: AdviseSchema, Fabric: r.Fabric, Op: r.Operation.Op, SizeBytes: int64(r.Operation.Size),
		Algorithm: now.Algorithm, Planner: now.planner, TotalNs: now.TotalNs, Reconfigurations: now.changes, Changes: []FabricChange{},
	}
	if r.Workload != nil {
		a.Iteration = &AdvisedIteration{Name: r.Workload.Name, Policy: now.Algorithm, ComputeNs: now.compute}
		a.Algorithm = ""
	}
	work := r.variations()
	done, all := 0, len(work)+(r.MostPorts-r.Fabric.Ports)
	if r.Workload == nil {
		all += len(adviseSizes())
	}
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
			c.TotalNs, c.Speedup, c.Algorithm = made.TotalNs, a.TotalNs.Over(made.TotalNs), made.Algorithm
		}
		a.Changes = append(a.Changes, c)
	}
	sortChanges(a.Changes)
	if err := a.countPorts(ctx, r, e, func() { e.Report(done, all); done++ }); err != nil {
		return a, err
	}
	if r.Workload != nil {
		return a, nil // for iterations, explain says which delays are free or cheap
	}
	return a, a.findPaysBelow(ctx, r, e, func() { e.Report(done, all); done++ })
}

// advised is the time of a plan with its details.
type advised struct {
	PortsTime
	Algorithm, planner string
	changes            int
	compute            units.Time // of an iteration
}

// time plans on another fabric. If that has no plan, it returns the reason.
func (r *AdviseRequest) time(ctx context.Context, e *command.Run, f fabric.Fabric) (advised, string, error) {
	if r.Workload != nil {
		d, err := iterating.Iterate(ctx, iterating.IterateRequest{Workload: r.Workload, Fabric: f}, command.WithRegistry(e.Search.Planners()), command.WithKnown(e.Known))
		if err != nil {
			return advised{}, err.Error(), r.fault(&f, err)
		}
		return advised{PortsTime{Ports: f.Ports, TotalNs: d.Iteration}, d.Policy, "", d.Reconfigurations, d.Compute}, "", nil
	}
	made, err := planning.Fastest(ctx, planning.PlanRequest{
		Fabric: f, Planner: r.Planner, Operations: []collective.Operation{r.Operation},
	}, e)
	if err != nil {
		return advised{}, err.Error(), r.fault(&f, err)
	}
	return advised{
		PortsTime{Ports: f.Ports, TotalNs: made.Cost.Total()},
		made.Collective.Algorithm, made.Planner, made.Reconfigurations, 0,
	}, "", nil
}

// fault returns the error for the requested fabric; a hypothetical fabric may have no plan.
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

// variations lists the changes of the fabric to try.
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
	add("half the reconfiguration delay", "reconfig", func(f *fabric.Fabric) { f.Reconfig = f.Reconfig.Scaled(1, 2) })
	add("one more port per GPU", "ports", func(f *fabric.Fabric) { f.Ports++ })
	others := ""
	if !r.Fabric.Links.IsZero() {
		others = " whose circuits have none of their own"
	}
	add("double the bandwidth of a port"+others, "bandwidth", func(f *fabric.Fabric) { f.Bandwidth *= 2 })
	add("half the start-up of a step", "alpha", func(f *fabric.Fabric) { f.Alpha /= 2 })
	add("half the delay of a hop"+others, "delta", func(f *fabric.Fabric) { f.Delta /= 2 })
	if !r.Fabric.Island.IsZero() {
		add("double the bandwidth within islands", "island-bandwidth", func(f *fabric.Fabric) { f.Island.Bandwidth *= 2 })
	}
	// In iterations, ports change while others send in any case.
	if r.Fabric.Overlap.Kind == fabric.OverlapNone && r.Workload == nil {
		add("transfers over circuits that stay go on while others change", "overlap", func(f *fabric.Fabric) { f.Overlap = fabric.Overlap{Kind: fabric.OverlapCircuits} })
		if r.Fabric.Ports > 1 {
			add("switches of each port change while those of the others send", "overlap", func(f *fabric.Fabric) { f.Overlap = fabric.Overlap{Kind: fabric.OverlapPlanes} })
			add("circuits on free ports change while others send", "overlap", func(f *fabric.Fabric) { f.Overlap = fabric.Overlap{Kind: fabric.OverlapPorts} })
		}
	}
	return all
}

// countPorts plans with every number of ports.
func (a *Advice) countPorts(ctx context.Context, r *AdviseRequest, e *command.Run, step func()) error {
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
	if a.EnoughPorts == r.MostPorts { // nothing is known of one more port
		a.EnoughPorts = 0
	}
	return nil
}

// onePortMore returns the time with one more port if that is among the changes.
func (a *Advice) onePortMore(ports int) (PortsTime, bool) {
	for _, c := range a.Changes {
		if c.Setting == "ports" && ports == 1 {
			return PortsTime{TotalNs: c.TotalNs, Reason: c.Reason}, true
		}
	}
	return PortsTime{}, false
}

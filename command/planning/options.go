package planning

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
)

// By is the trait of a command whose requests are PlanRequests, with user-defined planners
// beside those of Lightpath. The options of these planners become fields of the requests.
func By(own ...planner.Planner) func(*command.Command) {
	return func(c *command.Command) {
		c.Besides = command.Planners(own...).Options()
		c.New = func() command.Request {
			r := &PlanRequest{}
			if len(own) > 0 {
				r.planners = command.Planners(own...)
			}
			r.Options = r.registry().Options()
			return r
		}
	}
}

// registry returns the planners to which the options belong.
func (r *PlanRequest) registry() planner.Registry {
	if r.planners == nil {
		return command.Planners()
	}
	return r.planners
}

// fillOptions makes the request hold options of every kind, in the order of the planners: copies
// of the request's options, and for other kinds the planners' own.
func (r *PlanRequest) fillOptions() error {
	all := r.registry().Options()
	set := make([]bool, len(all))
	for _, o := range r.Options {
		k := slices.IndexFunc(all, func(other planner.Options) bool { return planner.SameKind(o, other) })
		switch {
		case k < 0:
			return field.Errorf("options", "no planner takes a %T", o)
		case set[k]:
			return field.Errorf("options", "a %T is listed twice", o)
		}
		set[k] = true
		reflect.ValueOf(all[k]).Elem().Set(reflect.ValueOf(o).Elem())
	}
	r.Options = all
	return nil
}

// completeOptions fills in the options of every kind, and reports options that are invalid or
// have no effect on the operations.
func (r *PlanRequest) completeOptions() error {
	if err := r.fillOptions(); err != nil {
		return err
	}
	for _, o := range r.Options {
		if err := field.Check(o); err != nil {
			return err
		}
		if err := o.Complete(); err != nil {
			return err
		}
	}
	if r.Pattern != nil {
		return nil
	}
	return r.eachChanged(func(takers planner.Registry, name string) error {
		var ops []string
		for _, p := range takers {
			for _, op := range planner.TraitsOf(p).Ops {
				if slices.ContainsFunc(r.Operations, func(o collective.Operation) bool { return o.Op == op }) {
					return nil
				}
				ops = append(ops, string(op))
			}
		}
		if ops == nil { // applies to all operations
			return nil
		}
		return field.Errorf(name, "only applies to %s, where planner %s uses it", strings.Join(ops, ", "), strings.Join(takers.Names(), ", "))
	})
}

// eachChanged calls a function for each kind of options that the request changes, until there is
// an error. It passes the planners that take these options and the first field that differs from
// theirs.
func (r *PlanRequest) eachChanged(report func(takers planner.Registry, name string) error) error {
	registry := r.registry()
	for i, has := range registry.Options() {
		if err := has.Complete(); err != nil {
			return err
		}
		if changed := field.Changed(has, r.Options[i]); len(changed) > 0 {
			if err := report(registry.Taking(has), changed[0].Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// asked returns the options that differ from the planners' own.
func (r *PlanRequest) asked() []planner.Options {
	var all []planner.Options
	for i, has := range r.registry().Options() {
		if has.Complete() != nil || !reflect.DeepEqual(has, r.Options[i]) {
			all = append(all, r.Options[i])
		}
	}
	return all
}

// untaken returns an error for the first option that is set but has no effect on a planner of a
// registry.
func (r *PlanRequest) untaken(p planner.Planner, registry planner.Registry) error {
	traits := planner.TraitsOf(p)
	if traits.Best {
		return nil // the best of all tries all planners
	}
	improves := traits.Improves != nil && traits.Improves.Asked
	return r.eachChanged(func(takers planner.Registry, name string) error {
		for _, t := range takers {
			// A planner that improves takes the steps of a planner that composes them.
			if t.Name() == p.Name() || improves && planner.TraitsOf(t).Composes != nil {
				return nil
			}
		}
		names := strings.Join(takers.Names(), ", ")
		if best := registry.Best(); best != nil {
			names += " and " + best.Name()
		}
		return field.In(name, fmt.Errorf("only applies to planner %s, not to %s", names, p.Name()))
	})
}

package planner

import (
	"reflect"
	"slices"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
)

// Options are settings of a planner beyond those in a request. A planner declares them once, as a
// struct; flags, requests, JSON and schemas are made from its fields.
type Options = field.Options

// Configurable says how a planner takes options.
type Configurable struct {
	// Options returns a pointer to a copy of the planner's options. It is nil for a planner that
	// has no options of its own but asks planners that have some.
	Options func() Options
	// With returns the planner with those given options that apply to it or to planners that it
	// asks; nil if none apply.
	With func(given []Options) Planner
	// Again, if not nil, returns the options with which this planner would make the plan again,
	// as far as the plan records them.
	Again func(p *plan.Plan) Options
}

// Takes returns the Configurable of a planner that has options of its own. make returns the
// planner with other options.
func Takes[O any, P interface {
	*O
	Options
}](has O, make func(o O) Planner) *Configurable {
	return &Configurable{
		Options: func() Options { o := has; return P(&o) },
		With: func(given []Options) Planner {
			for _, o := range given {
				if own, ok := o.(P); ok {
					return make(*own)
				}
			}
			return nil
		},
	}
}

// With returns the planner with those given options that apply to it.
func With(p Planner, given ...Options) Planner {
	if c := TraitsOf(p).Options; c != nil {
		if with := c.With(given); with != nil {
			return with
		}
	}
	return p
}

// With returns the planners, each with those given options that apply to it.
func (r Registry) With(given ...Options) Registry {
	if len(given) == 0 {
		return r
	}
	all := make(Registry, len(r))
	for i, p := range r {
		all[i] = With(p, given...)
	}
	return all
}

// Options lists the options of all planners, in the order of the planners. Options that several
// planners share appear once, as the first planner has them.
func (r Registry) Options() []Options {
	var all []Options
	for _, p := range r {
		if o := optionsOf(p); o != nil && !slices.ContainsFunc(all, func(other Options) bool { return SameKind(o, other) }) {
			all = append(all, o)
		}
	}
	return all
}

// Taking lists the planners whose own options are of the same kind as o.
func (r Registry) Taking(o Options) Registry {
	return slices.DeleteFunc(slices.Clone(r), func(p Planner) bool { return !SameKind(o, optionsOf(p)) })
}

// optionsOf returns a planner's own options, or nil.
func optionsOf(p Planner) Options {
	if c := TraitsOf(p).Options; c != nil && c.Options != nil {
		return c.Options()
	}
	return nil
}

// SameKind reports whether two options have the same type, and so belong to the same planners.
func SameKind(a, b Options) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

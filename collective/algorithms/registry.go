package algorithms

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Registry resolves the names of algorithms: the built-in ones and the user-defined ones it was
// created with. It is immutable; nil has the built-in ones.
type Registry struct{ own []Algorithm }

// NewRegistry returns a registry with additional algorithms, each made with Own.
func NewRegistry(own ...Algorithm) (*Registry, error) {
	r := &Registry{}
	for _, a := range own {
		switch {
		case a.Name == "" || strings.Trim(a.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
			return nil, fmt.Errorf("algorithm %q: a name is lower-case letters, digits and hyphens", a.Name)
		case slices.ContainsFunc(r.Algorithms(), func(known Algorithm) bool { return known.Name == a.Name }):
			return nil, fmt.Errorf("algorithm %s: there is one of that name", a.Name)
		case a.build == nil:
			return nil, fmt.Errorf("algorithm %s: it has no steps; make it with Own", a.Name)
		case len(a.Ops) == 0:
			return nil, fmt.Errorf("algorithm %s: it does no operation", a.Name)
		}
		r.own = append(r.own, a)
	}
	return r, nil
}

// Own makes a user-defined algorithm for a Registry. about is its name and description. check,
// if not nil, reports why a shape does not fit, in words that continue "needs ", and may fill in
// options that the shape leaves open. build lays out a shape that has passed check: the space
// and the steps of an operation. The layout is checked for form; verify.Plan proves that it
// performs the operation.
func Own(about Algorithm, check func(op collective.Op, s *collective.Shape) error, build func(op collective.Op, s collective.Shape) (collective.Space, []collective.Step)) Algorithm {
	about.check, about.build, about.own = check, nil, true
	if check == nil {
		about.check = anyNodes
	}
	if build != nil {
		about.build = func(op collective.Op, s collective.Shape) *collective.Collective {
			space, steps := build(op, s)
			return &collective.Collective{Space: space, Steps: steps}
		}
	}
	return about
}

// Algorithms lists every algorithm, user-defined ones last.
func (r *Registry) Algorithms() []Algorithm {
	all := slices.Concat(reductionAlgorithms, exchangeAlgorithms, rootedAlgorithms)
	if r != nil {
		all = append(all, r.own...)
	}
	return all
}

// For lists the algorithms that support op on a shape, usually one without options.
func (r *Registry) For(op collective.Op, s collective.Shape) []Algorithm {
	return each.Where(r.Algorithms(), func(a Algorithm) bool { return a.Supports(op, s) == nil })
}

// New lays out an algorithm for a number of nodes with the given number of ports each. The
// algorithm is a name, possibly with options, such as swing:8x8.
func (r *Registry) New(op collective.Op, algorithm string, nodes, ports int) (*collective.Collective, error) {
	return r.lay(context.Background(), op, algorithm, collective.Shape{Nodes: nodes, Ports: ports})
}

// NewExchange lays out an all-to-all in which every pair has its own bytes. The algorithm is a
// name, possibly with options. Pairs without bytes are left out; if all pairs have the same
// bytes, the result is the all-to-all of that size. Dividing hundreds of nodes into matchings
// takes long, and ends with the context.
func (r *Registry) NewExchange(ctx context.Context, algorithm string, d collective.Demand, ports int) (collective.Sized, error) {
	if err := d.Check(len(d)); err != nil {
		return collective.Sized{}, err
	}
	s, size := ExchangeShape(d, ports)
	c, err := r.lay(ctx, collective.AllToAll, algorithm, s)
	if err != nil {
		return collective.Sized{}, err
	}
	if s.Demand != nil && c.Space.Kind == collective.Pairs {
		weigh(c, d)
	}
	return collective.Sized{Collective: c, Size: size}, nil
}

// Rebuild lays out a section again from the name of its algorithm.
func (r *Registry) Rebuild(ctx context.Context, s *collective.Section, ports int) (collective.Sized, error) {
	made := collective.Sized{Size: s.Size}
	var err error
	if s.Space.Sizes != nil {
		made, err = r.NewExchange(ctx, s.Algorithm, s.Space.Sizes, ports)
	} else {
		made.Collective, err = r.New(s.Op, s.Algorithm, s.Space.MembersCount(), ports)
	}
	if err != nil {
		return collective.Sized{}, err
	}
	made.Collective, err = made.On(s.Space.Members, s.Space.Nodes)
	return made, err
}

// lay lays out an algorithm for a shape, to which it adds the options in the algorithm's name.
func (r *Registry) lay(ctx context.Context, op collective.Op, algorithm string, shape collective.Shape) (*collective.Collective, error) {
	name, s, given, err := r.parse(algorithm)
	if err != nil {
		return nil, err
	}
	s.Nodes, s.Ports, s.Demand = shape.Nodes, shape.Ports, shape.Demand
	all := r.Algorithms()
	i := slices.IndexFunc(all, func(a Algorithm) bool { return a.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown algorithm %q; %s", name, r.able(op, shape))
	}
	a := all[i]
	for _, option := range given {
		if !slices.Contains(a.Options, option) {
			return nil, unsupported(fmt.Sprintf("algorithm %s has no option %s; it has %s", name, option, a.options()))
		}
	}
	if err := a.settle(op, &s); err != nil {
		return nil, fmt.Errorf("%w; %s", err, r.able(op, shape))
	}
	var c *collective.Collective
	if a.divide == nil {
		c = a.build(op, s)
	} else if c, err = a.divide(ctx, s); err != nil {
		return nil, err
	}
	c.Op, c.Algorithm, c.Nodes = op, s.Spec(name, given), s.Nodes
	if a.own {
		if err := c.CheckForm(); err != nil {
			return nil, fmt.Errorf("algorithm %s on %d nodes: %w", name, s.Nodes, err)
		}
	}
	return c, nil
}

func (r *Registry) able(op collective.Op, s collective.Shape) string {
	list := r.For(op, s)
	if len(list) == 0 {
		return fmt.Sprintf("none does %s on %d nodes", op, s.Nodes)
	}
	names := each.Of(list, func(a Algorithm) string { return a.Name })
	return fmt.Sprintf("for %s on %d nodes use %s", op, s.Nodes, strings.Join(names, ", "))
}

// parse reads an algorithm with its options. Its error lists the options that the algorithm
// has.
func (r *Registry) parse(spec string) (name string, s collective.Shape, given []collective.Option, err error) {
	if r != nil && slices.ContainsFunc(r.own, func(a Algorithm) bool { return a.Name == spec }) {
		return spec, s, nil, nil // for example pattern:NAME, which has no options
	}
	if name, s, given, err = collective.ParseSpec(spec); err == nil {
		return name, s, given, nil
	}
	for _, a := range r.Algorithms() {
		if a.Name == name {
			return name, s, nil, fmt.Errorf("%w; %s has %s", err, name, a.options())
		}
	}
	if _, of, lifted := strings.Cut(spec, "/"); lifted && name == collective.OnIslands {
		return name, s, nil, fmt.Errorf("%q is what a plan for islands is called; ask for %s, which is tried with islands of every size", spec, of)
	}
	return name, s, nil, fmt.Errorf("%w; options look like 8x8, r=4, parts=16 or peers=1", err)
}

// options lists the options of the algorithm in their syntax.
func (a *Algorithm) options() string {
	if len(a.Options) == 0 {
		return "no options"
	}
	examples := map[collective.Option]string{collective.OptionDims: "sides such as 8x8", collective.OptionRadix: "r=4 and the like",
		collective.OptionParts: "parts=16 and the like", collective.OptionPeers: "peers=1 and the like"}
	words := each.Of(a.Options, func(o collective.Option) string { return examples[o] })
	return "the option " + strings.Join(words, ", ")
}

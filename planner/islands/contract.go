package islands

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// mostEven bounds the chunks of an allreduce whose chunks are cut evenly.
const mostEven = 1 << 20

// mostContracted bounds the chunks that the transfers of a contracted plan list.
const mostContracted = 1 << 23

// contract turns a plan for places into one for the GPUs that have these places.
func (x *uneven) contract(ctx context.Context, p *plan.Plan, f *fabric.Fabric, size units.Bytes) (*plan.Plan, error) {
	c := &contraction{uneven: x, from: p.Collective.Space, op: p.Collective.Op}
	space, err := c.space(f.Nodes)
	if err != nil {
		return nil, err
	}
	made := &plan.Plan{
		Fabric: *f, Provenance: p.Provenance,
		Collective: plan.Collective{Op: p.Collective.Op, Algorithm: Algorithm(f, coreName(p)), Size: size, Space: space},
	}
	for i := range p.Stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g := p.Stages[i].Topology
		stage := plan.Stage{Topology: g.Renumber(g.Name(), f.Nodes, x.hosts)}
		if err := f.Fits(stage.Topology); err != nil {
			return nil, fmt.Errorf("%w: stage %d: %w", planner.ErrInfeasible, i+1, err)
		}
		for j := range p.Stages[i].Steps {
			step, err := c.step(&p.Stages[i].Steps[j])
			if err != nil {
				return nil, err
			}
			if len(step.Base) > 0 {
				stage.Steps = append(stage.Steps, step)
			}
		}
		if len(stage.Steps) > 0 {
			made.Stages = append(made.Stages, stage)
		}
	}
	if err := made.PriceContext(ctx); err != nil {
		return nil, fmt.Errorf("islands: %w", err)
	}
	return made, nil
}

// coreName returns the name of the core's algorithm, taken from the algorithm name of a lifted
// plan.
func coreName(p *plan.Plan) string {
	name := p.Collective.Algorithm
	if i := slices.Index([]byte(name), '/'); i >= 0 {
		return name[i+1:]
	}
	return name
}

// contraction is the state of contracting places to GPUs.
type contraction struct {
	*uneven
	op    collective.Op
	from  collective.Space // of the places
	even  int              // chunks per chunk of places, if nobody owns these; else 0
	parts int              // parts of the GPUs' blocks
	moved int
}

// space returns the space of the GPUs. The block of a GPU consists of the blocks of its places,
// and all parts of blocks have the same size, whatever the number of places. Blocks of an
// allreduce belong to nobody and are cut evenly.
func (c *contraction) space(nodes int) (collective.Space, error) {
	s := c.from
	c.parts = s.Parts
	if c.op == collective.AllReduce && s.Kind == collective.Blocks {
		all := s.Chunks()
		if parts := all / arithmetic.GCD(all, c.count); parts*c.count <= mostEven {
			c.parts, c.even = parts, parts*c.count/all
			return collective.Space{Kind: s.Kind, Nodes: nodes, Members: c.members, Parts: c.parts}, nil
		}
	}
	switch s.Kind {
	case collective.Blocks:
		c.parts *= c.whole
	case collective.Pairs:
		c.parts *= c.whole * c.whole
	}
	if !c.exact && s.Kind != collective.Whole || c.parts > collective.MaxParts {
		return s, fmt.Errorf("%w: blocks of over %d parts", planner.ErrInfeasible, collective.MaxParts)
	}
	return collective.Space{Kind: s.Kind, Nodes: nodes, Members: c.members, Parts: c.parts}, nil
}

// step contracts a step. It drops transfers within a GPU and merges equal transfers.
func (c *contraction) step(s *plan.Step) (plan.Step, error) {
	made := plan.Step{}
	type ends struct{ src, dst int }
	known := map[ends][]int{}
	for t := range s.All(c.from) {
		t.Src, t.Dst = c.hosts[t.Src], c.hosts[t.Dst]
		if t.Src == t.Dst {
			continue
		}
		t.Chunks = c.chunks(t.Chunks)
		key := ends{t.Src, t.Dst}
		same := func(i int) bool {
			other := &made.Base[i]
			return other.Action == t.Action && slices.Equal(other.Chunks, t.Chunks)
		}
		if slices.ContainsFunc(known[key], same) {
			continue
		}
		if c.moved > mostContracted {
			return made, fmt.Errorf("%w: over %d chunks to send", planner.ErrInfeasible, mostContracted)
		}
		t.Routes = c.routes(t.Routes)
		known[key] = append(known[key], len(made.Base))
		made.Base = append(made.Base, t)
	}
	return made, nil
}

// routes contracts routes: it drops hops between places of one GPU.
func (c *contraction) routes(all []flow.Route) []flow.Route {
	made := make([]flow.Route, 0, len(all))
	for _, r := range all {
		var path []int32
		for _, place := range r.Path {
			if u := int32(c.hosts[place]); len(path) == 0 || path[len(path)-1] != u {
				path = append(path, u)
			}
		}
		if i := slices.IndexFunc(made, func(o flow.Route) bool { return slices.Equal(o.Path, path) }); i >= 0 {
			made[i].Share += r.Share
			continue
		}
		made = append(made, flow.Route{Path: path, Share: r.Share})
	}
	return made
}

// chunks maps chunks of places to chunks of GPUs.
func (c *contraction) chunks(all collective.Chunks) collective.Chunks {
	if c.from.Kind == collective.Whole {
		return all
	}
	if len(all) == 1 && all[0].Stride == 1 && c.even > 0 {
		c.moved += all[0].Count * c.even
		return collective.Every(all[0].First*c.even, 1, all[0].Count*c.even)
	}
	var ids []int
	for id := range all.All() {
		block, part := id/c.from.Parts, id%c.from.Parts
		first, each := id*c.even, c.even
		switch {
		case c.even > 0:
		case c.from.Kind == collective.Pairs:
			from, to := block/len(c.hosts), block%len(c.hosts)
			a, b := c.width[from/c.places], c.width[to/c.places]
			each = c.whole * c.whole / (a * b)
			pair := c.ranks[c.hosts[from]]*c.count + c.ranks[c.hosts[to]]
			first = pair*c.parts + ((from%a*b+to%b)*c.from.Parts+part)*each
		default:
			width := c.width[block/c.places]
			each = c.whole / width
			first = c.ranks[c.hosts[block]]*c.parts + (block%width*c.from.Parts+part)*each
		}
		for i := range each {
			ids = append(ids, first+i)
		}
	}
	c.moved += len(ids)
	return collective.AppendOf(nil, ids)
}

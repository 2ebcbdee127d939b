package parallel

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// part is a sequence of consecutive layers of the model on a rank, with the token table before
// the first and the output's matrix after the last.
type part struct {
	*job
	layers      []*layer
	numbers     []int // numbers of the layers in the model
	chunk       int   // number of the part on its stage
	first, last bool
}

// parts divides the model: part c of stage s is parts[c*pp+s].
func (j *job) parts() []*part {
	counts := divide(j.model.Layers, j.PP*j.chunks)
	list := make([]*part, len(counts))
	next := 0
	for i, n := range counts {
		p := &part{job: j, chunk: i / j.PP, first: i == 0, last: i == len(counts)-1}
		for range n {
			p.layers, p.numbers = append(p.layers, j.layer(next)), append(p.numbers, next)
			next++
		}
		list[i] = p
	}
	return list
}

// name returns the name of the part's block; parts with the same layers share it.
func (p *part) name(pass string) string {
	dense, mixtures := 0, 0
	for _, l := range p.layers {
		if l.mixture {
			mixtures++
		} else {
			dense++
		}
	}
	words := []string{pass}
	if p.first {
		words = append(words, "first")
	}
	if p.last {
		words = append(words, "last")
	}
	if dense > 0 {
		words = append(words, fmt.Sprint(dense))
	}
	if mixtures > 0 {
		words = append(words, fmt.Sprintf("m%d", mixtures))
	}
	return strings.Join(words, "-")
}

// define adds the part's blocks and those that they call.
func (p *part) define(blocks map[string][]workload.Op) {
	for _, l := range p.layers {
		if blocks[l.name("forward")] == nil {
			blocks[l.name("forward")], blocks[l.name("backward")] = l.forward(), l.backward()
		}
	}
	if blocks[p.name("forward")] == nil {
		blocks[p.name("forward")], blocks[p.name("backward")] = p.forward(), p.backward()
	}
}

func layerID(i int) string { return fmt.Sprintf("layer%d", i) }

// forward returns the forward pass through the part.
func (p *part) forward() []workload.Op {
	c := &chain{}
	if p.first && p.TP > 1 { // each rank of the group has some tokens of the table
		l := p.layers[0]
		l.leave(c, "table.sum", p.model.TensorBytes(&p.shard))
	}
	for i, l := range p.layers {
		p.call(c, i, l, "forward", i-2)
	}
	if p.last {
		p.layers[0].enter(c, "output.gather", p.model.TensorBytes(&p.shard))
		c.compute("output", p.speed.Takes(p.output(), 0))
	}
	return c.ops
}

// output returns the work of the output's matrix on the rank.
func (p *part) output() float64 { return p.model.HeadWork() * p.shard.Tokens() / float64(p.TP) }

// backward returns the backward pass through the part.
func (p *part) backward() []workload.Op {
	c := &chain{}
	if p.last {
		c.compute("output", p.speed.Takes(2*p.output(), 0))
		p.layers[0].leave(c, "output.sum", p.model.TensorBytes(&p.shard))
	}
	for i := len(p.layers) - 1; i >= 0; i-- {
		p.call(c, i, p.layers[i], "backward", i+2)
		if p.Zero == 3 {
			p.eachShare(i, func(kind, name string, params int64) {
				p.reduce(c, fmt.Sprintf("%s.%s", layerID(i), name), collective.ReduceScatter, kind, params, layerID(i))
			})
		}
	}
	if p.first && p.shard.SequenceParallel {
		p.layers[0].enter(c, "table.gather", p.model.TensorBytes(&p.shard))
	}
	return c.ops
}

// call adds the pass of a layer. If data-parallel ranks shard parameters, these are gathered
// before it, while the previous layer computes, but only after the pass of an earlier layer.
func (p *part) call(c *chain, i int, l *layer, pass string, earlier int) {
	call := workload.Op{ID: layerID(i), Block: l.name(pass)}
	if p.Zero == 3 {
		p.eachShare(i, func(kind, name string, params int64) {
			o := workload.Op{
				ID: fmt.Sprintf("%s.%s.gather", layerID(i), name), Op: collective.AllGather, Kind: kind, Size: units.Bytes(params * int64(p.shard.Number)),
			}
			if earlier >= 0 && earlier < len(p.layers) {
				o.After = []string{layerID(earlier)}
			}
			c.ops = append(c.ops, o)
			call.After = append(call.After, o.ID)
		})
	}
	c.add(call)
}

// eachShare visits what a rank has of a layer, by the groups that have the same.
func (p *part) eachShare(i int, visit func(kind, name string, params int64)) {
	dense, experts := p.model.Held(p.numbers[i], &p.shard)
	if experts > 0 && p.EP == 1 {
		dense, experts = dense+experts, 0
	}
	if p.DP*p.CP > 1 {
		visit("dp", "weights", dense)
	}
	if experts > 0 && p.DP/p.EP*p.CP > 1 {
		visit("edp", "experts", experts)
	}
}

// reduce adds a collective of gradients after an operation; nothing in the chain follows it.
func (p *part) reduce(c *chain, id string, op collective.Op, kind string, params int64, after string) {
	c.ops = append(c.ops, workload.Op{ID: id, Op: op, Kind: kind, Size: units.Bytes(params * int64(p.shard.Gradient)), After: []string{after}})
}

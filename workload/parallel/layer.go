package parallel

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
)

// chain is a list of operations; each follows the previous one.
type chain struct {
	ops  []workload.Op
	last string // the operation that the next one follows, or ""
}

// add adds an operation after the last one.
func (c *chain) add(o workload.Op) {
	if c.last != "" {
		o.After = append(o.After, c.last)
	}
	c.ops = append(c.ops, o)
	c.last = o.ID
}

// compute adds a computation.
func (c *chain) compute(id string, t units.Duration) { c.add(workload.Op{ID: id, Compute: &t}) }

// collective adds a collective.
func (c *chain) collective(id string, op collective.Op, kind string, size units.Bytes) {
	c.add(workload.Op{ID: id, Op: op, Kind: kind, Size: size})
}

// experts adds an all-to-all among the ranks that share experts.
func (c *chain) experts(id string, size units.Bytes, skew string) {
	c.add(workload.Op{ID: id, Op: collective.AllToAll, Kind: "ep", Size: size, Skew: skew})
}

// layer has the passes of one layer on a rank, for a microbatch.
type layer struct {
	*job
	mixture bool
	work    model.Work // of the rank
	moved   model.Moved
}

func (j *job) layer(number int) *layer {
	l := &layer{job: j, mixture: j.model.IsMixture(number), work: j.model.LayerWork(number, j.Sequence), moved: j.model.LayerMoved(number, &j.shard, j.Attention == "plain")}
	share := j.shard.Tokens() / float64(j.TP)
	l.work.In, l.work.Core, l.work.Out, l.work.FFN = l.work.In*share, l.work.Core*share, l.work.Out*share, l.work.FFN*share
	return l
}

// name returns the name of a layer's block: layers of one type share it.
func (l *layer) name(pass string) string {
	if l.mixture {
		return "mixture-" + pass
	}
	return "layer-" + pass
}

// enter and leave are what the TP group does before and after a part of a layer. With sequence
// parallelism it gathers tokens before and scatters sums after, in both passes; without, it
// adds up sums after.
func (l *layer) enter(c *chain, id string, size units.Bytes) {
	if l.shard.SequenceParallel {
		c.collective(id, collective.AllGather, "tp", size)
	}
}

func (l *layer) leave(c *chain, id string, size units.Bytes) {
	switch {
	case l.shard.SequenceParallel:
		c.collective(id, collective.ReduceScatter, "tp", size)
	case l.TP > 1:
		c.collective(id, collective.AllReduce, "tp", size)
	}
}

// forward returns the forward pass.
func (l *layer) forward() []workload.Op {
	c := &chain{}
	whole := l.model.TensorBytes(&l.shard)
	l.enter(c, "attention.gather", whole)
	if l.CP > 1 {
		c.compute("attention.in", l.speed.Takes(l.work.In, 0))
		c.collective("keys.gather", collective.AllGather, "cp", l.model.ContextBytes(&l.shard))
		c.compute("attention", l.speed.Takes(l.work.Core+l.work.Out, l.moved.Attention+l.moved.Scores))
	} else {
		c.compute("attention", l.speed.Takes(l.work.In+l.work.Core+l.work.Out, l.moved.Attention+l.moved.Scores))
	}
	l.leave(c, "attention.sum", whole)
	l.feedForward(c, l.speed.Takes(l.work.FFN, l.moved.FFN))
	return c.ops
}

// feedForward adds the second half of a layer, the same in both passes except for its time.
func (l *layer) feedForward(c *chain, takes units.Duration) {
	whole := l.model.TensorBytes(&l.shard)
	if !l.mixture || l.EP == 1 {
		l.enter(c, "ffn.gather", whole)
		c.compute("ffn", takes)
		l.leave(c, "ffn.sum", whole)
		return
	}
	// Tokens go to the ranks that have their experts, and come back. All ranks wait for the one
	// with the most popular experts, so it stands for all. Shared experts process every token.
	routed := float64(l.model.TopK) / float64(l.model.TopK+l.model.Shared)
	takes = units.Duration(float64(takes) * (1 + (l.hottest-1)*routed))
	c.experts("experts.send", l.model.ExpertBytes(&l.shard), l.Skew)
	if l.shard.SequenceParallel {
		// The ranks that share an expert have each received a part of its tokens.
		got := l.model.ExpertTensorBytes(&l.shard)
		c.collective("experts.gather", collective.AllGather, "tp", got)
		c.compute("experts", takes)
		c.collective("experts.sum", collective.ReduceScatter, "tp", got)
		c.experts("experts.return", l.model.ExpertBytes(&l.shard), workload.Back(l.Skew))
		return
	}
	c.compute("experts", takes)
	c.experts("experts.return", l.model.ExpertBytes(&l.shard), workload.Back(l.Skew))
	l.leave(c, "experts.sum", whole)
}

// backward returns the backward pass, which does twice the work of the forward pass: gradients
// of inputs and of matrices. Collectives that gathered tokens in the forward pass scatter
// gradients now, and vice versa.
func (l *layer) backward() []workload.Op {
	c := &chain{}
	if l.Recompute == "full" {
		c.add(workload.Op{ID: "again", Block: l.name("forward")})
	}
	l.feedForward(c, l.speed.Takes(2*l.work.FFN, 2*l.moved.FFN))
	whole := l.model.TensorBytes(&l.shard)
	l.enter(c, "attention.gather", whole)
	core, moved := 2*l.work.Core, 2*(l.moved.Attention+l.moved.Scores)
	if l.Recompute == "selective" {
		core, moved = core+l.work.Core, moved+l.moved.Scores
	}
	if l.CP > 1 {
		c.compute("attention", l.speed.Takes(core+2*l.work.Out, moved))
		c.collective("keys.scatter", collective.ReduceScatter, "cp", l.model.ContextBytes(&l.shard))
		c.compute("attention.in", l.speed.Takes(2*l.work.In, 0))
	} else {
		c.compute("attention", l.speed.Takes(core+2*(l.work.In+l.work.Out), moved))
	}
	l.leave(c, "attention.sum", whole)
	return c.ops
}

// again returns the work per token, on all ranks, that the backward pass of a layer does a
// second time.
func (j *job) again(number int) float64 {
	w := j.model.LayerWork(number, j.Sequence)
	switch j.Recompute {
	case "full":
		return w.Total()
	case "selective":
		return w.Core
	}
	return 0
}

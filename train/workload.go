package train

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/workload"
)

// Workload converts a minibatch on the given number of ranks to a workload with one kind of
// group, dp. It has the forward pass, then the backward pass, which starts an allreduce for
// every layer with gradients. A layer of experts exchanges tokens before and after it computes,
// in both passes. Gradients are not grouped, as Simulate does.
func (t *Trace) Workload(ranks int) (*workload.Workload, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if ranks < 1 || ranks > workload.MaxRanks {
		return nil, fmt.Errorf("%d ranks; want 1 to %d", ranks, workload.MaxRanks)
	}
	all := arithmetic.UpTo(ranks)
	var ops []workload.Op
	last := ""
	add := func(o workload.Op) {
		if last != "" {
			o.After = []string{last}
		}
		ops = append(ops, o)
		last = o.ID
	}
	pass := func(id string, l *Layer, takes *workload.Op) {
		exchange := workload.Op{Op: collective.AllToAll, Kind: "dp", Size: l.Exchange}
		if l.Exchange > 0 {
			exchange.ID = id + ".send"
			add(exchange)
		}
		if *takes.Compute > 0 {
			takes.ID = id
			add(*takes)
		}
		if l.Exchange > 0 {
			exchange.ID = id + ".return"
			add(exchange)
		}
	}
	for i := range t.Layers {
		l := &t.Layers[i]
		pass(fmt.Sprintf("f%d", i), l, &workload.Op{Compute: &l.Forward})
	}
	for i := len(t.Layers) - 1; i >= 0; i-- {
		l := &t.Layers[i]
		pass(fmt.Sprintf("b%d", i), l, &workload.Op{Compute: &l.Backward})
		if l.Bytes > 0 {
			o := workload.Op{ID: fmt.Sprintf("g%d", i), Op: collective.AllReduce, Kind: "dp", Size: l.Bytes}
			if last != "" {
				o.After = []string{last}
			}
			ops = append(ops, o)
		}
	}
	w := &workload.Workload{
		Schema: workload.Schema, Name: t.Name, About: t.About, Ranks: ranks, Kinds: map[string][][]int{"dp": {all}},
		Programs: []workload.Program{{Ranks: workload.NewRankSet(all), Ops: ops}},
	}
	return w, w.Validate()
}

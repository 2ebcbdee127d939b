package train_test

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// act is one action of the computation: compute, hand over gradients, or exchange.
type act struct {
	layer    *train.Layer
	compute  units.Time
	gradient bool
	exchange bool
}

// program lists the actions of the computation in a minibatch.
func program(t *train.Trace) []act {
	var acts []act
	pass := func(l *train.Layer, time units.Duration) {
		if l.Exchange > 0 {
			acts = append(acts, act{layer: l, exchange: true})
		}
		acts = append(acts, act{layer: l, compute: time.Time()})
		if l.Exchange > 0 {
			acts = append(acts, act{layer: l, exchange: true})
		}
	}
	for i := range t.Layers {
		pass(&t.Layers[i], t.Layers[i].Forward)
	}
	for i := len(t.Layers) - 1; i >= 0; i-- {
		pass(&t.Layers[i], t.Layers[i].Backward)
		acts = append(acts, act{layer: &t.Layers[i], gradient: t.Layers[i].Bytes > 0})
	}
	return acts
}

// buckets divides the layers with gradients, in the order of the backward pass, before
// anything runs: it returns the last layer of every bucket.
func buckets(t *train.Trace, size units.Bytes) map[*train.Layer]bool {
	ends := map[*train.Layer]bool{}
	limit, sum := min(size, units.MiB), units.Bytes(0)
	var last *train.Layer
	for i := len(t.Layers) - 1; i >= 0; i-- {
		if t.Layers[i].Bytes == 0 {
			continue
		}
		last = &t.Layers[i]
		if sum += last.Bytes; sum >= limit {
			ends[last] = true
			sum, limit = 0, size
		}
	}
	ends[last] = true
	return ends
}

// naive is an event simulation. At every event, finished network operations end, then
// computation runs as far as it can, and then the network starts its next operation.
func naive(t *train.Trace, cost train.Cost, o train.Options) ([]train.Collective, units.Time) {
	acts := program(t)
	ends := buckets(t, o.Bucket)
	done := []train.Collective{}
	var queue, filling []train.Collective // what the network may take; an open bucket
	var busy *train.Collective
	var now, free units.Time // free: when computation can do its next act
	waiting := false         // computation, for an all-to-all
	merged := func(parts []train.Collective) train.Collective {
		all := parts[0]
		for _, p := range parts[1:] {
			all.Layers += p.Layers
			all.Bytes += p.Bytes
			all.Last, all.ReadyNs = p.Last, p.ReadyNs
		}
		return all
	}
	for {
		if busy != nil && busy.EndNs <= now {
			done = append(done, *busy)
			if busy.Op == collective.AllToAll {
				waiting, free = false, now
			}
			busy = nil
		}
		for !waiting && len(acts) > 0 && free <= now {
			a := acts[0]
			acts = acts[1:]
			c := train.Collective{First: a.layer.Name, Last: a.layer.Name, Layers: 1, ReadyNs: now}
			switch {
			case a.exchange:
				c.Op, c.Bytes = collective.AllToAll, int64(a.layer.Exchange)
				queue, waiting = append(queue, c), true
			case a.gradient:
				c.Op, c.Bytes = collective.AllReduce, int64(a.layer.Bytes)
				if filling = append(filling, c); o.Bucket == 0 || ends[a.layer] {
					queue, filling = append(queue, merged(filling)), nil
				}
			default:
				free = now + a.compute
			}
		}
		if busy == nil && len(queue) > 0 {
			next := take(&queue, o)
			all := merged(next)
			takes, _ := cost(context.Background(), all.Op, units.Bytes(all.Bytes))
			all.StartNs, all.EndNs = now, now+takes
			busy = &all
		}
		next := units.Time(math.Inf(1))
		if busy != nil {
			next = busy.EndNs
		}
		if !waiting && (len(acts) > 0 || free > now) {
			next = min(next, free)
		}
		if math.IsInf(float64(next), 1) {
			return done, now
		}
		now = next
	}
}

// take removes the network's next operation from the queue.
func take(queue *[]train.Collective, o train.Options) []train.Collective {
	q := *queue
	if last := len(q) - 1; o.AllToAllFirst && q[last].Op == collective.AllToAll {
		*queue = q[:last]
		return q[last:]
	}
	count := 1
	for o.Bucket == 0 && q[0].Op == collective.AllReduce && count < len(q) && q[count].Op == collective.AllReduce {
		count++
	}
	*queue = q[count:]
	return append([]train.Collective(nil), q[:count]...)
}

// bestGrouping returns the least time of a minibatch without experts over all ways to divide the
// gradients into allreduces of consecutive layers, each started as soon as possible.
func bestGrouping(t *train.Trace, fixed, perByte float64) units.Time {
	var ready []units.Time
	var bytes []units.Bytes
	var now units.Time
	for i := range t.Layers {
		now += t.Layers[i].Forward.Time()
	}
	for i := len(t.Layers) - 1; i >= 0; i-- {
		now += t.Layers[i].Backward.Time()
		if t.Layers[i].Bytes > 0 {
			ready, bytes = append(ready, now), append(bytes, t.Layers[i].Bytes)
		}
	}
	best := units.Time(math.Inf(1))
	for cuts := range 1 << max(0, len(ready)-1) { // a bit for every place between two
		var end units.Time
		var sum units.Bytes
		for i := range ready {
			sum += bytes[i]
			if i == len(ready)-1 || cuts>>i&1 == 1 {
				end = max(end, ready[i]) + units.Time(fixed+perByte*float64(sum))
				sum = 0
			}
		}
		best = min(best, max(now, end))
	}
	return best
}

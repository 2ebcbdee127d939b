package bound

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/lp"
	"github.com/lightpath-net/lightpath/units"
)

// Meetings take the square of the messages to a node. Beyond exactMessages numbers of messages are
// grouped, each group 1/grouped as large as all before it, and loads are grouped likewise beyond
// maxLoads.
const (
	exactMessages = 1024
	grouped       = 128
	maxLoads      = 1 << 18
)

// sumShapes bounds the time of an allreduce of all GPUs, in ns, by enumerating the shapes of
// plans as castShapes does; 0 if it gives no bound. All plans take at least enough; a bound
// that does not exceed it does not help the caller.
func sumShapes(f *fabric.Fabric, n int, size units.Bytes, enough float64) float64 {
	if !hasShapes(f, n) {
		return 0
	}
	key := newShapesKey(f, n, size, enough)
	key.sum = true
	return shaped.kept(key, func() float64 {
		p := newSumProgram(f, n)
		fewest := key.whole * (2 - 2/float64(n))
		return key.search(p.castProgram, p.load, func(latency float64) float64 { return max(enough, latency+fewest) })
	})
}

// sumProgram bounds the loads of the steps of an allreduce from below, given their shape, by a
// linear program over the mean behaviour of a byte position at all GPUs.
//
// For a byte position let step t have M messages that use c circuits, both over n. Loads are c,
// in units of the buffer over all ports of a GPU. K and R are as in knownBound: the inputs that
// a node can know before a step, and the outputs that it can reach after it.
//
//   - c >= M + (h-1)/n: some message uses all h hops of the step. At most level(q) messages
//     arrive at a node over q hops, so c is at least q M less (q-j) level(j) for all j < q.
//   - After each step every input is known by n/R nodes or more, rounded up, so the mean node
//     knows as many inputs, and a message brings at most K. Backwards in time the same holds for
//     the outputs that nodes can reach.
//   - All inputs have left their nodes by the first R < n, and all outputs get a message once K
//     can be n: M adds up to 1 for each, and to 2-2/n in any case.
//   - Meetings (see sumLoad): let a node get a messages in a step and send b in the next. Every
//     input and output meet at a node in between, so the mean of (1+a)(1+b) is at least n/(K
//     R), with the K before the first and the R after the second step. Let L be the load of
//     that many messages from the nearest nodes. Then the c of the two steps together is at
//     least the mean of L(a) + L(b); the same holds with weights.
//   - Not only the mean input must be known by n/R nodes after the second step, but each: see
//     spreading. Backwards in time the same holds for the last two steps.
type sumProgram struct {
	*castProgram
	meetings map[[2]int]*meetingLoads // by the hops of both steps
	spread   map[spreading]*[len(meetingWeights)]float64
}

func newSumProgram(f *fabric.Fabric, n int) *sumProgram {
	return &sumProgram{newCastProgram(f, n), map[[2]int]*meetingLoads{}, map[spreading]*[len(meetingWeights)]float64{}}
}

func (p *sumProgram) load(steps []castStep) float64 { return p.remembered(steps, true, p.solve) }

// mirrored reports whether the mirror image of steps, backwards in time, comes before them in an
// order of shapes. An allreduce takes as long backwards, so only one of both is needed.
func mirrored(steps []castStep) bool {
	k := len(steps)
	for t, s := range steps {
		mirror := castStep{steps[k-1-t].hops, t > 0 && steps[k-t].changes}
		switch {
		case s.hops != mirror.hops:
			return s.hops > mirror.hops
		case s.changes != mirror.changes:
			return s.changes
		}
	}
	return false
}

func (p *sumProgram) solve(steps []castStep) float64 {
	n, k := float64(p.n), len(steps)
	if k == 1 {
		return hopLoad(p.f, 1, n-1, steps[0].hops)
	}
	known, reach := make([]float64, k+1), make([]float64, k+1)
	cost, most := make([]float64, 2*k), make([]float64, 2*k)
	for t := range k + 1 {
		known[t], reach[t] = p.within(steps[:t], false), p.within(steps[t:], false)
		if t < k {
			cost[t], most[t], most[k+t] = 1, n, n // more than n messages need no bound
		}
	}
	rows := newProved(cost, most)
	load := func(t int, by float64) lp.Term { return lp.Term{Column: t, Value: by} }
	sent := func(t int, by float64) lp.Term { return lp.Term{Column: k + t, Value: by} }
	var brought, taken, first, last, all []lp.Term
	for t, s := range steps {
		rows.add(float64(s.hops-1)/n, load(t, 1), sent(t, -1))
		for q := 2; q <= s.hops; q++ {
			less := 0.0
			for j := 1; j < q; j++ {
				less += float64(q-j) * p.levels[min(j, len(p.levels)-1)]
			}
			rows.add(-less, load(t, 1), sent(t, -float64(q)))
		}
		brought = append(brought, sent(t, known[t]))
		rows.add(wholes(n, reach[t+1])-1, brought...)
		taken = append(taken, sent(k-1-t, reach[k-t]))
		rows.add(wholes(n, known[k-1-t])-1, taken...)
		if t == 0 || reach[t] >= n {
			first = append(first, sent(t, 1))
		}
		if known[t+1] >= n {
			last = append(last, sent(t, 1))
		}
		all = append(all, sent(t, 1))
		if t > 0 {
			m := p.meeting(steps[t-1].hops, s.hops)
			value := max(wholes(n, reach[t+1])/known[t-1], wholes(n, known[t-1])/reach[t+1])
			for i, w := range meetingWeights {
				rows.add(m[i].least(value), load(t-1, float64(w[0])), load(t, float64(w[1])))
			}
		}
	}
	inputs := p.spreads(spreading{steps[0].hops, steps[1].hops, int(wholes(n, reach[2]))})
	outputs := p.spreads(spreading{steps[k-1].hops, steps[k-2].hops, int(wholes(n, known[k-2]))})
	for i, w := range meetingWeights {
		rows.add(inputs[i], load(0, float64(w[0])), load(1, float64(w[1])))
		rows.add(outputs[i], load(k-1, float64(w[0])), load(k-2, float64(w[1])))
	}
	rows.add(1, first...)
	rows.add(1, last...)
	rows.add(2-2/n, all...)
	least := min(n, max(2-2/n, rows.least()))
	return least * float64(p.f.Ports) / p.mean
}

// meetingWeights are the weights for the loads of two consecutive steps.
var meetingWeights = [...][2]int{{1, 1}, {1, 2}, {2, 1}, {1, 4}, {4, 1}}

// hull has the corners of the largest mean value as a function of the mean load.
type hull []struct{ load, value float64 }

// hullOf returns the hull of the largest values by load, in units of the given size; 0 means that
// there is none.
func hullOf(most []int, unit int) hull {
	var h hull
	for at, value := range most {
		load := at * unit
		if value == 0 || len(h) > 0 && h[len(h)-1].value >= float64(value) {
			continue
		}
		next := struct{ load, value float64 }{float64(load), float64(value)}
		for len(h) > 1 {
			x, y := h[len(h)-2], h[len(h)-1]
			if (y.value-x.value)*(next.load-x.load) > (next.value-x.value)*(y.load-x.load) {
				break
			}
			h = h[:len(h)-1]
		}
		h = append(h, next)
	}
	return h
}

// least returns the least load for a mean value.
func (h hull) least(value float64) float64 {
	for i := 1; i < len(h); i++ {
		if x, y := h[i-1], h[i]; y.value >= value {
			return max(0, x.load+(value-x.value)/(y.value-x.value)*(y.load-x.load))
		}
	}
	return h[len(h)-1].load // the largest there is, up to rounding
}

// nearest returns the least load of a number of messages in a step of the given hops.
func (p *sumProgram) nearest(hops int) []int {
	list := []int{0}
	for q := 1; q <= hops && q < len(p.levels); q++ {
		for left := p.levels[q]; left > 0 && len(list) < p.n; left-- {
			list = append(list, list[len(list)-1]+q)
		}
	}
	return list
}

// meetingLoads has the hull of (1+a)(1+b) for each pair of weights.
type meetingLoads [len(meetingWeights)]hull

func (p *sumProgram) meeting(before, after int) *meetingLoads {
	key := [2]int{before, after}
	if p.meetings[key] == nil {
		in, out := p.nearest(before), p.nearest(after)
		m := new(meetingLoads)
		for i, w := range meetingWeights {
			all := w[0]*in[len(in)-1] + w[1]*out[len(out)-1]
			unit := 1 + all/maxLoads
			if max(len(in), len(out)) <= exactMessages {
				unit = 1
			}
			most := make([]int, all/unit+1)
			for a := 0; a < len(in); {
				load := in[a]
				a = group(a, len(in))
				for b := 0; b < len(out); {
					at := (w[0]*load + w[1]*out[b]) / unit
					b = group(b, len(out))
					most[at] = max(most[at], a*b) // the last of both groups, and 1 for each
				}
			}
			m[i] = hullOf(most, unit)
		}
		p.meetings[key] = m
	}
	return p.meetings[key]
}

// group returns where the next group of numbers of messages begins. A group has the load of its
// first number and the value of its last one.
func group(from, all int) int {
	if all <= exactMessages {
		return from + 1
	}
	return min(all, from+1+from/grouped)
}

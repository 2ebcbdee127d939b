package pipelines

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Times has the times of a pipeline for every number of pieces, from one run: what the first k
// pieces do does not depend on how many follow.
type Times struct {
	ends []int // ends[k]: the number of steps after which the first k pieces are everywhere
	// full[s][m-1] is the number of pieces with which some node sends or receives m of them in
	// step s; nil if no node ever sends or receives two.
	full   [][]int
	Period *Period // nil: not known to repeat itself
}

// Period says when a pipeline of many pieces begins to repeat itself.
type Period struct {
	From, To int // the steps From..To-1 are one period
	Pieces   int // number that leave the root in a period
	Started  int // number that have left the root by the end of the first period
}

// periodSteps is the number of steps, in addition to one per node, after which a pipeline that
// has not repeated itself is assumed not to. mostPeriodSteps limits how many nodes count. Trees
// repeat themselves after a few times their depth. Two trees that share one port are the
// exception: they mostly hold back more and more pieces. Of those with up to 1100 nodes, none
// that repeats itself takes more than 119 steps.
const (
	periodSteps     = 64
	mostPeriodSteps = 256
)

// TimesOf runs a pipeline. It has a closed form for a chain, which takes nearly as many steps
// as nodes until it is full of pieces, one at every node but the last.
func TimesOf(n, ports int, trees []Tree) *Times {
	if len(trees) != 1 || !trees[0].chain() {
		return running(n, ports, trees)
	}
	// After s steps piece k is at node s-k. From s = n-2 on, each of the nodes 1..n-2 has one.
	t := &Times{ends: make([]int, n+1), Period: &Period{From: n - 2, To: n - 1, Pieces: 1, Started: n - 1}}
	for k := 1; k <= n; k++ {
		t.ends[k] = n - 2 + k
	}
	return t
}

// running runs a pipeline with endless pieces until the pieces under way are in a state that
// occurred before: the same holders, having served the same children, on the same trees. It
// gives up after periodSteps.
func running(n, ports int, trees []Tree) *Times {
	r := newRun(n, math.MaxInt, ports, trees)
	type mark struct{ step, first int }
	seen := map[[sha256.Size]byte]mark{}
	t := &Times{ends: []int{0}}
	for steps := 0; ; steps++ {
		for len(t.ends) <= r.first {
			t.ends = append(t.ends, steps)
		}
		switch p := t.Period; {
		case p != nil:
			if r.first > p.Started+p.Pieces {
				return t
			}
		case steps > min(n, mostPeriodSteps)+periodSteps:
			return t
		default:
			state := r.state()
			if m, ok := seen[state]; ok {
				t.Period = &Period{From: m.step, To: steps, Pieces: r.first - m.first, Started: r.started + 1}
			}
			seen[state] = mark{steps, r.first}
		}
		r.step()
		t.full = append(t.full, r.now.full)
	}
}

// state returns a hash of the state of the pieces under way.
func (r *run) state() [sha256.Size]byte {
	text := binary.AppendUvarint(r.text[:0], uint64(r.first%len(r.trees)))
	for _, p := range r.pieces {
		if p == nil {
			text = append(text, 0)
			continue
		}
		text = binary.AppendUvarint(text, uint64(len(p.holders)+1))
		for _, h := range p.holders {
			text = binary.AppendUvarint(text, uint64(h.node))
			text = binary.AppendUvarint(text, uint64(h.sent))
		}
	}
	r.text = text
	return sha256.Sum256(text)
}

// listed returns a known number of pieces, and how many periods must be added to its steps to
// get those of the given number. If that is unknown, it returns the most known pieces, whose
// steps are fewer.
func (t *Times) listed(pieces int) (listed, times int) {
	p := t.Period
	switch {
	case p == nil:
		return min(pieces, len(t.ends)-1), 0
	case pieces <= p.Started:
		return pieces, 0
	}
	listed = p.Started + (pieces-p.Started)%p.Pieces
	return listed, (pieces - listed) / p.Pieces
}

// Steps returns a lower bound on the number of steps of a pipeline with that many pieces. It is
// exact if the pipeline is known to repeat itself.
func (t *Times) Steps(pieces int) int {
	listed, times := t.listed(pieces)
	if times == 0 {
		return t.ends[listed]
	}
	return t.ends[listed] + times*(t.Period.To-t.Period.From)
}

// Busy returns a lower bound on the sum, over the steps, of the most pieces that any node sends
// or receives. It is exact if the pipeline is known to repeat itself.
func (t *Times) Busy(pieces int) int {
	if t.full == nil {
		return t.Steps(pieces)
	}
	listed, times := t.listed(pieces)
	sum := 0
	for s, full := range t.full[:t.ends[listed]] {
		most := 0
		for most < len(full) && full[most] <= listed {
			most++
		}
		if sum += most; times > 0 && s >= t.Period.From && s < t.Period.To {
			sum += times * most
		}
	}
	return sum
}

package flow

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
)

// Memory keeps the floors of steps, and the routes of linear programs, for searches that ask
// for the same demands on the same circuits again and again with other amounts: if all demands
// are scaled, so are the loads. A nil Memory remembers nothing.
type Memory struct {
	mutex  sync.Mutex
	known  map[Case]floors
	solved map[program]solution
}

// program identifies a linear program: a case with a limit on hops, 0 for none, and whether it
// begins near the routes without a limit. Where it begins does not change its peak, but may change
// its routes: these must not depend on what was asked before.
type program struct {
	Case
	maxHops int
	near    bool
}

// solution is what is remembered about a program.
type solution struct {
	result  *Result // nil: only the bound is known
	bound   float64 // lower bound on the peak
	open    float64 // lower bound on the peak for more hops, too, without a result
	largest float64 // largest demand at that time
}

// Case identifies demands on circuits: digests of both, the demands relative to the largest of
// them, and the way in which their loads are computed.
type Case struct {
	Circuits, Demands [sha256.Size]byte
	Way               int
}

// floors is what is remembered about a case, with 1 for the largest demand.
type floors struct {
	floor, shortest Load
	connected       bool
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{known: map[Case]floors{}, solved: map[program]solution{}} }

// Loads returns what find returned in the first call for the case, scaled to the largest
// demand.
func (m *Memory) Loads(c Case, largest float64, find func() (floor, shortest Load, connected bool, err error)) (floor, shortest Load, connected bool, err error) {
	if m == nil || largest <= 0 {
		return find()
	}
	m.mutex.Lock()
	k, ok := m.known[c]
	m.mutex.Unlock()
	if ok {
		return k.floor.scaled(largest), k.shortest.scaled(largest), k.connected, nil
	}
	floor, shortest, connected, err = find()
	if err == nil {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		m.known[c] = floors{floor.scaled(1 / largest), shortest.scaled(1 / largest), connected}
	}
	return floor, shortest, connected, err
}

// scaled returns the load of demands that are by times as large.
func (l Load) scaled(by float64) Load {
	return Load{Peak: l.Peak * by, Hops: l.Hops, Dilation: l.Dilation * by}
}

// Recall is a memory for one problem. Without a memory it recalls nothing.
type Recall struct {
	Memory  *Memory
	Of      Case    // of the problem
	Largest float64 // largest of its demands
}

// FastestWithin is the function of that name with memory for its linear programs.
func (r Recall) FastestWithin(ctx context.Context, p Problem, policy Policy, time func(Load) float64, limit float64) (*Result, error) {
	return fastestWithin(ctx, p, policy, time, limit, r)
}

// solve returns what find returned in the first call for the program. find must return a
// *beyond if it is proven that every peak is above within.
func (r Recall) solve(maxHops int, near bool, within float64, find func() (*Result, error)) (*Result, error) {
	if r.Memory == nil || !(r.Largest > 0) {
		return find()
	}
	key := program{r.Of, maxHops, near}
	r.Memory.mutex.Lock()
	known := r.Memory.solved[key]
	r.Memory.mutex.Unlock()
	by := 1.0 // exact for equal amounts
	if known.largest > 0 {
		by = r.Largest / known.largest
	}
	if known.result != nil {
		return known.result.scaled(by), nil
	}
	if bound := known.bound * by; bound > within {
		return nil, &beyond{bound, known.open * by}
	}
	res, err := find()
	var over *beyond
	switch {
	case errors.As(err, &over):
		known = solution{bound: max(known.bound*by, over.bound), open: max(known.open*by, over.open), largest: r.Largest}
	case err != nil:
		return nil, err
	default:
		known = solution{result: res, bound: res.Bound, largest: r.Largest}
	}
	r.Memory.mutex.Lock()
	defer r.Memory.mutex.Unlock()
	r.Memory.solved[key] = known
	return res, err
}

// scaled returns the routes for demands that are by times as large. They share memory.
func (r *Result) scaled(by float64) *Result {
	c := *r
	c.Load, c.Bound, c.open = r.Load.scaled(by), r.Bound*by, r.open*by
	return &c
}

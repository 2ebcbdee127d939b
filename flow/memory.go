package flow

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
)

// Memory keeps what no routing beats, and the routes of linear programs, for searches that ask
// for the same demands on the same circuits again and again with other amounts: the loads of
// demands that are all scaled are scaled. A nil Memory remembers nothing.
type Memory struct {
	mutex  sync.Mutex
	known  map[Case]floors
	solved map[program]solution
}

// program is a linear program: a case with a limit on hops, 0 for none.
type program struct {
	Case
	maxHops int
}

// solution is what is remembered of a program.
type solution struct {
	result  *Result // nil: only the bound is known
	bound   float64 // no routing has a smaller peak
	open    float64 // nor one of more hops than allowed, without a result
	largest float64 // demand then
}

// Case is demands on circuits: digests of both, the demands relative to the largest of them,
// and the way in which their loads are found.
type Case struct {
	Circuits, Demands [sha256.Size]byte
	Way               int
}

// floors is what is remembered, with 1 for the largest demand.
type floors struct {
	floor, shortest Load
	connected       bool
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{known: map[Case]floors{}, solved: map[program]solution{}} }

// Loads returns what find found the first time that it was asked for the case, whatever the
// largest demand was then.
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

// scaled returns the load of demands that are so many times as large.
func (l Load) scaled(by float64) Load {
	return Load{Peak: l.Peak * by, Hops: l.Hops, Dilation: l.Dilation * by}
}

// Recall is a memory seen from one problem. Without a memory it recalls nothing.
type Recall struct {
	Memory  *Memory
	Of      Case    // that the problem is of
	Largest float64 // of its demands
}

// FastestWithin is the function of that name; it remembers the linear programs that it takes.
func (r Recall) FastestWithin(ctx context.Context, p Problem, policy Policy, time func(Load) float64, limit float64) (*Result, error) {
	return fastestWithin(ctx, p, policy, time, limit, r)
}

// solve returns what find returned the first time that it was asked for the program, which is
// to return a *beyond once it is proven that every peak is above within.
func (r Recall) solve(maxHops int, within float64, find func() (*Result, error)) (*Result, error) {
	if r.Memory == nil || !(r.Largest > 0) {
		return find()
	}
	key := program{r.Of, maxHops}
	r.Memory.mutex.Lock()
	known := r.Memory.solved[key]
	r.Memory.mutex.Unlock()
	by := 1.0 // exactly, for the same amounts
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

// scaled returns the routes for demands that are so many times as large. They share memory
// with these.
func (r *Result) scaled(by float64) *Result {
	c := *r
	c.Load, c.Bound, c.open = r.Load.scaled(by), r.Bound*by, r.open*by
	return &c
}

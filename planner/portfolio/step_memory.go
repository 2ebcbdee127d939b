package portfolio

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// StepMemory remembers the steps of algorithms for demands with different amounts. Dividing a
// matrix into matchings takes seconds for hundreds of GPUs, and a request uses the same algorithm
// several times, to plan it and to compare with it. StepMemory also remembers the layouts of
// pipelines. It lasts as long as the request. For many requests (Search.Lasting) it also
// remembers the steps of every algorithm for demands with equal amounts.
type StepMemory struct {
	mutex  sync.Mutex
	made   []*laidSteps
	pieces []*openPieces
	plain  map[stepsKey]*laidSteps // nil: none are remembered
}

// stepsKey is everything that the steps of an algorithm for all GPUs depend on if demands are
// equal.
type stepsKey struct {
	op           collective.Op
	algorithm    string
	nodes, ports int
	avoid        string
}

// whole returns what lay made the first time that whole was called with the key, if such layouts
// are remembered. Callers share the result and must not change it.
func (l *StepMemory) whole(key stepsKey, lay func() (collective.Sized, error)) (collective.Sized, error) {
	if l == nil || l.plain == nil {
		return lay()
	}
	l.mutex.Lock()
	m := l.plain[key]
	if m == nil {
		m = &laidSteps{}
		l.plain[key] = m
	}
	l.mutex.Unlock()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if !m.known {
		m.sized, m.err = lay()
		m.known = !errors.Is(m.err, context.Canceled) && !errors.Is(m.err, context.DeadlineExceeded)
	}
	return m.sized, m.err
}

// openPieces is an algorithm whose number of pieces may be open, and the case for which it was
// looked up.
type openPieces struct {
	op           collective.Op
	name         string
	ports, nodes int
	members      []int
	once         sync.Once // for what follows
	found        *algorithms.Pieces
	err          error
}

// piecesOf is algorithms.Registry.Pieces with a memory: finding when a pipeline repeats itself
// takes seconds for thousands of GPUs.
func (l *StepMemory) piecesOf(known *algorithms.Registry, op collective.Op, name string, ports int, members []int, nodes int) (*algorithms.Pieces, error) {
	if l == nil {
		return known.Pieces(op, name, ports, members, nodes)
	}
	p := l.open(&openPieces{op: op, name: name, ports: ports, nodes: nodes, members: members})
	p.once.Do(func() { p.found, p.err = known.Pieces(op, name, ports, members, nodes) })
	return p.found, p.err
}

// open returns the entry for the same algorithm and case, or adds like and returns it.
func (l *StepMemory) open(like *openPieces) *openPieces {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, p := range l.pieces {
		if p.op == like.op && p.name == like.name && p.ports == like.ports && p.nodes == like.nodes &&
			(p.members == nil) == (like.members == nil) && slices.Equal(p.members, like.members) {
			return p
		}
	}
	l.pieces = append(l.pieces, like)
	return like
}

// laidSteps is the steps of an algorithm, and the case for which it was laid out.
type laidSteps struct {
	name   string
	ports  int
	demand collective.Demand

	mutex sync.Mutex // for what follows
	known bool
	sized collective.Sized
	err   error
}

// of returns the steps of an algorithm for a demand. Callers share the result and must not change
// it.
func (l *StepMemory) of(ctx context.Context, known *algorithms.Registry, name string, demand collective.Demand, ports int) (collective.Sized, error) {
	if l == nil {
		return known.NewExchange(ctx, name, demand, ports)
	}
	m := l.entry(name, demand, ports)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if !m.known {
		m.sized, m.err = known.NewExchange(ctx, name, demand, ports)
		m.known = ctx.Err() == nil
	}
	return m.sized, m.err
}

// entry returns the entry of an algorithm for a demand. Other goroutines may lay out other
// algorithms meanwhile.
func (l *StepMemory) entry(name string, demand collective.Demand, ports int) *laidSteps {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, m := range l.made {
		if m.name == name && m.ports == ports && slices.EqualFunc(m.demand, demand, slices.Equal[[]int64]) {
			return m
		}
	}
	m := &laidSteps{name: name, ports: ports, demand: demand}
	l.made = append(l.made, m)
	return m
}

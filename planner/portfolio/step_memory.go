package portfolio

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// StepMemory remembers the steps of algorithms for demands that differ: dividing a matrix into
// matchings takes seconds where there are hundreds of GPUs, and a request asks for the same
// algorithm several times, to plan it and to compare with it. So it does of the layouts of
// pipelines. It lasts as long as the request. For many requests (Search.Lasting) it also
// remembers the steps of every algorithm for demands that do not differ.
type StepMemory struct {
	mutex  sync.Mutex
	made   []*laidSteps
	pieces []*openPieces
	plain  map[stepsKey]*laidSteps // nil: not remembered
}

// stepsKey is what the steps of an algorithm for all GPUs depend on where demands do not differ.
type stepsKey struct {
	op           collective.Op
	algorithm    string
	nodes, ports int
	avoid        string
}

// whole returns what lay made the first time that it was asked for under the key, if such layouts
// are remembered. What it returns is shared, and is not to be changed.
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

// openPieces is an algorithm whose number of pieces may be open, and what it is open for.
type openPieces struct {
	op           collective.Op
	name         string
	ports, nodes int
	members      []int
	once         sync.Once // for what follows
	found        *algorithms.Pieces
	err          error
}

// piecesOf is algorithms.Registry.Pieces: when a pipeline repeats itself takes seconds to find
// where there are thousands of GPUs.
func (l *StepMemory) piecesOf(known *algorithms.Registry, op collective.Op, name string, ports int, members []int, nodes int) (*algorithms.Pieces, error) {
	if l == nil {
		return known.Pieces(op, name, ports, members, nodes)
	}
	p := l.open(&openPieces{op: op, name: name, ports: ports, nodes: nodes, members: members})
	p.once.Do(func() { p.found, p.err = known.Pieces(op, name, ports, members, nodes) })
	return p.found, p.err
}

// open returns the place of an algorithm that is open for the same, this one if there is none.
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

// layout is what an algorithm was laid out for.
type laidSteps struct {
	name   string
	ports  int
	demand collective.Demand

	mutex sync.Mutex // for what follows
	known bool
	sized collective.Sized
	err   error
}

// of returns the steps of an algorithm for a demand. What it returns is shared, and is not
// to be changed.
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

// entry returns the place of an algorithm for a demand. Others may lay out other algorithms
// meanwhile.
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

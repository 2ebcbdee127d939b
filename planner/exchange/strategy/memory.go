package strategy

import (
	"sync"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// Memory caches the routes over generators that cayley found, for callers that solve problems
// differing only in times. The search, which dominates the running time, does not depend on these.
// Goroutines may share it. A nil Memory remembers nothing.
type Memory struct {
	mutex sync.Mutex
	words map[wordCase]found
}

// wordCase is all that a search of cayley depends on.
type wordCase struct {
	nodes, ports, each, stages int
	fluid, duplex              bool
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{words: map[wordCase]found{}} }

// found is the result of a search of cayley: ways or nil, and the fewest slots of any result
// that it left out as not worth it, or jumpset.MaxTotal if it left out none.
type found struct {
	ways    *routing.Ways
	without int
}

// ways returns the remembered ways of a case, which may be nil. It calls find if there is
// nothing to remember, or if a result was left out then that is worth it now.
func (m *Memory) ways(c wordCase, worth func(slots int) bool, find func() (found, error)) (*routing.Ways, error) {
	if m == nil {
		one, err := find()
		return one.ways, err
	}
	m.mutex.Lock()
	known, ok := m.words[c]
	m.mutex.Unlock()
	if ok && (known.without == jumpset.MaxTotal || !worth(known.without)) {
		return known.ways, nil
	}
	one, err := find()
	if err != nil {
		return nil, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.words[c] = one
	return one.ways, nil
}

package strategy

import (
	"sync"

	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// Memory caches the routes over generators that cayley found, for callers that solve problems
// differing only in times. The search, which dominates the running time, does not depend on these.
// Goroutines may share it. A nil Memory remembers nothing.
type Memory struct {
	mutex sync.Mutex
	words map[wordCase]*routing.Ways
}

// wordCase is all that a search of cayley depends on.
type wordCase struct {
	nodes, ports, each, stages int
	fluid, duplex              bool
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{words: map[wordCase]*routing.Ways{}} }

// ways returns what find found the first time that it was asked for a case: nil, too.
func (m *Memory) ways(c wordCase, find func() (*routing.Ways, error)) (*routing.Ways, error) {
	if m == nil {
		return find()
	}
	m.mutex.Lock()
	known, ok := m.words[c]
	m.mutex.Unlock()
	if ok {
		return known, nil
	}
	found, err := find()
	if err != nil {
		return nil, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.words[c] = found
	return found, nil
}

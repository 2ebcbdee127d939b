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

// found is what a search of cayley has found: ways or nil, and the fewest slots that what was
// left out as not worth it could take, or jumpset.MaxTotal if nothing was.
type found struct {
	ways    *routing.Ways
	without int
}

// ways returns what find found when it was asked for a case before: nil, too. It asks again if
// something was left out then that is worth it now.
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

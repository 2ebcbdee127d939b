package strategy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// Memory caches the routes over generators that cayley found, the places of nodes, and the slots
// of the paper's topologies, for callers that solve problems differing only in times. These
// searches do not depend on times. Goroutines may share it. A nil Memory remembers nothing.
type Memory struct {
	mutex  sync.Mutex
	words  map[wordCase]found
	places map[[sha256.Size]byte][]int
	curves map[curveCase]curve
}

// wordCase is all that a search of cayley depends on.
type wordCase struct {
	nodes, ports, each, stages int
	fluid, duplex              bool
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{words: map[wordCase]found{}, places: map[[sha256.Size]byte][]int{}, curves: map[curveCase]curve{}}
}

// mostPlaces is the largest number of placements that are remembered: more than a search makes.
const mostPlaces = 1 << 10

// relabel is routing.Relabel with a memory. A plan and the best plan that does not reconfigure
// place the same demand on the same topologies.
func (m *Memory) relabel(ctx context.Context, demand model.Demand, hops [][]int, start []int) ([]int, error) {
	if m == nil {
		return routing.Relabel(ctx, demand, hops, start)
	}
	numbers := make([]byte, 0, 8*len(start)*(2*len(start)+1))
	for u, s := range start {
		numbers = binary.LittleEndian.AppendUint64(numbers, uint64(s))
		for v, h := range hops[u] {
			numbers = binary.LittleEndian.AppendUint64(numbers, uint64(h))
			numbers = binary.LittleEndian.AppendUint64(numbers, uint64(demand.Count(u, v)))
		}
	}
	key := sha256.Sum256(numbers)
	m.mutex.Lock()
	at, ok := m.places[key]
	m.mutex.Unlock()
	if ok {
		return slices.Clone(at), nil
	}
	at, err := routing.Relabel(ctx, demand, hops, start)
	if err != nil {
		return nil, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.places) == mostPlaces {
		clear(m.places)
	}
	m.places[key] = slices.Clone(at)
	return at, nil
}

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

// curveCase is all that the slots of the paper's topologies depend on.
type curveCase struct {
	nodes, ports, each, base int
	fluid                    bool
}

// curve is the slots with 1, 2, .. topologies.
type curve struct {
	slots []int
	ends  bool // no further topology can help
}

// curve returns what is known of a curve.
func (m *Memory) curve(c curveCase) curve {
	if m == nil {
		return curve{}
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.curves[c]
}

// learn keeps a curve if it is longer than the known one.
func (m *Memory) learn(c curveCase, new curve) {
	if m == nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(new.slots) > len(m.curves[c].slots) || new.ends {
		m.curves[c] = curve{slices.Clone(new.slots), new.ends}
	}
}

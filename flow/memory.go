package flow

import "crypto/sha256"

// Memory keeps what no routing beats, for searches that ask for the same demands on the same
// circuits again and again with other amounts: the loads of demands that are all scaled are
// scaled. It is not safe for concurrent use. A nil Memory remembers nothing.
type Memory struct {
	known map[Case]floors
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
func NewMemory() *Memory { return &Memory{map[Case]floors{}} }

// Loads returns what find found the first time that it was asked for the case, whatever the
// largest demand was then.
func (m *Memory) Loads(c Case, largest float64, find func() (floor, shortest Load, connected bool, err error)) (floor, shortest Load, connected bool, err error) {
	if m == nil || largest <= 0 {
		return find()
	}
	if k, ok := m.known[c]; ok {
		return k.floor.scaled(largest), k.shortest.scaled(largest), k.connected, nil
	}
	floor, shortest, connected, err = find()
	if err == nil {
		m.known[c] = floors{floor.scaled(1 / largest), shortest.scaled(1 / largest), connected}
	}
	return floor, shortest, connected, err
}

// scaled returns the load of demands that are so many times as large.
func (l Load) scaled(by float64) Load {
	return Load{Peak: l.Peak * by, Hops: l.Hops, Dilation: l.Dilation * by}
}

package rank

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// memory is the data of a rank: its deterministic part, without connections.
type memory struct {
	program *program.Program
	data    number.Data
	id      int
	chunks  map[int][]byte
	// received is the sum of what was added to the rank's inputs, without the inputs, for plans
	// that send it; nil for chunks that have since been copied or replaced.
	received map[int][]byte
	// aside are the side sums that the plan sends; nil for chunks as above.
	aside map[aside][]byte
}

// aside names a side sum of a chunk.
type aside struct{ side, chunk int }

// newMemory gives a rank its inputs.
func newMemory(g *program.Program, seed uint64, id int) *memory {
	m := &memory{
		program: g, id: id, chunks: map[int][]byte{}, received: map[int][]byte{}, aside: map[aside][]byte{},
		data: number.Data{Type: g.Type, Seed: seed, Nodes: g.Plan.Fabric.Nodes},
	}
	for c := range g.Chunks() {
		if duty := g.Duty(c); slices.Contains(duty.From, id) {
			buffer := make([]byte, g.Bytes(c))
			m.data.Fill(buffer, id, c, duty.Reduces)
			m.chunks[c] = buffer
		}
	}
	return m
}

// gather copies the chunks of a transfer, one after the other.
func (m *memory) gather(t *program.Transfer) ([]byte, error) {
	all := make([]byte, 0, t.Bytes)
	for c := range t.Chunks.All() {
		chunk, ok := m.part(c, t.Part)
		if !ok {
			return nil, fmt.Errorf("chunk %d is to be sent to rank %d, but is not here", c, t.Dst)
		}
		all = append(all, chunk...)
	}
	return all, nil
}

// part returns a chunk, or a part of its sum.
func (m *memory) part(c int, part collective.Part) (value []byte, ok bool) {
	switch side, own := part.Side(); {
	case side > 0:
		sum := m.aside[aside{side, c}]
		if sum == nil || !own {
			return sum, sum != nil
		}
		if value, ok = m.own(c); ok {
			m.program.Type.Add(value, sum)
		}
		return value, ok
	case part == collective.OwnPart:
		return m.own(c)
	case part == collective.ReceivedPart:
		value = m.received[c]
		return value, value != nil
	}
	value, ok = m.chunks[c]
	return value, ok
}

// own returns the rank's own contribution to a chunk.
func (m *memory) own(c int) (value []byte, ok bool) {
	duty := m.program.Duty(c)
	if !slices.Contains(duty.From, m.id) {
		return nil, false
	}
	value = make([]byte, m.program.Bytes(c))
	m.data.Fill(value, m.id, c, duty.Reduces)
	return value, true
}

// addAside adds data to the side sums of a chunk that the plan sends.
func (m *memory) addAside(sides collective.Sides, c int, part []byte) {
	for side := range (sides & m.program.Sides).All() {
		switch sum, begun := m.aside[aside{side, c}]; {
		case !begun:
			m.aside[aside{side, c}] = slices.Clone(part)
		case sum != nil:
			m.program.Type.Add(sum, part)
		}
	}
}

// apply stores or adds the data of a transfer. It keeps the buffer. replaced has the chunks that
// the step has replaced so far.
func (m *memory) apply(t *program.Transfer, buffer []byte, replaced map[int]bool) error {
	for c := range t.Chunks.All() {
		part := buffer[:m.program.Bytes(c):m.program.Bytes(c)]
		buffer = buffer[len(part):]
		if t.Action == collective.Copy || t.Action == collective.Replace && !replaced[c] {
			m.chunks[c] = part
			replaced[c] = true
			if m.program.Apart {
				m.received[c] = nil
			}
			for side := range m.program.Sides.All() {
				m.aside[aside{side, c}] = nil
			}
			continue
		}
		into, ok := m.chunks[c]
		if !ok {
			return fmt.Errorf("chunk %d from rank %d is to be added, but there is nothing of it here", c, t.Src)
		}
		m.program.Type.Add(into, part)
		m.addAside(t.Sides, c, part)
		if !m.program.Apart {
			continue
		}
		switch sum, begun := m.received[c]; {
		case !begun:
			m.received[c] = part
		case sum != nil:
			m.program.Type.Add(sum, part)
		}
	}
	return nil
}

// check compares the rank's data with what the operation promises. It adds the checked bytes to
// progress as it goes.
func (m *memory) check(progress *atomic.Int64) wire.ResultMessage {
	var r wire.ResultMessage
	for c := range m.program.Chunks() {
		duty := m.program.Duty(c)
		if !slices.Contains(duty.To, m.id) {
			continue
		}
		held, ok := m.chunks[c]
		if !ok && m.program.Bytes(c) > 0 {
			r.Wrong = fmt.Sprintf("chunk %d is not here", c)
			return r
		}
		if err := m.data.Check(held, c, duty.From, duty.Reduces, m.program.Depth); err != nil {
			r.Wrong = err.Error()
			return r
		}
		r.Chunks++
		r.Bytes += int64(len(held))
		progress.Add(int64(len(held)) + 1)
	}
	return r
}

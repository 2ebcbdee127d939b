package fluid

import (
	"math"
	"math/bits"
)

// endings is a heap of the active streams by when they will have drained. Times that change are
// collected; if there are many, the heap is rebuilt in linear time.
type endings struct {
	at      []float64 // by stream
	place   []int32   // in the heap, by stream, or -1
	heap    []int32
	changed []int32
}

func newEndings(streams int) *endings {
	e := &endings{at: make([]float64, streams), place: make([]int32, streams)}
	for s := range e.place {
		e.place[s] = -1
	}
	return e
}

// set sets when a stream will have drained. It takes effect with settle.
func (e *endings) set(s int32, at float64) {
	e.at[s] = at
	e.changed = append(e.changed, s)
	if e.place[s] < 0 {
		e.place[s] = int32(len(e.heap))
		e.heap = append(e.heap, s)
	}
}

// settle moves streams whose times have changed to their places.
func (e *endings) settle() {
	if len(e.changed)*bits.Len(uint(len(e.heap))) > len(e.heap) {
		for i := len(e.heap)/2 - 1; i >= 0; i-- {
			e.down(i)
		}
	} else {
		for _, s := range e.changed {
			e.up(int(e.place[s]))
			e.down(int(e.place[s]))
		}
	}
	e.changed = e.changed[:0]
}

// next returns when the first stream will have drained.
func (e *endings) next() float64 {
	if len(e.heap) == 0 {
		return math.Inf(1)
	}
	return e.at[e.heap[0]]
}

// pop removes the first stream.
func (e *endings) pop() (at float64, s int32) {
	s = e.heap[0]
	last := len(e.heap) - 1
	e.put(0, e.heap[last])
	e.heap = e.heap[:last]
	e.place[s] = -1
	if last > 0 {
		e.down(0)
	}
	return e.at[s], s
}

// before orders by time and then by number, so that the order is always the same.
func (e *endings) before(s, t int32) bool {
	return e.at[s] < e.at[t] || e.at[s] == e.at[t] && s < t
}

func (e *endings) put(i int, s int32) {
	e.heap[i] = s
	e.place[s] = int32(i)
}

func (e *endings) up(i int) {
	s := e.heap[i]
	for i > 0 && e.before(s, e.heap[(i-1)/2]) {
		e.put(i, e.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	e.put(i, s)
}

func (e *endings) down(i int) {
	s := e.heap[i]
	for {
		child := 2*i + 1
		if child >= len(e.heap) {
			break
		}
		if child+1 < len(e.heap) && e.before(e.heap[child+1], e.heap[child]) {
			child++
		}
		if !e.before(e.heap[child], s) {
			break
		}
		e.put(i, e.heap[child])
		i = child
	}
	e.put(i, s)
}

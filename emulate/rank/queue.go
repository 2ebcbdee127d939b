package rank

import (
	"sync"

	"github.com/lightpath-net/lightpath/emulate/wire"
)

// queue holds the frames to send from a port. Adding to it never blocks: a rank that forwards
// data must always be able to receive more, or ranks could wait for one another in a cycle.
type queue struct {
	mu     sync.Mutex
	some   *sync.Cond
	frames []*wire.Frame
	bytes  int64 // total ever added
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.some = sync.NewCond(&q.mu)
	return q
}

func (q *queue) add(f *wire.Frame) {
	q.mu.Lock()
	q.frames = append(q.frames, f)
	q.bytes += int64(len(f.Payload))
	q.mu.Unlock()
	q.some.Signal()
}

// next waits for a frame; ok is false when the queue is closed.
func (q *queue) next() (f *wire.Frame, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.frames) == 0 && !q.closed {
		q.some.Wait()
	}
	if q.closed {
		return nil, false
	}
	f = q.frames[0]
	q.frames[0] = nil
	q.frames = q.frames[1:]
	return f, true
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.some.Broadcast()
}

func (q *queue) added() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}

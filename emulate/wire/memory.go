package wire

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
)

// Memory is a network within the process: frames are handed over without encoding.
type Memory struct {
	mu        sync.Mutex
	listeners map[string]*memoryListener
	next      int
}

// NewMemory makes a separate network.
func NewMemory() *Memory { return &Memory{listeners: map[string]*memoryListener{}} }

// Listen implements Network; the address is chosen.
func (m *Memory) Listen(string) (Listener, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	l := &memoryListener{
		network: m, address: fmt.Sprintf("memory:%d", m.next), waiting: make(chan Conn), closed: make(chan struct{}),
	}
	m.listeners[l.address] = l
	return l, nil
}

// Dial implements Network.
func (m *Memory) Dial(ctx context.Context, address string) (Conn, error) {
	m.mu.Lock()
	l := m.listeners[address]
	m.mu.Unlock()
	if l == nil {
		return nil, fmt.Errorf("nobody listens at %s", address)
	}
	near, far := pair()
	select {
	case l.waiting <- far:
		return near, nil
	case <-l.closed:
		return nil, fmt.Errorf("nobody listens at %s", address)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type memoryListener struct {
	network *Memory
	address string
	waiting chan Conn
	closed  chan struct{}
	once    sync.Once
}

// Accept implements Listener.
func (l *memoryListener) Accept() (Conn, error) {
	select {
	case c := <-l.waiting:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Address implements Listener.
func (l *memoryListener) Address() string { return l.address }

// Close implements Listener.
func (l *memoryListener) Close() error {
	l.once.Do(func() {
		l.network.mu.Lock()
		delete(l.network.listeners, l.address)
		l.network.mu.Unlock()
		close(l.closed)
	})
	return nil
}

// memoryQueue is how many frames may be in flight on a connection in memory. Like the buffers of
// a system, it makes senders wait for receivers.
const memoryQueue = 16

type memoryConn struct {
	out, in chan *Frame
	mine    chan struct{} // closed by this side
	theirs  chan struct{} // closed by the other
	once    *sync.Once
}

// pair makes the two ends of a connection.
func pair() (Conn, Conn) {
	a, b := make(chan *Frame, memoryQueue), make(chan *Frame, memoryQueue)
	x, y := make(chan struct{}), make(chan struct{})
	return &memoryConn{out: a, in: b, mine: x, theirs: y, once: new(sync.Once)},
		&memoryConn{out: b, in: a, mine: y, theirs: x, once: new(sync.Once)}
}

// Send implements Conn.
func (c *memoryConn) Send(f *Frame) error {
	if len(f.Payload) > MaxPayload {
		return Write(io.Discard, f) // which refuses it
	}
	own := *f
	select {
	case <-c.mine:
		return net.ErrClosed
	case <-c.theirs:
		return io.ErrClosedPipe
	default:
	}
	select {
	case c.out <- &own:
		return nil
	case <-c.mine:
		return net.ErrClosed
	case <-c.theirs:
		return io.ErrClosedPipe
	}
}

// Receive implements Conn. What was sent before the other side closed still arrives.
func (c *memoryConn) Receive() (*Frame, error) {
	select {
	case f := <-c.in:
		return f, nil
	case <-c.mine:
		return nil, net.ErrClosed
	case <-c.theirs:
	}
	select {
	case f := <-c.in:
		return f, nil
	default:
		return nil, io.EOF
	}
}

// Close implements Conn.
func (c *memoryConn) Close() error {
	c.once.Do(func() { close(c.mine) })
	return nil
}

package crossbar

import (
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/emulate/wire"
)

// delay holds frames until they are due. Frames are added in the order of their times.
type delay struct {
	mu     sync.Mutex
	some   *sync.Cond
	held   []held
	closed bool
}

type held struct {
	frame *wire.Frame
	at    time.Duration
}

func newDelay() *delay {
	d := &delay{}
	d.some = sync.NewCond(&d.mu)
	return d
}

func (d *delay) add(f *wire.Frame, at time.Duration) {
	d.mu.Lock()
	d.held = append(d.held, held{f, at})
	d.mu.Unlock()
	d.some.Signal()
}

func (d *delay) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.some.Broadcast()
}

// run delivers frames when they are due, until the delay is closed.
func (d *delay) run(clock func() time.Duration, over <-chan struct{}, deliver func(*wire.Frame)) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		d.mu.Lock()
		for len(d.held) == 0 && !d.closed {
			d.some.Wait()
		}
		if d.closed {
			d.mu.Unlock()
			return
		}
		next := d.held[0]
		d.held[0] = held{}
		d.held = d.held[1:]
		d.mu.Unlock()
		if wait := next.at - clock(); wait > 0 {
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-over:
				return
			}
		}
		deliver(next.frame)
	}
}

package stepwise

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// ErrDeadlock says that packets wait in a cycle for buffers that others in the cycle hold.
var ErrDeadlock = errors.New("deadlock")

// Deadlock is a cycle of circuits: the packets that wait for each circuit hold the buffers that
// the packets for the previous circuit wait for.
type Deadlock struct {
	At      units.Duration // nothing moves from then on
	Circle  [][2]int       // from and to
	Waiting int            // number of streams that have not arrived
}

func (d *Deadlock) Error() string {
	var text strings.Builder
	for i, c := range d.Circle {
		if i == 0 {
			fmt.Fprintf(&text, "%d", c[0])
		}
		fmt.Fprintf(&text, " -> %d", c[1])
	}
	return fmt.Sprintf("%v at %v: packets wait for room in a circle, %s, and hold up all that wait behind them; %d messages, or parts of some, do not arrive", ErrDeadlock, d.At, text.String(), d.Waiting)
}

// Unwrap returns ErrDeadlock.
func (d *Deadlock) Unwrap() error { return ErrDeadlock }

// Stalled explains, when nothing happens any more, why streams have not arrived: it returns a
// *Deadlock, or says that they have not begun or have no circuit. It is nil if all have
// arrived.
func (p *Engine) Stalled() error {
	if p.waiting == 0 {
		return nil
	}
	for i := range p.queues {
		if q := &p.queues[i]; q.first < len(q.waiting) && !p.fits(q) {
			if circle := p.circle(int32(i)); circle != nil {
				return &Deadlock{At: units.Duration(p.now), Circle: circle, Waiting: p.waiting}
			}
		}
	}
	return fmt.Errorf("%d messages, or parts of some, wait without end", p.waiting)
}

// circle follows the holders of the buffer that a queue waits for until a queue repeats.
func (p *Engine) circle(start int32) [][2]int {
	var path []int32
	for q := start; q >= 0; q = p.holder(q) {
		if i := slices.Index(path, q); i >= 0 {
			return each.Of(path[i:], func(j int32) [2]int {
				return [2]int{int(p.queues[j].from), int(p.queues[j].to)}
			})
		}
		path = append(path, q)
	}
	return nil
}

// holder returns a queue in which packets wait that came over another one, or -1.
func (p *Engine) holder(over int32) int32 {
	for i := range p.queues {
		q := &p.queues[i]
		if q.from != p.queues[over].to || q.first == len(q.waiting) || p.fits(q) {
			continue
		}
		for _, b := range q.waiting[q.first:] {
			if b.hop > 0 && p.streams[b.stream].queues[b.hop-1] == over {
				return int32(i)
			}
		}
	}
	return -1
}

package mscclpp

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/each"
)

// channel is one end of a channel: the k-th of its type between a rank and a peer.
type channel struct {
	rank, peer, index int
	kind              ChannelType
}

// far returns the other end.
func (c channel) far() channel { return channel{c.peer, c.rank, c.index, c.kind} }

// signal is a signal that was sent: its event, and the puts that arrive before it.
type signal struct {
	event   int
	puts    []int
	relaxed bool
}

// waiting is a wait for the next signal.
type waiting struct {
	event   int
	relaxed bool
	at      program.Place
}

// linker builds the graph of a document.
type linker struct {
	*reader
	b       *check.Builder
	signals map[channel][]signal
	waits   map[channel][]waiting
	flying  map[channel][]int // puts by proxies not yet followed by a signal
	ends    [][][]channel     // by rank, type and number
	order   []channel         // in which channels are first used
	numbers map[ChannelType]int
}

func (r *reader) graph() (*check.Graph, error) {
	l := &linker{
		reader: r, b: check.NewBuilder(r.layout, r.scratch), signals: map[channel][]signal{}, waits: map[channel][]waiting{},
		flying: map[channel][]int{}, numbers: map[ChannelType]int{Memory: 0, Port: 1},
	}
	for rank := range r.GPUs {
		ends := make([][]channel, 2)
		between := map[channel]int{}
		for _, list := range r.GPUs[rank].Channels {
			for _, peer := range list.ConnectedTo {
				c := channel{rank, peer, 0, list.Type}
				c.index = between[c]
				between[channel{rank, peer, 0, list.Type}]++
				ends[l.numbers[list.Type]] = append(ends[l.numbers[list.Type]], c)
			}
		}
		l.ends = append(l.ends, ends)
	}
	for rank := range r.GPUs {
		if err := l.rank(rank); err != nil {
			return nil, err
		}
	}
	if err := l.match(); err != nil {
		return nil, err
	}
	return l.b.Graph(), nil
}

// end returns the end of a channel that an operation names.
func (l *linker) end(at program.Place, op *Operation, id int) channel {
	global := l.blocks[at.Rank][at.Block].channels[op.ChannelType][id]
	c := l.ends[at.Rank][l.numbers[op.ChannelType]][global]
	if len(l.signals[c]) == 0 && len(l.waits[c]) == 0 {
		l.order = append(l.order, c)
	}
	return c
}

// semaphore holds the releases and acquires of one semaphore.
type semaphore struct {
	releases, acquires       []int
	releasers, acquirers     map[int]bool
	lastRelease, lastAcquire program.Place
}

func (l *linker) rank(rank int) error {
	sems := make([]semaphore, len(l.GPUs[rank].Semaphores))
	for i := range sems {
		sems[i] = semaphore{releasers: map[int]bool{}, acquirers: map[int]bool{}}
	}
	barriers := map[int]map[int][]int{} // events by barrier and thread block
	next := map[int]int{}               // the event after a barrier
	for b := range l.GPUs[rank].ThreadBlocks {
		block := l.b.Block()
		last := -1
		pending := -1 // a barrier that was just passed
		for i := range l.GPUs[rank].ThreadBlocks[b].Ops {
			op := &l.GPUs[rank].ThreadBlocks[b].Ops[i]
			at := program.Place{Rank: rank, Block: b, Op: i}
			event := l.operation(block, at, op, last)
			if pending >= 0 {
				next[pending] = event
				pending = -1
			}
			for _, id := range op.SemaphoreIDs {
				s := &sems[id]
				if op.Name == "sem_release" {
					s.releases, s.lastRelease = append(s.releases, event), at
					s.releasers[b] = true
				} else {
					s.acquires, s.lastAcquire = append(s.acquires, event), at
					s.acquirers[b] = true
				}
			}
			if op.Name == "barrier" {
				if barriers[*op.BarrierID] == nil {
					barriers[*op.BarrierID] = map[int][]int{}
				}
				barriers[*op.BarrierID][b] = append(barriers[*op.BarrierID][b], event)
				pending = event
			}
			last = event
		}
	}
	if err := l.barriers(rank, barriers, next); err != nil {
		return err
	}
	return l.semaphores(rank, sems)
}

// operation adds the events of one operation and returns its thread block's event.
func (l *linker) operation(block int, at program.Place, op *Operation, last int) int {
	operands := func(list []Chunk) []check.Operand {
		return each.Below(len(list), func(i int) check.Operand {
			return l.operand(at.Rank, at.Block, op, &list[i])
		})
	}
	switch op.Name {
	case "copy", "re", "res", "rre", "rres":
		return l.b.Add(block, at, op.size(), operands(op.Src), operands(op.Dst))
	case "put", "get", "pws", "pwsf":
		src, dst := operands(op.Src), operands(op.Dst)
		if op.ChannelType == Memory {
			event := last
			for i := range src {
				event = l.b.Add(block, at, op.size(), src[i:i+1], dst[i:i+1])
			}
			return event
		}
		// A proxy executes the operation concurrently with the thread block.
		var apart []int
		for i := range src {
			put := l.b.Apart(at, last, op.size(), src[i:i+1], dst[i:i+1])
			apart = append(apart, put)
			c := l.end(at, op, op.ChannelIDs[i])
			l.flying[c] = append(l.flying[c], put)
		}
		event := l.b.Add(block, at, 0, nil, nil)
		for i := range src {
			if op.Name == "pwsf" {
				l.b.Before(apart[i], event)
			}
			if op.Name != "put" {
				l.signal(l.end(at, op, op.ChannelIDs[i]), event, false)
			}
		}
		return event
	}
	event := l.b.Add(block, at, 0, nil, nil)
	for _, id := range op.ChannelIDs {
		c := l.end(at, op, id)
		switch op.Name {
		case "signal", "rlxsignal":
			l.signal(c, event, op.Name == "rlxsignal")
		case "wait", "rlxwait":
			l.waits[c] = append(l.waits[c], waiting{event, op.Name == "rlxwait", at})
		case "flush":
			for _, put := range l.flying[c] {
				l.b.Before(put, event)
			}
		}
	}
	return event
}

// signal records a signal, which a proxy sends after all earlier puts.
func (l *linker) signal(c channel, event int, relaxed bool) {
	l.signals[c] = append(l.signals[c], signal{event, append([]int(nil), l.flying[c]...), relaxed})
	if c.kind == Port {
		l.flying[c] = l.flying[c][:0]
	}
}

// match pairs signals with waits: the n-th wait on a channel sees the peer's n-th signal.
func (l *linker) match() error {
	for _, c := range l.order {
		waits, signals := l.waits[c], l.signals[c.far()]
		for i, w := range waits {
			if i >= len(signals) {
				return fmt.Errorf("%v: waits for signal %d of rank %d on %s channel %d between them, which sends %d", w.at, i+1, c.peer, c.kind, c.index, len(signals))
			}
			if s := signals[i]; w.relaxed || s.relaxed {
				l.b.Awaits(w.event, s.event)
			} else {
				l.b.Before(s.event, w.event)
				for _, put := range s.puts {
					l.b.Before(put, w.event)
				}
			}
		}
		if far := l.waits[c.far()]; len(l.signals[c]) > len(far) {
			return fmt.Errorf("rank %d sends %d signals to rank %d on %s channel %d between them, which waits for %d: the next call would see what is left",
				c.rank, len(l.signals[c]), c.peer, c.kind, c.index, len(far))
		}
	}
	return nil
}

// semaphores pairs acquires with releases. If several thread blocks release, an acquire is known
// to follow all of them only if it takes the last release.
func (l *linker) semaphores(rank int, sems []semaphore) error {
	for id := range sems {
		s := &sems[id]
		begin := l.GPUs[rank].Semaphores[id].InitValue
		switch {
		case len(s.acquirers) > 1:
			return fmt.Errorf("%v: semaphore %d is acquired by several thread blocks; which is first is left to chance", s.lastAcquire, id)
		case len(s.acquires) > len(s.releases)+begin:
			return fmt.Errorf("%v: semaphore %d is acquired %d times, released %d times and begins with %d", s.lastAcquire, id, len(s.acquires), len(s.releases), begin)
		case len(s.acquires) < len(s.releases):
			return fmt.Errorf("%v: semaphore %d is released %d times and acquired %d times: the next call would see what is left", s.lastRelease, id, len(s.releases), len(s.acquires))
		}
		for k, acquire := range s.acquires {
			switch n := k - begin; {
			case n < 0:
			case len(s.releasers) == 1:
				l.b.Before(s.releases[n], acquire)
			case n == len(s.releases)-1:
				for _, release := range s.releases {
					l.b.Before(release, acquire)
				}
			}
		}
	}
	return nil
}

// barriers makes every thread block of a barrier continue only after all of them have arrived.
func (l *linker) barriers(rank int, barriers map[int]map[int][]int, next map[int]int) error {
	for id := range maxBarriers {
		blocks := barriers[id]
		times := -1
		for b := range len(l.GPUs[rank].ThreadBlocks) {
			events, takes := blocks[b]
			if !takes {
				continue
			}
			if times >= 0 && len(events) != times {
				return fmt.Errorf("rank %d: thread blocks come %d and %d times to barrier %d", rank, times, len(events), id)
			}
			times = len(events)
		}
		for k := range max(0, times) {
			for b := range len(l.GPUs[rank].ThreadBlocks) {
				events, takes := blocks[b]
				if !takes {
					continue
				}
				then, more := next[events[k]]
				for other := range len(l.GPUs[rank].ThreadBlocks) {
					if come := blocks[other]; more && other != b && len(come) > 0 {
						l.b.Before(come[k], then)
					}
				}
			}
		}
	}
	for _, gpuBlock := range l.GPUs[rank].ThreadBlocks {
		for i := range gpuBlock.Ops {
			op := &gpuBlock.Ops[i]
			if op.Name == "barrier" && op.ThreadBlocks != len(barriers[*op.BarrierID]) {
				return fmt.Errorf("%v: barrier %d is for %d thread blocks, %d come to it", program.Place{Rank: rank, Block: gpuBlock.ID, Op: i}, *op.BarrierID, op.ThreadBlocks, len(barriers[*op.BarrierID]))
			}
		}
	}
	return nil
}

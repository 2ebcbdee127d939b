package mscclpp

import (
	"slices"

	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/program"
)

// blockWriter writes the operations of a thread block. Signals, waits and puts by a proxy
// are the work of a few threads; copies and sums are the work of all. A nop, at which all
// meet, stands between the two wherever one must see what the other did.
type blockWriter struct {
	*encoder
	block    int
	channels []int // of the GPU; the position is the number here
	remotes  []int
	ops      []Operation
	worked   bool // all threads have worked since the last nop
	waited   int  // threads that have waited since the last nop
}

func (w *blockWriter) put(op Operation) { w.ops = append(w.ops, op) }

// meet has all threads meet.
func (w *blockWriter) meet() {
	w.put(Operation{Name: "nop"})
	w.worked, w.waited = false, 0
}

// few prepares for the work of so many threads, that must see what was done before.
func (w *blockWriter) few(threads int) {
	if w.worked || w.waited > 0 && (w.waited > 1 || threads > 1) {
		w.meet()
	}
}

// all prepares for the work of all threads.
func (w *blockWriter) all() {
	if w.waited > 0 {
		w.meet()
	}
}

func (w *blockWriter) localChannel(id int) int {
	i := slices.Index(w.channels, id)
	if i < 0 {
		i = len(w.channels)
		w.channels = append(w.channels, id)
	}
	return i
}

func (w *blockWriter) localRemote(id int) *int {
	i := slices.Index(w.remotes, id)
	if i < 0 {
		i = len(w.remotes)
		w.remotes = append(w.remotes, id)
	}
	return &i
}

// connectionOf returns the connection of a send or receive.
func (w *blockWriter) connectionOf(op *lower.Put) int {
	if op.Kind == program.Send {
		return w.numbers[connection{w.rank, op.Peer, op.Channel}]
	}
	return w.numbers[connection{op.Peer, w.rank, op.Channel}]
}

// greet says to all senders that this rank is there, and waits for all receivers.
func (w *blockWriter) greet(block []lower.Put) {
	var from, to []int
	for i := range block {
		switch op := &block[i]; op.Kind {
		case program.Recv:
			from = append(from, w.localChannel(w.connectionOf(op)))
		case program.Send:
			to = append(to, w.localChannel(w.connectionOf(op)))
		}
	}
	for _, list := range [2]struct {
		name string
		ids  []int
	}{{"rlxsignal", from}, {"rlxwait", to}} {
		slices.Sort(list.ids)
		for ids := range slices.Chunk(slices.Compact(list.ids), maxPerOp) {
			w.put(Operation{Name: list.name, ChannelType: w.channel, ChannelIDs: ids})
			if list.name == "rlxwait" {
				w.waited = max(w.waited, len(ids))
			}
		}
	}
}

func chunk(at program.Loc, count int32) []Chunk {
	return []Chunk{{Type: at.Buffer.String(), Index: int(at.Offset), Size: int(count)}}
}

// write writes all operations; released are the semaphores that each makes known its end by.
func (w *blockWriter) write(block []lower.Put, released map[int][]int) ThreadBlock {
	w.greet(block)
	for i := range block {
		op := &block[i]
		var acquired []int
		for _, d := range op.Deps {
			acquired = append(acquired, w.pairs[[2]int{int(d.Block), w.block}])
		}
		if len(acquired) > 0 {
			w.put(Operation{Name: "sem_acquire", SemaphoreIDs: acquired})
			w.waited = max(w.waited, len(acquired))
		}
		w.operate(op)
		if ids := released[i]; len(ids) > 0 {
			w.few(len(ids))
			w.put(Operation{Name: "sem_release", SemaphoreIDs: ids})
		}
	}
	tb := ThreadBlock{ID: w.block, Ops: w.ops, Channels: []ChannelIDs{}}
	if len(w.channels) > 0 {
		tb.Channels = append(tb.Channels, ChannelIDs{w.channel, w.channels})
	}
	if len(w.remotes) > 0 {
		tb.RemoteRefs = []RemoteRefs{{w.channel, w.remotes}}
	}
	return tb
}

func (w *blockWriter) operate(op *lower.Put) {
	switch op.Kind {
	case program.Recv:
		w.put(Operation{Name: "wait", ChannelType: w.channel, ChannelIDs: []int{w.localChannel(w.connectionOf(op))}})
		w.waited = max(w.waited, 1)
	case program.Copy:
		w.all()
		w.put(Operation{Name: "copy", Src: chunk(op.Src, op.Count), Dst: chunk(op.Dst, op.Count)})
		w.worked = true
	case program.Reduce:
		w.all()
		w.put(Operation{Name: "re", Src: append(chunk(op.Dst, op.Count), chunk(op.Src, op.Count)...), Dst: chunk(op.Dst, op.Count)})
		w.worked = true
	case program.Send:
		remote := w.localRemote(w.remoteBuffer(op.Peer, op.Dst.Buffer))
		ids := []int{w.localChannel(w.connectionOf(op))}
		put := Operation{
			Name: "put", ChannelType: w.channel, ChannelIDs: ids, Src: chunk(op.Src, op.Count),
			Dst: []Chunk{{BufferID: remote, Index: int(op.Dst.Offset), Size: int(op.Count)}},
		}
		if w.channel == Memory {
			w.all()
			w.put(put)
			w.meet()
			w.put(Operation{Name: "signal", ChannelType: w.channel, ChannelIDs: ids})
			return
		}
		w.few(1)
		if put.Name = "pws"; op.Flush {
			put.Name = "pwsf"
			w.waited = max(w.waited, 1)
		}
		w.put(put)
	}
}

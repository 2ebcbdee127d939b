package mscclpp

import (
	"slices"

	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/program"
)

// blockWriter writes the operations of a thread block. A few threads do signals, waits and puts
// by a proxy; all threads do copies and sums. A nop, at which all threads meet, stands between
// the two wherever one must see the effects of the other.
type blockWriter struct {
	*encoder
	block int
	// channels are the GPU's channels by type; a channel's position is its number in this block.
	// The same holds for remotes.
	channels, remotes map[ChannelType][]int
	ops               []Operation
	worked            bool // all threads have worked since the last nop
	waited            int  // threads that have waited since the last nop
}

func (w *blockWriter) put(op Operation) { w.ops = append(w.ops, op) }

// meet makes all threads meet.
func (w *blockWriter) meet() {
	w.put(Operation{Name: "nop"})
	w.worked, w.waited = false, 0
}

// few prepares for the work of a few threads that must see all earlier work.
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

// local returns the number of a channel or remote buffer in this block.
func local(of map[ChannelType][]int, kind ChannelType, id int) int {
	i := slices.Index(of[kind], id)
	if i < 0 {
		i = len(of[kind])
		of[kind] = append(of[kind], id)
	}
	return i
}

// channelOf returns the number, in this block, of the channel of a send or receive.
func (w *blockWriter) channelOf(op *lower.Put) int {
	return local(w.channels, w.kind(op.Peer), w.connectionOf(op))
}

// connectionOf returns the connection of a send or receive.
func (w *blockWriter) connectionOf(op *lower.Put) int {
	if op.Kind == program.Send {
		return w.numbers[connection{w.rank, op.Peer, op.Channel}]
	}
	return w.numbers[connection{op.Peer, w.rank, op.Channel}]
}

// greet signals to all senders that this rank is ready, and waits for all receivers.
func (w *blockWriter) greet(block []lower.Put) {
	from, to := map[ChannelType][]int{}, map[ChannelType][]int{}
	for i := range block {
		switch op := &block[i]; op.Kind {
		case program.Recv:
			from[w.kind(op.Peer)] = append(from[w.kind(op.Peer)], w.channelOf(op))
		case program.Send:
			to[w.kind(op.Peer)] = append(to[w.kind(op.Peer)], w.channelOf(op))
		}
	}
	for _, list := range [2]struct {
		name string
		ids  map[ChannelType][]int
	}{{"rlxsignal", from}, {"rlxwait", to}} {
		for _, kind := range channelTypes {
			slices.Sort(list.ids[kind])
			for ids := range slices.Chunk(slices.Compact(list.ids[kind]), maxPerOp) {
				w.put(Operation{Name: list.name, ChannelType: kind, ChannelIDs: ids})
				if list.name == "rlxwait" {
					w.waited = max(w.waited, len(ids))
				}
			}
		}
	}
}

func chunk(at program.Loc, count int32) []Chunk {
	return []Chunk{{Type: at.Buffer.String(), Index: int(at.Offset), Size: int(count)}}
}

// write writes all operations; released are the semaphores with which each operation announces
// its end.
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
	for _, kind := range channelTypes {
		if ids := w.channels[kind]; len(ids) > 0 {
			tb.Channels = append(tb.Channels, ChannelIDs{kind, ids})
		}
		if ids := w.remotes[kind]; len(ids) > 0 {
			tb.RemoteRefs = append(tb.RemoteRefs, RemoteRefs{kind, ids})
		}
	}
	return tb
}

func (w *blockWriter) operate(op *lower.Put) {
	switch op.Kind {
	case program.Recv:
		w.put(Operation{Name: "wait", ChannelType: w.kind(op.Peer), ChannelIDs: []int{w.channelOf(op)}})
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
		kind := w.kind(op.Peer)
		remote := local(w.remotes, kind, w.remoteBuffer(op.Peer, op.Dst.Buffer))
		ids := []int{w.channelOf(op)}
		put := Operation{
			Name: "put", ChannelType: kind, ChannelIDs: ids, Src: chunk(op.Src, op.Count),
			Dst: []Chunk{{BufferID: &remote, Index: int(op.Dst.Offset), Size: int(op.Count)}},
		}
		if kind == Memory {
			w.all()
			w.put(put)
			w.meet()
			w.put(Operation{Name: "signal", ChannelType: kind, ChannelIDs: ids})
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

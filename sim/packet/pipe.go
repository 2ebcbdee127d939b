package packet

// A pipe carries trains from one circuit to the queue of the next bundle, in order of arrival.
// Different threads use its two ends at the same time, so each end has its own state. Between
// two rounds, publish makes what was written visible to the reader, and the space of what was
// read available to the writer.

// outlet is the end of a pipe that is written to.
type outlet struct {
	lag    int64 // from the start of a full packet to its arrival at the queue
	ring   int32
	inlet  int32 // the other end
	bundle int32 // the reader
	reader int32 // worker of the reader
}

// ring holds what an outlet has written.
type ring struct {
	buf     []train // its length is a power of two
	read    uint32
	shown   uint32 // how many the reader knows of
	written uint32
}

// inlet is the end of a pipe that is read from, or the source of a bundle's own packets.
type inlet struct {
	head train // next to be served; none if n is 0
	buf  []train
	read uint32
	end  uint32
	from int32 // bundle at the other end, or source
	lag  int64 // from a packet's start at the other end to its arrival, at least
}

// source, as the origin of an inlet, says that its trains are injected at the node.
const source = -1

// smallestRing is the initial capacity of a pipe.
const smallestRing = 8

// write appends a train, and reports whether it is the first since publish. A train that the
// reader has not seen yet is extended if possible.
func (o *ring) write(at int64, gap uint32, n, stream, step int32) (first bool) {
	mask := uint32(len(o.buf)) - 1
	first = o.written == o.shown
	if !first && o.buf[(o.written-1)&mask].extend(at, gap, n, stream, step) {
		return false
	}
	if o.written-o.read == uint32(len(o.buf)) {
		o.grow()
		mask = uint32(len(o.buf)) - 1
	}
	// Assign field by field: a copy would have to wait for its parts.
	r := &o.buf[o.written&mask]
	r.at, r.gap, r.n, r.stream, r.step = at, gap, n, stream, step
	o.written++
	return first
}

// grow doubles the room. The reader keeps the old ring until publish.
func (o *ring) grow() {
	bigger := make([]train, max(smallestRing, 2*len(o.buf)))
	mask, wide := uint32(len(o.buf))-1, uint32(len(bigger))-1
	for i := o.read; i != o.written; i++ {
		bigger[i&wide] = o.buf[i&mask]
	}
	o.buf = bigger
}

// publish tells each end how far the other is.
func (o *ring) publish(in *inlet) {
	in.buf, in.end = o.buf, o.written
	o.shown, o.read = o.written, in.read
}

// load puts the next train at the head, if there is one.
func (in *inlet) load() bool {
	if in.read == in.end {
		in.head.n = 0
		return false
	}
	in.head = in.buf[in.read&(uint32(len(in.buf))-1)]
	in.read++
	return true
}

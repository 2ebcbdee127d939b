package packet

import "math"

// train is a run of packets of one stream that reach a queue one after another, the first at at
// and each further one gap later. It is the unit of work, and it is exact: where other packets
// arrive in between, the train is split.
type train struct {
	at     int64  // when the first packet may start on the circuit it queues for
	gap    uint32 // ps between packets; 0 for a single packet; the bytes of a tail, if they fit
	n      int32  // packets of full size, or tail: one packet, the shorter last one
	stream int32
	step   int32 // where on its route it queues
}

// burst is n packets that a circuit sends: the first starts at start, the others period apart,
// and each takes tx.
type burst struct{ start, period, tx, n int64 }

// tail, as a number of packets, marks the last packet of a stream, if it is not full.
const tail = -1

const (
	longestTrain = math.MaxInt32
	widestGap    = math.MaxUint32
)

// count returns how many packets the train has.
func (r *train) count() int64 {
	if r.n == tail {
		return 1
	}
	return int64(r.n)
}

// last returns the arrival of the last packet.
func (r *train) last() int64 { return r.at + (r.count()-1)*int64(r.gap) }

// extend adds n packets, which arrive from at on, gap apart, if they continue the train.
func (r *train) extend(at int64, gap uint32, n, stream, step int32) bool {
	if r.stream != stream || r.step != step || r.n <= 0 || n <= 0 || r.n > longestTrain-n {
		return false
	}
	pause := int64(r.gap)
	if r.n == 1 {
		pause = at - r.at
	}
	if pause > widestGap || at != r.at+int64(r.n)*pause || n > 1 && int64(gap) != pause {
		return false
	}
	r.gap = uint32(pause)
	r.n += n
	return true
}

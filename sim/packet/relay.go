package packet

// departures lists when relayed packets have left, as long as that can matter: trains in order
// of time.
type departures []departure

type departure struct {
	at, period int64 // of the first that has not been counted
	n, size    int64
}

func (d departures) push(at, period, n, size int64) departures {
	return append(d, departure{at, period, n, size})
}

// pop removes what has left by time t and returns its bytes.
func (d departures) pop(t int64) (rest departures, bytes int64) {
	for len(d) > 0 && d[0].at <= t {
		first := &d[0]
		n := min(first.n, (t-first.at)/first.period+1)
		bytes += n * first.size
		if first.n -= n; first.n > 0 {
			first.at += n * first.period
			break
		}
		d = d[1:]
	}
	return d, bytes
}

// hold counts n packets of a train that arrive to be relayed. Their own departures, if known,
// have been pushed already.
func (w *worker) hold(b int32, r *train, size, n int64) {
	k := w.k
	bundle := &k.bundles[b]
	circuits := k.circuitsOf(b)
	for j := range n {
		at := r.at + j*int64(r.gap)
		for i := range circuits {
			var left int64
			circuits[i].held, left = circuits[i].held.pop(at)
			bundle.relayed -= left
		}
		bundle.relayed += size
		bundle.relayPeak = max(bundle.relayPeak, bundle.relayed)
		if bundle.relayed > k.relay {
			w.blame(Fault{Kind: Overflow, At: at, Bundle: b, Stream: r.stream})
			return
		}
	}
}

package bfb

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/internal/threads"
)

// sweep returns the largest time of each step over the given receivers, and calls done with the
// number of receivers that it has finished. diameter is an estimate.
func sweep(ctx context.Context, net *network, receivers []int32, diameter int, done func(receivers int)) ([]Frac, error) {
	if ballsPay(net, len(receivers), diameter) {
		peaks, err := newBalls(net).sweep(ctx, receivers)
		done(len(receivers))
		return peaks, err
	}
	work := len(receivers) * (len(net.from) + net.nodes)
	return searchSweep(ctx, net, receivers, workersFor(ctx, work), done)
}

// searchSweep is sweep by a search from every receiver, spread over goroutines. The
// order in which they are done does not change the result.
func searchSweep(ctx context.Context, net *network, receivers []int32, workers int, done func(receivers int)) ([]Frac, error) {
	peaks := make([][]Frac, workers)
	err := spread(ctx, workers, len(receivers), func(w int) func(i int) {
		r := newReceiver(net)
		return func(i int) {
			peaks[w] = r.raise(int(receivers[i]), peaks[w])
			done(1)
		}
	})
	return highest(peaks), err
}

// ballsPay reports whether balls are faster than searches and fit into memory. Balls take one
// word operation where a search handles a circuit, which takes about three times as long.
func ballsPay(net *network, receivers, diameter int) bool {
	const (
		circuit = 3       // words that cost as much as one circuit in a search
		memory  = 1 << 25 // words, 256 MB
	)
	words := (net.nodes + 63) / 64
	if !net.even || 2*words*net.nodes > memory {
		return false
	}
	senders := 0
	for u := range net.nodes {
		senders = max(senders, len(net.senders(u)))
	}
	if senders > widest {
		return false
	}
	balls := diameter * words * (len(net.from) + receivers*(senders+1<<senders))
	return balls < circuit*receivers*(len(net.from)+net.nodes)
}

// workersFor returns how many goroutines are worth starting for work counted in operations of
// about a nanosecond.
func workersFor(ctx context.Context, work int) int {
	const worthwhile = 1 << 18
	return max(1, min(threads.Of(ctx), work/worthwhile))
}

// spread runs items 0..items-1 on several goroutines. Each makes the function that it calls for
// its items. It stops soon after ctx is done.
func spread(ctx context.Context, workers, items int, start func(worker int) func(item int)) error {
	const block = 16 // items that a goroutine takes at once
	var next atomic.Int64
	run := func(w int) {
		do := start(w)
		for ctx.Err() == nil {
			first := (int(next.Add(1)) - 1) * block
			if first >= items {
				return
			}
			for i := first; i < min(items, first+block); i++ {
				do(i)
			}
		}
	}
	if workers == 1 {
		run(0)
		return ctx.Err()
	}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { run(w) })
	}
	all.Wait()
	return ctx.Err()
}

// highest returns the largest time of each step.
func highest(peaks [][]Frac) []Frac {
	var top []Frac
	for _, peak := range peaks {
		for t, time := range peak {
			if t == len(top) {
				top = append(top, time)
			} else if top[t].Less(time) {
				top[t] = time
			}
		}
	}
	return top
}

package threads

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

type limitKey struct{}

// Limit limits work under the returned context to n threads at once.
func Limit(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, limitKey{}, max(1, n))
}

// Of returns how many threads work under ctx may use: as many as Go has, unless Limit set
// another number.
func Of(ctx context.Context) int {
	if n, ok := ctx.Value(limitKey{}).(int); ok {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// AtMost returns how many of n requested threads the work under ctx may use.
func AtMost(ctx context.Context, n int) int {
	if most, ok := ctx.Value(limitKey{}).(int); ok {
		return min(n, most)
	}
	return n
}

// Split is for work that runs in parts on several threads: each part may use its share of the
// limit. Without a limit it changes nothing.
func Split(ctx context.Context, parts int) context.Context {
	if n, ok := ctx.Value(limitKey{}).(int); ok {
		return Limit(ctx, n/max(1, parts))
	}
	return ctx
}

// Each calls f with 0..n-1: in parallel if ctx allows more than one thread, otherwise one after
// the other.
func Each(ctx context.Context, n int, f func(i int)) {
	if Of(ctx) == 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { Run(ctx, func() { f(i) }) })
	}
	all.Wait()
}

// Few is Each with no more concurrent calls than ctx allows threads, for calls that take much
// memory.
func Few(ctx context.Context, n int, f func(i int)) {
	var next atomic.Int64
	workers := min(Of(ctx), n)
	Each(ctx, workers, func(int) {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			f(int(i))
		}
	})
}

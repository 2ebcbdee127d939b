package claim

import (
	"context"
	"sync"
)

// From returns a function that computes something and takes from it what a claim is about.
func From[T, R any](
	compute func(ctx context.Context) (T, error), take func(T) R,
) func(ctx context.Context) (R, error) {
	return func(ctx context.Context) (taken R, err error) {
		made, err := compute(ctx)
		if err != nil {
			return taken, err
		}
		return take(made), nil
	}
}

// Once returns a function that computes a value once, for claims that share it: the first call that
// succeeds decides, and others return the same.
func Once[T any](compute func(ctx context.Context) (T, error)) func(ctx context.Context) (T, error) {
	var mutex sync.Mutex
	var value T
	done := false
	return func(ctx context.Context) (T, error) {
		mutex.Lock()
		defer mutex.Unlock()
		if done {
			return value, nil
		}
		made, err := compute(ctx)
		if err == nil {
			value, done = made, true
		}
		return made, err
	}
}

package threads

import "context"

// Turns limits how many threads of several pieces of work may be busy at once, by its capacity.
type Turns chan struct{}

type turnsKey struct{}

// TakeTurns makes goroutines under the returned context that call Turn wait for one of turns.
func TakeTurns(ctx context.Context, turns Turns) context.Context {
	return context.WithValue(ctx, turnsKey{}, turns)
}

// Turn waits until a thread may be busy. It returns a function to call after a part of the work,
// so that others may go first between parts. Without turns in ctx it returns at once.
func Turn(ctx context.Context) (over func(), err error) {
	turns, ok := ctx.Value(turnsKey{}).(Turns)
	if !ok {
		return func() {}, nil
	}
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

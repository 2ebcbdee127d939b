package threads

import "context"

// Turns are how many threads of several pieces of work may be busy at once: its capacity.
type Turns chan struct{}

type turnsKey struct{}

// TakeTurns has goroutines under the returned context that call Turn wait for one of turns.
func TakeTurns(ctx context.Context, turns Turns) context.Context {
	return context.WithValue(ctx, turnsKey{}, turns)
}

// Turn waits until a thread may be busy, and returns what to call when it has done a part of
// its work, between which others may go first. Without turns in ctx it returns at once.
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

// Package countdown has a context that ends after it was asked a given number of times, for tests
// of what happens when a context ends. On a busy machine a clock would make such tests unreliable;
// counting how often the program asks does not.
package countdown

import (
	"context"
	"sync"
)

// Context is a context that is done once its Err was asked for often enough. It is safe for
// concurrent use.
type Context struct {
	context.Context
	mutex sync.Mutex
	asked int
	left  int
	done  chan struct{}
}

// New returns a context that can be asked n times before it is done.
func New(parent context.Context, left int) *Context {
	return &Context{Context: parent, left: left, done: make(chan struct{})}
}

// Err implements context.Context: nil as long as questions are left, then Canceled.
func (c *Context) Err() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.asked++
	switch {
	case c.asked <= c.left:
		return nil
	case c.asked == c.left+1:
		close(c.done)
	}
	return context.Canceled
}

// Done implements context.Context.
func (c *Context) Done() <-chan struct{} { return c.done }

// Asked is how many questions there were.
func (c *Context) Asked() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.asked
}

// After is how many questions there were once it was done, the first included.
func (c *Context) After() int { return max(0, c.Asked()-c.left) }

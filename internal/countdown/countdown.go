// Package countdown provides a context that ends after its Err was called a given number of
// times, for tests of what happens when a context ends. On a busy machine a clock would make
// such tests unreliable; counting calls does not.
package countdown

import (
	"context"
	"sync"
)

// Context is a context that is done once its Err was called often enough. It is safe for
// concurrent use.
type Context struct {
	context.Context
	mutex sync.Mutex
	asked int
	left  int
	done  chan struct{}
}

// New returns a context that is done after n calls of Err.
func New(parent context.Context, left int) *Context {
	return &Context{Context: parent, left: left, done: make(chan struct{})}
}

// Err implements context.Context: nil as long as calls are left, then Canceled.
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

// Asked returns how many calls there were.
func (c *Context) Asked() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.asked
}

// After returns how many calls found it done.
func (c *Context) After() int { return max(0, c.Asked()-c.left) }

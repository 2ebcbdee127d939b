// Package cache keeps plans for a communicator that asks for the same ones again and
// again: a lookup takes no lock and does not allocate.
package cache

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Cache holds the plans of one planner, by fabric. It is safe for concurrent use.
type Cache struct {
	planner planner.Planner
	mutex   sync.Mutex
	fabrics map[fabric.Fabric]*Plans
}

// New returns an empty cache.
func New(p planner.Planner) *Cache {
	return &Cache{planner: p, fabrics: map[fabric.Fabric]*Plans{}}
}

// On returns the plans for a fabric: what a communicator asks for once and keeps.
func (c *Cache) On(f fabric.Fabric) (*Plans, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	p, ok := c.fabrics[f]
	if !ok {
		p = &Plans{fabric: f, planner: c.planner, work: map[Key]*flight{}}
		p.known.Store(&map[Key]*plan.Plan{})
		c.fabrics[f] = p
	}
	return p, nil
}

// Key says what a plan is for.
type Key struct {
	Op        collective.Op
	Algorithm string // a name, or one with options
	Size      units.Bytes
}

// Plans holds the plans for one fabric. It is safe for concurrent use. Plans that it
// returns are shared: they must not be changed.
type Plans struct {
	fabric  fabric.Fabric
	planner planner.Planner

	known atomic.Pointer[map[Key]*plan.Plan] // replaced, never changed
	mutex sync.Mutex
	work  map[Key]*flight
}

// flight is a plan that is being made.
type flight struct {
	done chan struct{}
	plan *plan.Plan
	err  error
}

// Lookup returns a plan that is there.
func (c *Plans) Lookup(k Key) (p *plan.Plan, ok bool) {
	p, ok = (*c.known.Load())[k]
	return p, ok
}

// Plan returns the plan for a key and makes it if it is not there. Of several callers who
// ask for the same at once, one makes it and the others wait. An error is not kept.
func (c *Plans) Plan(ctx context.Context, k Key) (*plan.Plan, error) {
	for {
		if p, ok := c.Lookup(k); ok {
			return p, nil
		}
		f, mine := c.join(k)
		if mine {
			c.make(ctx, k, f)
			return f.plan, f.err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.done:
		}
		// The one who made it may have been interrupted: then it is ours to make.
		if f.err == nil {
			return f.plan, nil
		}
		if ctx.Err() != nil || !interrupted(f.err) {
			return nil, f.err
		}
	}
}

// join returns the flight for a key, and whether it is the caller's to make.
func (c *Plans) join(k Key) (f *flight, mine bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if f, ok := c.work[k]; ok {
		return f, false
	}
	f = &flight{done: make(chan struct{})}
	if p, ok := c.Lookup(k); ok { // made since
		f.plan = p
		close(f.done)
		return f, false
	}
	c.work[k] = f
	return f, true
}

func (c *Plans) make(ctx context.Context, k Key, f *flight) {
	laid, err := collective.New(k.Op, k.Algorithm, c.fabric.Nodes, c.fabric.Ports)
	if err == nil {
		f.plan, err = c.planner.Plan(ctx, planner.Request{Fabric: c.fabric, Collective: laid, Size: k.Size})
	}
	f.err = err
	c.mutex.Lock()
	delete(c.work, k)
	if err == nil {
		old := *c.known.Load()
		known := make(map[Key]*plan.Plan, len(old)+1)
		for key, p := range old {
			known[key] = p
		}
		known[k] = f.plan
		c.known.Store(&known)
	}
	c.mutex.Unlock()
	close(f.done)
}

func interrupted(err error) bool {
	return err == context.Canceled || err == context.DeadlineExceeded
}

// Len returns the number of plans.
func (c *Plans) Len() int { return len(*c.known.Load()) }

package threads

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// Account sums the processor time of the threads that work for a client: the time that the
// kernel charged to each thread (user and system) while it was inside Run. On systems other than
// Linux it is the elapsed time instead, which is never less. It does not include the garbage
// collector's own threads. The zero value is ready to use; it is safe for concurrent use.
type Account struct {
	mu      sync.Mutex
	over    time.Duration // of threads that have ended
	running map[*thread]bool
}

// thread is a thread that is working now.
type thread struct {
	id    int
	start time.Duration // its clock when the work began
}

// Spent returns the time used so far.
func (a *Account) Spent() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := a.over
	for t := range a.running {
		// A thread that ends meanwhile waits for the lock, so that its clock is there.
		sum += max(0, clock(t.id)-t.start)
	}
	return sum
}

// Run calls f on a thread of its own and waits for it. If the system supports it, the thread's
// priority is lower by the given steps of nice. The thread ends with f, because a priority that
// was given up cannot be regained. A panic of f becomes a panic of the caller.
func (a *Account) Run(lower int, f func()) {
	over := make(chan struct{})
	var bug any
	go func() {
		defer close(over)
		runtime.LockOSThread() // never unlocked: Go ends the thread with the goroutine
		yield(lower)
		t := a.begin()
		defer a.end(t)
		defer func() { bug = recover() }()
		f()
	}()
	<-over
	if bug != nil {
		panic(bug)
	}
}

func (a *Account) begin() *thread {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := &thread{id: current()}
	t.start = clock(t.id)
	if a.running == nil {
		a.running = map[*thread]bool{}
	}
	a.running[t] = true
	return t
}

func (a *Account) end(t *thread) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over += max(0, clock(t.id)-t.start)
	delete(a.running, t)
}

type accountKey struct{}

// entry is an account and the priority of its threads.
type entry struct {
	account *Account
	lower   int
}

// Charge charges threads that Run starts under the returned context to an account.
func Charge(ctx context.Context, a *Account, lower int) context.Context {
	return context.WithValue(ctx, accountKey{}, entry{a, lower})
}

// Run calls f, on a thread of its own if ctx has an account to charge. It is for goroutines that
// work during their whole life.
func Run(ctx context.Context, f func()) {
	if e, ok := ctx.Value(accountKey{}).(entry); ok {
		e.account.Run(e.lower, f)
		return
	}
	f()
}

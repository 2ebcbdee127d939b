package server

import (
	"container/list"
	"sync"
)

// recentBytes is the memory for answers that need not be read from the file.
const recentBytes = 32 << 20

// entryBytes is about the memory of an entry besides its texts: a list element, a place in the
// map, headers of slices and strings.
const entryBytes = 256

// recent keeps the most recently used answers, up to a total size.
type recent struct {
	mu    sync.Mutex
	most  int
	size  int
	order *list.List // the last used one first
	byKey map[string]*list.Element
}

type kept struct {
	key string
	answer
}

func newRecent(most int) *recent {
	return &recent{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

func (r *recent) get(key string) (answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.byKey[key]
	if !ok {
		return answer{}, false
	}
	r.order.MoveToFront(at)
	return at.Value.(kept).answer, true
}

func (r *recent) put(key string, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.byKey[key]; ok {
		r.drop(at)
	}
	if a.weight(key) > r.most/4 { // it would push out too many others
		return
	}
	r.byKey[key] = r.order.PushFront(kept{key, a})
	r.size += a.weight(key)
	for r.size > r.most {
		r.drop(r.order.Back())
	}
}

func (r *recent) drop(at *list.Element) {
	old := r.order.Remove(at).(kept)
	r.size -= old.weight(old.key)
	delete(r.byKey, old.key)
}

// weight returns the memory of an entry. A body that is kept under two names counts twice.
func (a *answer) weight(key string) int { return len(a.body) + len(a.plan) + len(key) + entryBytes }

// bytes returns the memory of all entries.
func (r *recent) bytes() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.size
}

func (r *recent) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order.Init()
	clear(r.byKey)
	r.size = 0
}

package server

import (
	"container/list"
	"sync"
)

// recentBytes is how much memory the answers take that need not be read from the file.
const recentBytes = 64 << 20

// recent keeps the answers that were used last, up to some size in all.
type recent struct {
	mu    sync.Mutex
	most  int
	size  int
	order *list.List // the last used first
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
	if len(a.body) > r.most/4 { // one that would push all others out
		return
	}
	r.byKey[key] = r.order.PushFront(kept{key, a})
	r.size += len(a.body)
	for r.size > r.most {
		r.drop(r.order.Back())
	}
}

func (r *recent) drop(at *list.Element) {
	old := r.order.Remove(at).(kept)
	r.size -= len(old.body)
	delete(r.byKey, old.key)
}

func (r *recent) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order.Init()
	clear(r.byKey)
	r.size = 0
}

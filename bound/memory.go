package bound

import "sync"

// memory remembers results, because plans and sweeps ask for the same ones again and again.
type memory[K comparable, V any] struct {
	most int // results that it holds; with one more it forgets all
	mu   sync.Mutex
	of   map[K]V
}

// kept returns what was found for a key before, or finds it.
func (m *memory[K, V]) kept(key K, find func() V) V {
	m.mu.Lock()
	value, known := m.of[key]
	m.mu.Unlock()
	if known {
		return value
	}
	value = find()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || len(m.of) >= m.most {
		m.of = map[K]V{}
	}
	m.of[key] = value
	return value
}

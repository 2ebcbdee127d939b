package planner

import "sync"

// Memory keeps results of planners for later requests that differ only in what these results do
// not depend on, such as sizes or delays. Several requests may use it at the same time. A nil
// Memory remembers nothing.
type Memory struct {
	mutex sync.Mutex
	kept  map[any]*finding
}

// finding is the result under a key. The first request that needs it finds it; others wait for
// that.
type finding struct {
	mutex sync.Mutex
	found bool
	value any
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{kept: map[any]*finding{}} }

// Kept returns what find returned on the first call with this key. The key has a type of the
// caller's own. A result is not kept if find reports that it gave up (whole is false). Results
// are shared, so callers must not change them.
func Kept[T any](m *Memory, key any, find func() (found T, whole bool)) T {
	if m == nil {
		value, _ := find()
		return value
	}
	m.mutex.Lock()
	f := m.kept[key]
	if f == nil {
		f = &finding{}
		m.kept[key] = f
	}
	m.mutex.Unlock()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.found {
		return f.value.(T)
	}
	value, whole := find()
	if whole {
		f.found, f.value = true, value
	}
	return value
}

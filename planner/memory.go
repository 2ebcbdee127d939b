package planner

import "sync"

// Memory keeps results that planners may need again for other requests. A result serves all
// requests that differ only in sizes, delays or anything else that it does not depend on. Several
// requests may use a Memory at the same time. A nil Memory remembers nothing.
type Memory struct {
	mutex sync.Mutex
	kept  map[any]*finding
}

// finding is the result for a key. The first caller that needs it computes it; others wait.
type finding struct {
	mutex sync.Mutex
	found bool
	value any
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{kept: map[any]*finding{}} }

// Kept returns what find found the first time that Kept was called for the key. The type of the
// key belongs to the caller's package. Kept does not keep the result if find reports that it gave
// up (whole is false). Callers share the result and must not change it.
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

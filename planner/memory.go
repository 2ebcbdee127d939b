package planner

import "sync"

// Memory keeps what planners found and may need again for requests that differ in sizes,
// delays or anything else that it does not depend on. It may be used by several requests at
// the same time. A nil Memory remembers nothing.
type Memory struct {
	mutex sync.Mutex
	kept  map[any]*finding
}

// finding is what was found under a key, by the first that needed it; others wait for that.
type finding struct {
	mutex sync.Mutex
	found bool
	value any
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{kept: map[any]*finding{}} }

// Kept returns what find found the first time that it was asked for under the key, which is
// of a type of the caller's own. What find returns is not kept where it says that it gave
// up. It is shared, and is not to be changed.
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

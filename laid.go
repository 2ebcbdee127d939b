package lightpath

import (
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
)

// layouts remembers the steps of algorithms for demands that differ: dividing a matrix into
// matchings takes seconds where there are hundreds of GPUs, and a request asks for the same
// algorithm several times, to plan it and to compare with it. It lasts as long as the request.
type layouts struct {
	mutex sync.Mutex
	made  []layout
}

// layout is what an algorithm was laid out for.
type layout struct {
	name   string
	ports  int
	demand collective.Demand
	sized  collective.Sized
}

// of returns the steps of an algorithm for a demand. What it returns is shared, and is not
// to be changed.
func (l *layouts) of(known *collective.Registry, name string, demand collective.Demand, ports int) (collective.Sized, error) {
	if l == nil {
		return known.NewExchange(name, demand, ports)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, m := range l.made {
		if m.name == name && m.ports == ports && slices.EqualFunc(m.demand, demand, slices.Equal[[]int64]) {
			return m.sized, nil
		}
	}
	sized, err := known.NewExchange(name, demand, ports)
	if err == nil {
		l.made = append(l.made, layout{name, ports, demand, sized})
	}
	return sized, err
}

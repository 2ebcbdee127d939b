package available

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/availability"
	"github.com/lightpath-net/lightpath/fabric/layout"
)

// thing is what a failure takes out: a port, a whole switch, a GPU or the electrical switch of
// an island. Unused numbers are -1.
type thing struct {
	kind                     kind
	gpu, port, onSwitch, tie int // tie: the island
}

type kind int

const (
	portLost kind = iota
	switchLost
	gpuLost
	islandLost
	tooFewLeft // too few GPUs; nothing else matters then
)

// String returns the form used in lists of failures.
func (t thing) String() string {
	switch t.kind {
	case portLost:
		return fmt.Sprintf("port:%d.%d", t.gpu, t.port)
	case switchLost:
		return fmt.Sprintf("switch:%d", t.onSwitch)
	case gpuLost:
		return fmt.Sprintf("gpu:%d", t.gpu)
	case islandLost:
		return fmt.Sprintf("island:%d", t.tie)
	case tooFewLeft:
		return "too many GPUs"
	}
	panic("available: unknown kind of failure")
}

// machine is a fabric with the places where something can fail.
type machine struct {
	fabric *fabric.Fabric
	plug   *layout.Plugging
	active int // GPUs that are not spare: the first ones
	needed int // GPUs that the job needs

	groups []availability.Group
	things [][][]thing // by group and place: what is lost with it

	symmetry *symmetry
	shut     map[string][]int // GPUs without ports, by the failed switches
}

// group adds a group of pools of places.
func (m *machine) group(name string, pools [][][]thing) int {
	g := availability.Group{Name: name, Pools: len(pools), Each: len(pools[0])}
	m.groups = append(m.groups, g)
	m.things = append(m.things, slices.Concat(pools...))
	return len(m.groups) - 1
}

// lost lists what is lost when places have failed. It lists each thing once, omits things that
// are part of a larger lost thing, and includes the GPUs that are cut off.
func (m *machine) lost(places []availability.Place) []thing {
	found := map[thing]bool{}
	for _, p := range places {
		for _, t := range m.things[p.Group][p.Number] {
			found[t] = true
		}
	}
	return m.reduced(found)
}

// reduced is lost for a set of things.
func (m *machine) reduced(found map[thing]bool) []thing {
	var switches []int
	gpus, ties := map[int]bool{}, map[int]bool{}
	for t := range found {
		switch t.kind {
		case switchLost:
			switches = append(switches, t.onSwitch)
		case gpuLost:
			gpus[t.gpu] = true
		case islandLost:
			ties[t.tie] = true
		}
	}
	slices.Sort(switches)
	left := map[int]int{} // ports left of GPUs that have lost single ports
	for t := range found {
		if t.kind == portLost {
			if slices.Contains(switches, t.onSwitch) {
				delete(found, t)
			} else if _, ok := left[t.gpu]; !ok {
				left[t.gpu] = m.portsLeft(t.gpu, switches, found)
			}
		}
	}
	cut := slices.Clone(m.shutBy(switches))
	if m.fabric.Island.Size <= 1 && m.active-len(cut) < m.needed {
		return []thing{{tooFewLeft, -1, -1, -1, -1}}
	}
	for u, ports := range left {
		if ports == 0 {
			cut = append(cut, u)
		}
	}
	for _, u := range cut {
		if !m.tied(u, ties, gpus, cut) && u < m.active {
			gpus[u] = true
			found[thing{gpuLost, u, -1, -1, -1}] = true
		}
	}
	if m.active-len(gpus) < m.needed {
		return []thing{{tooFewLeft, -1, -1, -1, -1}}
	}
	for t := range found {
		if t.kind == portLost && gpus[t.gpu] {
			delete(found, t)
		}
	}
	return slices.SortedFunc(maps.Keys(found), compare)
}

// portsLeft counts the ports of a GPU that work.
func (m *machine) portsLeft(u int, switches []int, found map[thing]bool) int {
	count := 0
	for port := range m.fabric.Ports {
		s := m.plug.Switch(u, port)
		if s >= 0 && !slices.Contains(switches, s) && !found[thing{portLost, u, port, s, -1}] {
			count++
		}
	}
	return count
}

// shutBy lists the GPUs whose ports are all on the given switches.
func (m *machine) shutBy(switches []int) []int {
	if len(switches) == 0 {
		return nil
	}
	key := fmt.Sprint(switches)
	list, ok := m.shut[key]
	if !ok {
		for u := range m.active {
			if m.portsLeft(u, switches, nil) == 0 {
				list = append(list, u)
			}
		}
		m.shut[key] = list
	}
	return list
}

// tied reports whether a GPU without ports can reach the others over its island: a GPU with
// ports is left in the island, or there is no other island.
func (m *machine) tied(u int, ties, gpus map[int]bool, cut []int) bool {
	size := m.fabric.Island.Size
	if size <= 1 || ties[u/size] {
		return false
	}
	if m.active <= size {
		return true
	}
	for v := u / size * size; v < min(m.active, (u/size+1)*size); v++ {
		if v != u && !gpus[v] && !slices.Contains(cut, v) {
			return true
		}
	}
	return false
}

// compare orders things.
func compare(a, b thing) int {
	return slices.Compare([]int{int(a.kind), a.gpu, a.port, a.onSwitch, a.tie}, []int{int(b.kind), b.gpu, b.port, b.onSwitch, b.tie})
}

// gpusLeft counts the GPUs that take part.
func (m *machine) gpusLeft(lost []thing) int {
	left := m.active
	for _, t := range lost {
		if t.kind == gpuLost {
			left--
		}
	}
	return left
}

// failures returns what a thing takes out, as failures of the fabric.
func (m *machine) failures(t thing) []fabric.Failures {
	switch t.kind {
	case portLost:
		return []fabric.Failures{fabric.FailedPortAt(t.gpu, t.port)}
	case switchLost:
		if !m.fabric.Layout.IsZero() {
			return []fabric.Failures{fabric.FailedSwitch(t.onSwitch)}
		}
		var all []fabric.Failures // the ideal switch has no number
		for u := range m.active {
			for port := range m.fabric.Ports {
				all = append(all, fabric.FailedPortAt(u, port))
			}
		}
		return all
	case gpuLost:
		return []fabric.Failures{fabric.FailedGPU(t.gpu)}
	case islandLost:
		return []fabric.Failures{fabric.FailedIsland(t.tie)}
	}
	panic("available: nothing is planned around " + t.String())
}

// around returns the fabric on which a state is planned.
func (m *machine) around(lost []thing) fabric.Fabric {
	f := *m.fabric
	f.Spares, f.Radix = fabric.Spares{}, 0
	var avoid []fabric.Failures
	for _, t := range lost {
		avoid = append(avoid, m.failures(t)...)
	}
	if m.active < f.Nodes {
		avoid = append(avoid, fabric.HeldGPUs(m.active, f.Nodes-1))
	}
	f.Avoid = fabric.Failures{}.And(avoid...)
	return f
}

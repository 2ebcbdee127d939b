package available

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
)

// symmetry says which states are equivalent. A GPU is a point with coordinates. The fabric stays
// the same if the values of one coordinate are permuted in all points at once, and if equivalent
// ports are permuted; newSymmetry checks this for every coordinate and for neighbouring ports.
// States are then equivalent if they differ only in their values, and not in which values are
// equal.
type symmetry struct {
	coordinates []coordinate
	ports       []int // the class of every port; ports of a class are equivalent
	switches    []placed
	islands     []placed
}

// coordinate is one coordinate of the GPUs.
type coordinate struct {
	of    func(u int) int
	set   func(u, value int) int
	size  int  // the values 0..size-1 can be permuted
	alike bool // whether the fabric allows that
}

// placed is what the ports of a switch have in common; -1 for coordinates in which they differ.
type placed struct {
	at   []int
	port int
}

// newSymmetry finds the symmetry of a machine. If GPUs have roles, such as the root of a
// broadcast, no two GPUs are equivalent.
func newSymmetry(m *machine, roles bool) *symmetry {
	f := m.fabric
	s := &symmetry{coordinates: coordinates(f, m.active), ports: make([]int, f.Ports)}
	even := !roles && f.Links.IsZero() && f.Fixed.IsZero() && (f.Initial == fabric.InitialFree || f.Initial == fabric.InitialDark)
	for i := range s.coordinates {
		c := &s.coordinates[i]
		c.alike = even && c.size > 1 && m.keeps(c.swapped(0, 1), same) && m.keeps(c.turned(), same)
	}
	for port := 1; port < f.Ports; port++ {
		s.ports[port] = s.ports[port-1]
		swap := func(p int) int {
			switch p {
			case port:
				return port - 1
			case port - 1:
				return port
			}
			return p
		}
		if !even || !m.keeps(same, swap) {
			s.ports[port]++
		}
	}
	s.place(m)
	s.tie(m)
	return s
}

func same(x int) int { return x }

// coordinates lists the coordinates of the GPUs: digits of a grid, islands and places in them,
// or numbers.
func coordinates(f *fabric.Fabric, active int) []coordinate {
	sides := []int{active}
	if grid, _ := f.Layout.Grid(f.Ports); grid != nil {
		sides = grid
	} else if size := max(f.Island.Size, f.Layout.Places()); size > 1 && active%size == 0 {
		sides = []int{active / size, size}
	}
	list := make([]coordinate, len(sides))
	weight := 1
	for i := len(sides) - 1; i >= 0; i-- {
		w, side := weight, sides[i]
		list[i] = coordinate{
			size: side,
			of:   func(u int) int { return u / w % side },
			set:  func(u, value int) int { return u + (value-u/w%side)*w },
		}
		if i == 0 { // spare GPUs are after the last value
			list[i].of = func(u int) int { return u / w }
			list[i].set = func(u, value int) int { return u + (value-u/w)*w }
		}
		weight *= side
	}
	return list
}

// swapped returns the exchange of two values.
func (c *coordinate) swapped(a, b int) func(u int) int {
	return func(u int) int {
		switch c.of(u) {
		case a:
			return c.set(u, b)
		case b:
			return c.set(u, a)
		}
		return u
	}
}

// turned returns the rotation of values by one. Together with an exchange of two values, it
// generates all permutations.
func (c *coordinate) turned() func(u int) int {
	return func(u int) int {
		if v := c.of(u); v < c.size {
			return c.set(u, (v+1)%c.size)
		}
		return u
	}
}

// keeps reports whether permutations of GPUs and ports map switches to switches, islands to
// islands and spare GPUs to spare GPUs.
func (m *machine) keeps(gpu, port func(int) int) bool {
	to := map[int]int{}
	size := max(1, m.fabric.Island.Size)
	ties := map[int]int{}
	taken := map[int]bool{}
	for u := range m.fabric.Nodes {
		v := gpu(u)
		if v < 0 || v >= m.fabric.Nodes || taken[v] || (u < m.active) != (v < m.active) {
			return false
		}
		taken[v] = true
		if w, ok := ties[u/size]; ok && w != v/size {
			return false
		}
		ties[u/size] = v / size
		for p := range m.fabric.Ports {
			from, at := m.plug.Switch(u, p), m.plug.Switch(v, port(p))
			if w, ok := to[from]; ok && w != at || (from < 0) != (at < 0) {
				return false
			}
			to[from] = at
		}
	}
	return true
}

// place finds what the ports of every switch have in common. If that is the same for two
// switches, there is no symmetry.
func (s *symmetry) place(m *machine) {
	s.switches = make([]placed, m.plug.Switches())
	seen := make([]bool, m.plug.Switches())
	for u := range m.active {
		at := s.at(u)
		for port := range m.fabric.Ports {
			k := m.plug.Switch(u, port)
			if k < 0 {
				continue
			}
			if !seen[k] {
				seen[k] = true
				s.switches[k] = placed{slices.Clone(at), port}
				continue
			}
			x := &s.switches[k]
			for i := range at {
				if x.at[i] != at[i] {
					x.at[i] = -1
				}
			}
			if x.port != port {
				x.port = -1
			}
		}
	}
	texts := map[string]bool{}
	for k := range s.switches {
		text := fmt.Sprint(s.switches[k])
		if texts[text] {
			for i := range s.coordinates {
				s.coordinates[i].alike = false
			}
			for port := range s.ports {
				s.ports[port] = port
			}
			s.switches[k].port = -2 - k // makes switches distinct
		}
		texts[text] = true
	}
}

// at returns the coordinates of a GPU.
func (s *symmetry) at(u int) []int {
	return each.Below(len(s.coordinates), func(i int) int { return s.coordinates[i].of(u) })
}

// mostOrdered is the number of things up to which a key does not depend on their order.
const mostOrdered = 5

// key returns the same key for equivalent states and different keys for others. With many
// things, equivalent states may have different keys.
func (s *symmetry) key(lost []thing) string {
	if len(lost) > mostOrdered {
		return s.named(lost)
	}
	best := ""
	order := slices.Clone(lost)
	var permute func(k int)
	permute = func(k int) {
		if k == len(order) {
			if text := s.named(order); best == "" || text < best {
				best = text
			}
			return
		}
		for i := k; i < len(order); i++ {
			order[k], order[i] = order[i], order[k]
			permute(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	permute(0)
	return best
}

// named writes things with values renumbered in order of first appearance.
func (s *symmetry) named(lost []thing) string {
	text := make([]byte, 0, 64)
	var seen [][2]int // pairs of a coordinate, or after those a class of ports, and a value
	number := func(of, value int, alike bool) {
		if value >= 0 && alike {
			n := 0
			for _, x := range seen {
				if x[0] != of {
					continue
				}
				if x[1] == value {
					value = -1 - n // the value was found
					break
				}
				n++
			}
			if value >= 0 {
				seen = append(seen, [2]int{of, value})
			} else {
				n = -1 - value
			}
			value = n
		}
		text = strconv.AppendInt(text, int64(value), 10)
	}
	for _, t := range lost {
		x := placed{port: t.port}
		text = strconv.AppendInt(text, int64(t.kind), 10)
		switch t.kind {
		case switchLost:
			x = s.switches[t.onSwitch]
		case islandLost:
			x = s.islands[t.tie]
		case portLost, gpuLost:
			for i := range s.coordinates {
				text = append(text, '.')
				number(i, s.coordinates[i].of(t.gpu), s.coordinates[i].alike)
			}
		}
		for i, v := range x.at {
			text = append(text, '.')
			number(i, v, s.coordinates[i].alike)
		}
		text = append(text, ':')
		if x.port >= 0 {
			class := s.ports[x.port]
			text = strconv.AppendInt(text, int64(class), 10)
			text = append(text, '.')
			number(len(s.coordinates)+class, x.port, true)
		} else {
			text = strconv.AppendInt(text, int64(x.port), 10)
		}
		text = append(text, ' ')
	}
	return string(text)
}

// tie finds what the GPUs of every island have in common, and makes islands distinct for which
// that is the same.
func (s *symmetry) tie(m *machine) {
	size := m.fabric.Island.Size
	if size <= 1 {
		return
	}
	texts := map[string]bool{}
	for tie := range m.active / size {
		x := placed{at: s.at(tie * size), port: -1}
		for u := tie * size; u < (tie+1)*size; u++ {
			for i, v := range s.at(u) {
				if x.at[i] != v {
					x.at[i] = -1
				}
			}
		}
		if text := fmt.Sprint(x); texts[text] {
			x.port = -2 - tie
		} else {
			texts[text] = true
		}
		s.islands = append(s.islands, x)
	}
}

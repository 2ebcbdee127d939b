package timetable

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/rows"
)

// Plugged says where a port of a GPU is plugged in: its transmit fibre into an ingress port of a
// switch and its receive fibre into an egress port of the same switch, by the switch's numbers.
type Plugged struct {
	GPU     int    `json:"gpu"`
	Port    int    `json:"port"`
	Switch  string `json:"switch"`
	Ingress int    `json:"ingress"`
	Egress  int    `json:"egress"`
}

// PortMap says where ports are plugged in, in the order of GPUs and ports.
type PortMap []Plugged

// portMapHeading is the first line of a file.
const portMapHeading = "gpu,port,switch,ingress,egress"

// Bounds of a port map: entries, the length of a switch's name, and the number of a port of a
// switch.
const (
	maxPlugged    = 1 << 20
	maxName       = 64
	maxSwitchPort = 1 << 20
)

// ReadPortMap reads lines gpu,port,switch,ingress,egress, in any order, below that heading. An
// error names the line.
func ReadPortMap(file io.Reader) (PortMap, error) {
	in := rows.New(file)
	heading, err := in.Heading("the heading " + portMapHeading)
	if err != nil {
		return nil, err
	}
	if got := strings.Join(heading, ","); got != portMapHeading {
		return nil, fmt.Errorf("line 1: %.60q; want the heading %s", got, portMapHeading)
	}
	var m PortMap
	err = in.Each(func(row []string) error {
		if len(row) != strings.Count(portMapHeading, ",")+1 {
			return fmt.Errorf("%d fields, want %s", len(row), portMapHeading)
		}
		if len(m) == maxPlugged {
			return fmt.Errorf("more than %d ports", maxPlugged)
		}
		p := Plugged{Switch: strings.TrimSpace(row[2])}
		for _, number := range []struct {
			into        *int
			what, text  string
			least, most int
		}{
			{&p.GPU, "gpu", row[0], 0, fabric.MaxNodes - 1}, {&p.Port, "port", row[1], 0, fabric.MaxPorts - 1},
			{&p.Ingress, "ingress", row[3], 1, maxSwitchPort}, {&p.Egress, "egress", row[4], 1, maxSwitchPort},
		} {
			n, err := strconv.Atoi(strings.TrimSpace(number.text))
			if err != nil || n < number.least || n > number.most {
				return fmt.Errorf("%s: %.20q is not a number in %d..%d", number.what, number.text, number.least, number.most)
			}
			*number.into = n
		}
		m = append(m, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, m.Check()
}

// ReadPortMapFile reads a port map from a file. An error names the file.
func ReadPortMapFile(name string) (PortMap, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m, err := ReadPortMap(io.LimitReader(file, maxTable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Check sorts the map, and reports invalid names and anything that is plugged in twice.
func (m PortMap) Check() error {
	slices.SortStableFunc(m, func(a, b Plugged) int {
		if a.GPU != b.GPU {
			return a.GPU - b.GPU
		}
		return a.Port - b.Port
	})
	type end struct {
		on   string
		port int
	}
	in, out := map[end]bool{}, map[end]bool{}
	for i, p := range m {
		switch ingress, egress := (end{p.Switch, p.Ingress}), (end{p.Switch, p.Egress}); {
		case p.Switch == "" || len(p.Switch) > maxName || strings.ContainsFunc(p.Switch, func(r rune) bool { return r < '!' || r > '~' }):
			return fmt.Errorf("port %d of GPU %d: %.20q is not the name of a switch: letters and digits, without blanks", p.Port, p.GPU, p.Switch)
		case i > 0 && m[i-1].GPU == p.GPU && m[i-1].Port == p.Port:
			return fmt.Errorf("port %d of GPU %d is plugged in twice", p.Port, p.GPU)
		case in[ingress]:
			return fmt.Errorf("ingress port %d of switch %s is in use twice", p.Ingress, p.Switch)
		case out[egress]:
			return fmt.Errorf("egress port %d of switch %s is in use twice", p.Egress, p.Switch)
		default:
			in[ingress], out[egress] = true, true
		}
	}
	return nil
}

// Names lists the switches.
func (m PortMap) Names() []string {
	names := each.Of(m, func(p Plugged) string { return p.Switch })
	slices.Sort(names)
	return slices.Compact(names)
}

// at returns where a port is plugged in.
func (m PortMap) at(f Fibre) (Plugged, bool) {
	i, found := slices.BinarySearchFunc(m, f, func(p Plugged, f Fibre) int {
		if p.GPU != f.GPU {
			return p.GPU - f.GPU
		}
		return p.Port - f.Port
	})
	if !found {
		return Plugged{}, false
	}
	return m[i], true
}

// WithPortMap returns the table with the switches and numbers of a port map. A change's switch
// is then the index of its name among the sorted names of the map. It is an error if a circuit
// joins ports on different switches, or uses a port that is not plugged in.
func (t *Table) WithPortMap(m PortMap) (*Table, error) {
	m = slices.Clone(m)
	if err := m.Check(); err != nil {
		return nil, err
	}
	mapped := *t
	mapped.PortMap = m
	mapped.Names = m.Names()
	mapped.Switches = len(mapped.Names)
	mapped.Up = slices.Clone(t.Up)
	mapped.Stages = slices.Clone(t.Stages)
	for i, u := range t.Up {
		c, err := mapped.onMap(Change{Action: Connect, In: u.In, Out: u.Out})
		if err != nil {
			return nil, err
		}
		mapped.Up[i] = Up{Switch: c.Switch, In: u.In, Out: u.Out, Ingress: c.Ingress, Egress: c.Egress}
	}
	for i := range t.Stages {
		mapped.Stages[i].Changes = slices.Clone(t.Stages[i].Changes)
		for k, c := range t.Stages[i].Changes {
			c, err := mapped.onMap(c)
			if err != nil {
				return nil, fmt.Errorf("stage %d: %w", i+1, err)
			}
			mapped.Stages[i].Changes[k] = c
		}
		slices.SortStableFunc(mapped.Stages[i].Changes, byActionAndSwitch)
	}
	return &mapped, nil
}

// onMap gives a change the numbers of the port map.
func (t *Table) onMap(c Change) (Change, error) {
	in, known := t.PortMap.at(c.In)
	if !known {
		return c, fmt.Errorf("port %d of GPU %d is not in the port map", c.In.Port, c.In.GPU)
	}
	out, known := t.PortMap.at(c.Out)
	if !known {
		return c, fmt.Errorf("port %d of GPU %d is not in the port map", c.Out.Port, c.Out.GPU)
	}
	if in.Switch != out.Switch {
		return c, fmt.Errorf("port %d of GPU %d is on switch %s, port %d of GPU %d on %s: plan for these switches",
			c.In.Port, c.In.GPU, in.Switch, c.Out.Port, c.Out.GPU, out.Switch)
	}
	c.Switch, _ = slices.BinarySearch(t.Names, in.Switch)
	c.Ingress, c.Egress = in.Ingress, out.Egress
	return c, nil
}

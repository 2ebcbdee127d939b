package layout

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// unplugged is the switch of a port that is not plugged in.
const unplugged = -1

// table has the switch of each port, by GPU and port.
type table [][]int32

var tableKind = kind{
	syntax: "table:0,1;0,1 (switches of the ports of each GPU)", reads: named("table"),
	parse: func(text string) (plugger, error) { return parseRows(after(text)) },
}

// Table returns the layout with the given switches of the ports of each GPU, -1 for a port that
// is not plugged in.
func Table(rows [][]int) (Layout, error) {
	made := make(table, len(rows))
	for u, row := range rows {
		for _, s := range row {
			if s < unplugged || s >= maxPorts {
				return Layout{}, fmt.Errorf("GPU %d: %d is not a switch in 0..%d", u, s, maxPorts-1)
			}
			made[u] = append(made[u], int32(s))
		}
		made[u] = trimmed(made[u])
	}
	return newLayout(made), nil
}

// parseRows reads the switches of the ports of each GPU: GPUs separated by semicolons, ports by
// commas, "-" for a port that is not plugged in.
func parseRows(text string) (table, error) {
	if ports := strings.Count(text, ",") + strings.Count(text, ";") + 1; ports > maxPorts {
		return nil, fmt.Errorf("%d ports; there may be %d", ports, maxPorts)
	}
	var rows table
	for u, row := range strings.Split(text, ";") {
		if u >= maxGPUs {
			return nil, fmt.Errorf("more than %d GPUs", maxGPUs)
		}
		var ports []int32
		for word := range strings.SplitSeq(row, ",") {
			if word == "-" {
				ports = append(ports, unplugged)
				continue
			}
			s, err := strconv.Atoi(word)
			if err != nil || s < 0 || s >= maxPorts {
				return nil, fmt.Errorf("GPU %d: %.20q is not a switch in 0..%d", u, word, maxPorts-1)
			}
			ports = append(ports, int32(s))
		}
		rows = append(rows, trimmed(ports))
	}
	return rows, nil
}

// trimmed removes ports at the end that are not plugged in, so that every layout has only one
// text.
func trimmed(ports []int32) []int32 {
	for len(ports) > 1 && ports[len(ports)-1] == unplugged {
		ports = ports[:len(ports)-1]
	}
	return ports
}

func (t table) String() string {
	var text strings.Builder
	text.WriteString("table:")
	for u, row := range t {
		if u > 0 {
			text.WriteByte(';')
		}
		for p, s := range row {
			if p > 0 {
				text.WriteByte(',')
			}
			if s == unplugged {
				text.WriteByte('-')
			} else {
				text.WriteString(strconv.Itoa(int(s)))
			}
		}
	}
	return text.String()
}

func (t table) plug(p *Plugging) error {
	if len(t) > p.nodes {
		return fmt.Errorf("GPU %d is plugged in, the fabric has GPUs 0..%d", len(t)-1, p.nodes-1)
	}
	for i := range p.at {
		p.at[i] = unplugged
	}
	for u, row := range t {
		if len(row) > p.ports {
			return fmt.Errorf("port %d of GPU %d is plugged in, a GPU has ports 0..%d", len(row)-1, u, p.ports-1)
		}
		copy(p.at[u*p.ports:], row)
	}
	return nil
}

// header is the first line of a file.
const header = "gpu,port,switch"

// ReadCSV reads a layout from lines gpu,port,switch, in any order, below that heading. Ports
// that are not listed are not plugged in. Errors name the file and the line.
func ReadCSV(name string, file io.Reader) (Layout, error) {
	lines := bufio.NewScanner(file)
	switchOf := map[[2]int]int{}
	lastGPU, number := -1, 0
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if number == 1 {
			if strings.ReplaceAll(line, " ", "") != header {
				return Layout{}, fmt.Errorf("%s:1: %.40q; want the header %s", name, line, header)
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at, err := parseLine(line)
		if err != nil {
			return Layout{}, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		port := [2]int{at[0], at[1]}
		if _, twice := switchOf[port]; twice {
			return Layout{}, fmt.Errorf("%s:%d: port %d of GPU %d is listed twice", name, number, port[1], port[0])
		}
		if switchOf[port] = at[2]; len(switchOf) > maxPorts {
			return Layout{}, fmt.Errorf("%s:%d: more than %d ports", name, number, maxPorts)
		}
		lastGPU = max(lastGPU, port[0])
	}
	if err := lines.Err(); err != nil {
		return Layout{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(switchOf) == 0 {
		return Layout{}, fmt.Errorf("%s: no port is plugged in; want lines %s", name, header)
	}
	rows := make(table, lastGPU+1)
	for port, s := range switchOf {
		u, p := port[0], port[1]
		for len(rows[u]) <= p {
			rows[u] = append(rows[u], unplugged)
		}
		rows[u][p] = int32(s)
	}
	for u := range rows {
		if rows[u] == nil {
			rows[u] = []int32{unplugged}
		}
	}
	return newLayout(rows), nil
}

func parseLine(line string) (at [3]int, err error) {
	words := strings.Split(line, ",")
	if len(words) != 3 {
		return at, fmt.Errorf("%.40q has %d fields; want %s", line, len(words), header)
	}
	for i, what := range []struct {
		name string
		most int
	}{{"GPU", maxGPUs}, {"port", maxGPUPorts}, {"switch", maxPorts}} {
		n, err := strconv.Atoi(strings.TrimSpace(words[i]))
		if err != nil || n < 0 || n >= what.most {
			return at, fmt.Errorf("%.20q is not a %s in 0..%d", words[i], what.name, what.most-1)
		}
		at[i] = n
	}
	return at, nil
}

// WriteCSV writes a plugging for ReadCSV.
func (p *Plugging) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, header)
	for u := range p.nodes {
		for port := range p.ports {
			if s := p.Switch(u, port); s >= 0 {
				fmt.Fprintf(out, "%d,%d,%d\n", u, port, s)
			}
		}
	}
	return out.Flush()
}

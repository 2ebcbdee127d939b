package timetable

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Name returns the name of a switch: from the port map, or its number.
func (t *Table) Name(number int) string {
	if number >= 0 && number < len(t.Names) {
		return t.Names[number]
	}
	return strconv.Itoa(number)
}

// WriteJSON writes the table as JSON.
func (t *Table) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(t)
}

// WriteCSV writes one line per change, after lines of stage 0 for circuits that are already up.
func (t *Table) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString("stage,switch,action,from_gpu,from_port,to_gpu,to_port,ingress,egress,earliest_ns,latest_ns\n")
	for _, u := range t.Up {
		fmt.Fprintf(out, "0,%s,up,%d,%d,%d,%d,%d,%d,0,0\n", t.Name(u.Switch), u.In.GPU, u.In.Port, u.Out.GPU, u.Out.Port, u.Ingress, u.Egress)
	}
	for _, s := range t.Stages {
		for _, c := range s.Changes {
			fmt.Fprintf(out, "%d,%s,%s,%d,%d,%d,%d,%d,%d,%v,%v\n", s.Stage, t.Name(c.Switch), c.Action,
				c.In.GPU, c.In.Port, c.Out.GPU, c.Out.Port, c.Ingress, c.Egress, float64(c.Earliest), float64(c.Latest))
		}
	}
	return out.Flush()
}

// WriteSCPI writes commands in the style of Polatis switches, stage by stage and switch by
// switch. The comment before the lines of a stage has its times: a controller sends the lines
// when the barrier has passed. Circuits that are already up are in comments.
func (t *Table) WriteSCPI(w io.Writer) error {
	out := bufio.NewWriter(w)
	if len(t.Up) > 0 {
		fmt.Fprintf(out, "# initial: %s; up already, before the first command:\n", strings.Join(strings.Fields(t.Initial), " "))
	}
	for _, u := range t.Up {
		fmt.Fprintf(out, "# switch %s up (@%d),(@%d)\n", t.Name(u.Switch), u.Ingress, u.Egress)
	}
	for _, s := range t.Stages {
		fmt.Fprintf(out, "# stage %d: %s; barrier at %v, up by %v\n", s.Stage, strings.Join(strings.Fields(s.Topology), " "), s.Barrier, s.Ready)
		last := -1
		for _, c := range s.Changes {
			if c.Switch != last {
				fmt.Fprintf(out, "# switch %s\n", t.Name(c.Switch))
				last = c.Switch
			}
			verb := "ADD"
			if c.Action == Disconnect {
				verb = "SUB"
			}
			fmt.Fprintf(out, ":OXC:SWIT:CONN:%s (@%d),(@%d)\n", verb, c.Ingress, c.Egress)
		}
	}
	return out.Flush()
}

package timetable_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// TestPortMapsRenumberAndChangeNothingElse: with a random port map, whatever is up in a stage joins
// the same fibres as before, on the switch and the ports of the map; the file is read again; SCPI
// and CSV name the switches.
func TestPortMapsRenumberAndChangeNothingElse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 30))
	for range 40 {
		f := fabric.Default()
		f.Nodes, f.Ports = 6, 2
		if err := f.Set("switches", "rails"); err != nil {
			t.Fatal(err)
		}
		var graphs []*topology.Graph
		for range 3 {
			if g := f.Possible(random(rng, f.Nodes, f.Ports, false)); g.Bundles() > 0 {
				graphs = append(graphs, g)
			}
		}
		if len(graphs) == 0 {
			continue
		}
		plain, err := timetable.Of(planOf(t, f, graphs...))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		text.WriteString("gpu,port,switch,ingress,egress\n")
		in, out := rng.Perm(9), rng.Perm(9)
		type fibre = timetable.Fibre
		at := map[fibre][3]string{}
		for _, i := range rng.Perm(f.Nodes * f.Ports) {
			u, p := i/f.Ports, i%f.Ports
			name := []string{"zeta", "alpha"}[p]
			at[fibre{GPU: u, Port: p}] = [3]string{name, fmt.Sprint(in[u] + 1), fmt.Sprint(out[u] + 50)}
			fmt.Fprintf(&text, "%d,%d,%s,%d,%d\n", u, p, name, in[u]+1, out[u]+50)
		}
		m, err := timetable.ReadPortMap(strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		mapped, err := plain.WithPortMap(m)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := mapped.WriteJSON(&file); err != nil {
			t.Fatal(err)
		}
		again, err := timetable.Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Follow(func(int, map[[2]int]int) bool { return true }); err != nil {
			t.Fatal(err)
		}
		for i, s := range again.Stages {
			if len(s.Changes) != len(plain.Stages[i].Changes) {
				t.Fatalf("stage %d has %d changes, not %d", i+1, len(s.Changes), len(plain.Stages[i].Changes))
			}
			for _, c := range s.Changes {
				from, to := at[c.In], at[c.Out]
				if again.Name(c.Switch) != from[0] || from[0] != to[0] || fmt.Sprint(c.Ingress) != from[1] || fmt.Sprint(c.Egress) != to[2] {
					t.Errorf("%+v is not %v and %v", c, from, to)
				}
				if !slices.ContainsFunc(plain.Stages[i].Changes, func(p timetable.Change) bool {
					return p.In == c.In && p.Out == c.Out && p.Action == c.Action && p.Earliest == c.Earliest && p.Latest == c.Latest
				}) {
					t.Errorf("%+v is new", c)
				}
			}
		}
		var scpi strings.Builder
		if err := mapped.WriteSCPI(&scpi); err != nil || !strings.Contains(scpi.String(), "# switch zeta\n") && !strings.Contains(scpi.String(), "# switch alpha\n") {
			t.Errorf("%v: %s", err, scpi.String())
		}
	}
}

// TestHostilePortMapsGetOneLine: the error names the place and what would be right.
func TestHostilePortMapsGetOneLine(t *testing.T) {
	const heading = "gpu,port,switch,ingress,egress\n"
	for text, want := range map[string]string{
		"":                               "empty",
		"gpu,port\n":                     "heading",
		heading + "0,0,a,1\n":            "line 2: 4 fields",
		heading + "0,0,a,1,2\nx,0,a,1,2": "line 3: gpu",
		heading + "0,-1,a,1,2":           "port",
		heading + "0,0,a,0,2":            "ingress",
		heading + "0,0,a,1,99999999":     "egress",
		heading + "0,0,,1,2":             "name of a switch",
		heading + "0,0,a b,1,2":          "name of a switch",
		heading + "0,0,a,1,2\n0,0,a,3,4": "plugged in twice",
		heading + "0,0,a,1,2\n1,0,a,1,4": "ingress port 1",
		heading + "0,0,a,1,2\n1,0,a,3,2": "egress port 2",
		heading + "\"0,0,a,1,2\n":        "line",
	} {
		_, err := timetable.ReadPortMap(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzReadPortMap: a port map that is read is consistent; otherwise the error is one line.
func FuzzReadPortMap(f *testing.F) {
	f.Add("gpu,port,switch,ingress,egress\n0,0,a,1,2\n1,0,a,3,4\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := timetable.ReadPortMap(strings.NewReader(text))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%q: %q", text, err)
			}
			return
		}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

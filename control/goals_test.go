package control_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/control"
)

// table is a timetable of two stages on one switch.
const table = `{"schema":"lightpath.timetable/v1","nodes":2,"switches":1,"ports_per_gpu":1,"size":2,"initial":"base",
"port_map":[{"gpu":0,"port":0,"switch":"a","ingress":1,"egress":5},{"gpu":1,"port":0,"switch":"a","ingress":2,"egress":6}],"names":["a"],
"up":[{"switch":0,"in":{"gpu":0,"port":0},"out":{"gpu":1,"port":0},"ingress":1,"egress":6}],
"stages":[{"stage":1,"topology":"x","barrier_ns":0,"ready_ns":0,"changes":[]},{"stage":2,"topology":"y","barrier_ns":1,"ready_ns":2,"changes":[
{"switch":0,"action":"disconnect","in":{"gpu":0,"port":0},"out":{"gpu":1,"port":0},"ingress":1,"egress":6,"earliest_ns":1,"latest_ns":2},
{"switch":0,"action":"connect","in":{"gpu":1,"port":0},"out":{"gpu":0,"port":0},"ingress":2,"egress":5,"earliest_ns":1,"latest_ns":2}]}]}`

// TestAProgramWantsWhatItsTimetableSays: a program has the timetable's circuits as goals, stage
// by stage. Tables that contradict themselves are refused.
func TestAProgramWantsWhatItsTimetableSays(t *testing.T) {
	read := func(text string) (*control.Program, error) {
		made, err := timetable.Read(strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		return control.NewProgram(made)
	}
	p, err := read(table)
	if err != nil || len(p.Stages) != 2 || !p.Stages[0].Want["a"].Equal(control.State{1: 6}) || !p.Stages[1].Want["a"].Equal(control.State{2: 5}) {
		t.Fatal(p, err)
	}
	for _, change := range [][2]string{
		{`"up":[{"switch":0`, `"up":[{"switch":1`}, {`"up":[{"switch":0`, `"up":[{"switch":-1`}, {`"names":["a"]`, `"names":["b"]`}, {`"ingress":2,"egress":5,"e`, `"ingress":2,"egress":6,"e`},
		{`"switch":"a","ingress":2`, `"switch":"a","ingress":1`}, {`"action":"disconnect"`, `"action":"connect"`}, {`"stage":2`, `"stage":3`}, {`"action":"connect"`, `"action":"cut"`},
	} {
		if p, err := read(strings.Replace(table, change[0], change[1], 1)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", change[1], p, err)
		}
	}
}

// FuzzProgram: a timetable is a program whose goals are states, or an error of one line.
func FuzzProgram(f *testing.F) {
	f.Add([]byte(table))
	f.Fuzz(func(t *testing.T, text []byte) {
		made, err := timetable.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		p, err := control.NewProgram(made)
		if err != nil {
			return
		}
		for _, goal := range p.Stages {
			for name, want := range goal.Want {
				if _, err := control.Up(want.Crosses()); err != nil {
					t.Fatalf("%q: %s: %v", text, name, err)
				}
			}
		}
	})
}

// FuzzJournal: whatever entries a journal has, reading them ends in its content or an error.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"kind":"intend","stage":1,"before":{"a":[]},"after":{"a":[{"ingress":1,"egress":2}]}}`), []byte(`{"kind":"done"}`))
	f.Add([]byte(`{"kind":"intend","before":{"a":[{"ingress":1,"egress":2}]}}`), []byte(`{"kind":"undone","why":"x"}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var m control.Memory
		for _, entry := range [][]byte{first, second} {
			if err := control.Take(&m, entry); err != nil {
				return
			}
		}
		for _, s := range m.After {
			if _, err := control.Up(s.Crosses()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

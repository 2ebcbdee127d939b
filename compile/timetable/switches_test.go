package timetable_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// If ports are plugged into many switches, the timetable has the ports and switches of the plan,
// and so has the emulation. A reader finds them again.
func TestTimetablesSetTheSwitchesOfThePlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 30))
	for trial := range 60 {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 8, 3, trial%2 == 1
		layout := []string{"rails", "4x2:2,1", "2x2x2", "table:0,0,1;0,0,1;0,0,1;0,0,1;2,2,1;2,2,1;2,2,1;2,2,1"}[trial%4]
		if err := f.Set("switches", layout); err != nil {
			t.Fatal(err)
		}
		var graphs []*topology.Graph
		for range 3 {
			if g := f.Possible(random(rng, f.Nodes, f.Ports, f.Duplex)); g.Bundles() > 0 {
				graphs = append(graphs, g)
			}
		}
		if len(graphs) == 0 {
			continue
		}
		p := planOf(t, f, graphs...)
		table, err := timetable.Of(p)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := table.WriteJSON(&file); err != nil {
			t.Fatal(err)
		}
		again, err := timetable.Read(&file)
		if err != nil {
			t.Fatalf("%s: %v", layout, err)
		}
		type end struct{ in, out timetable.Fibre }
		up := map[end]int{} // the switch of what is up
		err = again.Follow(func(stage int, _ map[[2]int]int) bool {
			for _, c := range again.Stages[stage].Changes {
				if c.Action == timetable.Connect {
					up[end{c.In, c.Out}] = c.Switch
				} else {
					delete(up, end{c.In, c.Out})
				}
			}
			set, err := p.SetUp(stage)
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			for _, c := range set {
				a, b := timetable.Fibre{GPU: c.From, Port: c.FromPort}, timetable.Fibre{GPU: c.To, Port: c.ToPort}
				ways := []end{{a, b}}
				if f.Duplex && a.GPU != b.GPU {
					ways = append(ways, end{b, a})
				}
				for _, way := range ways {
					count++
					if s, ok := up[way]; !ok || s != c.Switch {
						t.Errorf("%s, stage %d: %+v is on switch %d of the timetable (%v)", layout, stage+1, c, s, ok)
					}
				}
			}
			if count != len(up) {
				t.Errorf("%s, stage %d: %d circuits are up, the plan has %d", layout, stage+1, len(up), count)
			}
			return true
		})
		if err != nil {
			t.Errorf("%s: %v", layout, err)
		}
		agree(t, layout, p)
	}
}

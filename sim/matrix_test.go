package sim_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
)

const matrixText = `# three messages
Nodes 4
Connections 4
Triggers 2

0->1 id 1 start 0 size 1000 recv_done_trigger 7
1->2 id 2 trigger 7 size 2000 send_done_trigger 9
3->2 id 3 start 1500.0 size 10 prio 2 recv_done_trigger 9
2->0 id 4 trigger 9 size 5
trigger id 7 oneshot
trigger id 9 barrier count 2
`

func TestReadMatrix(t *testing.T) {
	got, err := sim.ReadMatrix(strings.NewReader(matrixText))
	want := &sim.Matrix{
		Nodes: 4,
		Lines: []int{6, 7, 8, 9},
		Flows: []sim.Flow{
			{Src: 0, Dst: 1, Bytes: 1000}, {Src: 1, Dst: 2, Bytes: 2000}, {Src: 3, Dst: 2, Bytes: 10, Start: 1500, Priority: 2}, {Src: 2, Dst: 0, Bytes: 5},
		},
		Triggers: []sim.Trigger{
			{ID: 7, Kind: sim.OneShot, Starts: []int{1}, Received: []int{0}},
			{ID: 9, Kind: sim.BarrierOf, Count: 2, Starts: []int{3}, Sent: []int{1}, Received: []int{2}},
		},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// badMatrices are files that are refused, with their errors.
var badMatrices = []struct{ text, want string }{
	{"", "line 0: no Nodes N"},
	{"Nodes\n", "line 1: Nodes: 1 words"},
	{"Nodes x\n", `line 1: Nodes "x"`},
	{"Nodes 2\nNodes 2\n", "line 2: Nodes occurs twice"},
	{"Nodes 2\nConnections 1\n", "line 2: 0 Connections; the header says 1"},
	{"Nodes 2\nConnections 0\nFailures 1\n", "line 3: Failures 1"},
	{"Nodes 2\nConnections 1\nx\n", `line 3: "x"; want SRC->DST`},
	{"Nodes 2\nConnections 1\n0->2 start 0 size 1\n", "line 3: dst 2 is not"},
	{"Nodes 2\nConnections 1\n0->1 start 0\n", "line 3: want size"},
	{"Nodes 2\nConnections 1\n0->1 size 5\n", "line 3: want size, and one of start"},
	{"Nodes 2\nConnections 1\n0->1 start -1 size 5\n", `line 3: start "-1"`},
	{"Nodes 2\nConnections 1\n0->1 start\n", "line 3: start: nothing after it"},
	{"Nodes 2\nConnections 1\n0->1 start 0 size 5 colour 3\n", `line 3: "colour"`},
	{"Nodes 2\nConnections 2\n0->1 id 1 start 0 size 5\n0->1 id 1 start 0 size 5\n", "line 4: id 1"},
	{"Nodes 2\nConnections 1\n0->1 id 1 trigger 3 size 5\n", "line 3: no trigger id 3"},
	{"Nodes 2\nConnections 0\nTriggers 1\ntrigger id 3 sometimes\n", `line 4: "sometimes"`},
	{"Nodes 2\nConnections 0\nTriggers 1\ntrigger id 3 barrier\n", "line 4: want barrier count N"},
	{"Nodes 2\nConnections 1\nTriggers 1\n0->1 id 1 trigger 3 size 5\ntrigger id 3 oneshot\n", "line 5: trigger 3 starts 1 flows, and only 0"},
	{"Nodes 2\nConnections 0\nfailure switch_type TOR switch_id 1 link_id 2\n", "line 3: a failure"},
}

func TestReadMatrixNamesTheLine(t *testing.T) {
	for _, bad := range badMatrices {
		_, err := sim.ReadMatrix(strings.NewReader(bad.text))
		if err == nil || !strings.HasPrefix(err.Error(), bad.want) {
			t.Errorf("%q: %v; want %q", bad.text, err, bad.want)
		}
	}
}

// FuzzMatrix: reading any text does not panic, and an error is one line that names a line.
func FuzzMatrix(f *testing.F) {
	for _, bad := range badMatrices {
		f.Add([]byte(bad.text))
	}
	f.Add([]byte(matrixText))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := sim.ReadMatrix(bytes.NewReader(data)); err != nil {
			if m := err.Error(); !strings.HasPrefix(m, "line ") || strings.ContainsAny(m, "\n\r") {
				t.Errorf("%q", m)
			}
		}
	})
}

package lightpath_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// A size at which rewiring never pays is said to be one; no delay is below 0ns.
func TestAdviceSaysWhereRewiringNeverPays(t *testing.T) {
	some, more, none := units.Time(3000), units.Time(5000), units.Time(0)
	for _, c := range []struct {
		delays []*units.Time // of 1KiB, 2KiB, ..; nil: it always pays
		want   string
	}{
		{[]*units.Time{&none, &none, &some, &more}, "Rewiring pays below a delay of 3.000us for 3KiB, and of 5.000us for 4KiB. It pays at no delay for 1KiB, 2KiB."},
		{[]*units.Time{&none, &some}, "Rewiring pays below a delay of 3.000us for 2KiB. It pays at no delay for 1KiB."},
		{[]*units.Time{&none, nil}, "Rewiring pays at no delay for 1KiB."},
		{[]*units.Time{&none, &none}, "Rewiring pays at no delay: for each of the sizes looked at"},
		{[]*units.Time{&some, &more}, "Rewiring pays below a delay of 3.000us for 1KiB, and of 5.000us for 2KiB."},
	} {
		a := &lightpath.Advice{Ports: []lightpath.PortsTime{{Ports: 1, TotalNs: 1}}, EnoughPorts: 1}
		for i, d := range c.delays {
			a.PaysBelow = append(a.PaysBelow, lightpath.PaysBelow{SizeBytes: int64(i+1) << 10, ReconfigNs: d})
		}
		if got := strings.Join(a.Sentences(), "\n"); !strings.Contains(got, c.want) || strings.Contains(got, "0ns") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Where the last number of ports still gains, no number is said to be enough.
func TestAdviceKnowsNoEnoughPorts(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 8
	r := lightpath.AdviseRequest{Operation: lightpath.Operation{Op: collective.AllReduce, Size: 64 * units.MiB}, Fabric: f, Planner: "harvest", MostPorts: 2}
	a, err := lightpath.Advise(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(a.Sentences(), "\n"); a.EnoughPorts != 0 || strings.Contains(string(data), "enough_ports") || !strings.Contains(text, "No number of ports up to 2 is enough") {
		t.Errorf("%d ports; %q", a.EnoughPorts, text)
	}
}

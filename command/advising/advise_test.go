package advising_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Advice names the sizes at which reconfiguring never pays off, and no delay is below 0ns.
func TestAdviceSaysWhereRewiringNeverPays(t *testing.T) {
	t.Parallel()
	some, more, none := units.Time(3000), units.Time(5000), units.Time(0)
	for _, c := range []struct {
		delays []*units.Time // of 1KiB, 2KiB, ..; nil: it always pays
		want   string
	}{
		{[]*units.Time{&none, &none, &some, &more}, "Reconfiguring pays at delays below 3.000us for 3KiB, and below 5.000us for 4KiB. It pays at no delay for 1KiB, 2KiB."},
		{[]*units.Time{&none, &some}, "Reconfiguring pays at delays below 3.000us for 2KiB. It pays at no delay for 1KiB."},
		{[]*units.Time{&none, nil}, "Reconfiguring pays at no delay for 1KiB."},
		{[]*units.Time{&none, &none}, "Reconfiguring pays at no delay: for each of the sizes looked at"},
		{[]*units.Time{&some, &more}, "Reconfiguring pays at delays below 3.000us for 1KiB, and below 5.000us for 2KiB."},
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

// If the largest number of ports still gains time, the advice calls no number enough.
func TestAdviceKnowsNoEnoughPorts(t *testing.T) {
	t.Parallel()
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
	if text := strings.Join(a.Sentences(), "\n"); a.EnoughPorts != 0 || strings.Contains(string(data), "enough_ports") || !strings.Contains(text, "Even the last of 2 ports gains") {
		t.Errorf("%d ports; %q", a.EnoughPorts, text)
	}
}

// Advice agrees with planning on the changed fabric, a change never makes it slower, and
// reconfiguring pays off just below the break-even delay but not just above it.
func TestAdviceIsWhatPlanningSays(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 16, 3*units.Microsecond
	o := lightpath.Operation{Op: collective.AllReduce, Size: units.MiB}
	a, err := lightpath.Advise(t.Context(), lightpath.AdviseRequest{Operation: o, Fabric: f, Planner: "harvest", MostPorts: 2})
	if err != nil {
		t.Fatal(err)
	}
	total := func(change func(*fabric.Fabric), size units.Bytes) (units.Time, int) {
		g := f
		change(&g)
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: g, Planner: "harvest", Operations: []lightpath.Operation{{Op: o.Op, Size: size}}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		return p.Cost.Total(), p.Reconfigurations
	}
	for _, c := range a.Changes {
		want, _ := total(func(g *fabric.Fabric) {
			for _, s := range fabric.Settings() {
				if s.Name == c.Setting {
					if err := s.Set(g, c.Value); err != nil {
						t.Fatal(err)
					}
				}
			}
		}, units.MiB)
		if math.Abs(float64(c.TotalNs/want)-1) > 1e-9 {
			t.Errorf("%s: %v, planning takes %v", c.Change, c.TotalNs, want)
		}
		if c.Speedup < 1-1e-9 {
			t.Errorf("%s makes it slower: %v", c.Change, c.Speedup)
		}
	}
	if len(a.PaysBelow) == 0 || len(a.Ports) != 2 || len(a.Sentences()) < 3 {
		t.Fatalf("%+v", a)
	}
	for _, p := range a.PaysBelow[:4] {
		at := func(factor float64) int {
			_, changes := total(func(g *fabric.Fabric) { g.Reconfig.Base = units.Duration(float64(*p.ReconfigNs) * 1000 * factor) }, units.Bytes(p.SizeBytes))
			return changes
		}
		if at(0.999) == 0 || at(1.001) != 0 {
			t.Errorf("%v: break-even at %v, but %d changes below and %d above", units.Bytes(p.SizeBytes), *p.ReconfigNs, at(0.999), at(1.001))
		}
	}
}

// Advice for several operations has the advice for each of them, and for their sum.
func TestAdviceForSeveralOperations(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	operations := []lightpath.Operation{{Op: collective.AllReduce, Size: units.MiB}, {Op: collective.AllToAll, Size: 64 * units.KiB}}
	both, err := lightpath.Advise(t.Context(), lightpath.AdviseRequest{Operation: operations[0], More: operations[1:], Fabric: f, Planner: "harvest", MostPorts: 1})
	if err != nil || len(both.More) != 1 {
		t.Fatalf("%+v, %v", both, err)
	}
	var now units.Time
	for i, got := range []lightpath.Advice{*both, both.More[0]} {
		alone, err := lightpath.Advise(t.Context(), lightpath.AdviseRequest{Operation: operations[i], Fabric: f, Planner: "harvest", MostPorts: 1})
		if err != nil {
			t.Fatal(err)
		}
		got.More, got.Together, got.TogetherNs = nil, nil, 0
		if !reflect.DeepEqual(&got, alone) {
			t.Errorf("with the other %+v, alone %+v", got, alone)
		}
		now += alone.TotalNs
	}
	if both.Now() != now || both.TogetherNs != now || len(both.Together) == 0 || both.TogetherSentence() == "" {
		t.Errorf("together %v, want %v; %q", both.Now(), now, both.TogetherSentence())
	}
	for i, c := range both.Together {
		of := func(a []lightpath.FabricChange) units.Time {
			return a[slices.IndexFunc(a, func(o lightpath.FabricChange) bool { return o.Change == c.Change })].TotalNs
		}
		if want := of(both.Changes) + of(both.More[0].Changes); c.TotalNs != want || i > 0 && c.TotalNs < both.Together[i-1].TotalNs {
			t.Errorf("%s: %v, want %v, after %v", c.Change, c.TotalNs, want, both.Together[max(0, i-1)].TotalNs)
		}
	}
	bad := lightpath.AdviseRequest{Operation: operations[0], More: []lightpath.Operation{{Op: "x"}}, Fabric: f}
	if _, err := lightpath.Advise(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "more[0]") {
		t.Errorf("an operation that there is not: %v", err)
	}
}

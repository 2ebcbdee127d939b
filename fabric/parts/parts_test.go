package parts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/units"
)

// kinds are the parts of a catalogue by kind.
func kinds(c *parts.Catalogue) map[string]map[string]parts.Part {
	return map[string]map[string]parts.Part{
		parts.Switches: c.Switches, parts.Transceivers: c.Transceivers, parts.NICs: c.NICs,
		parts.Fibres: c.Fibres, parts.PacketSwitches: c.PacketSwitches, parts.Islands: c.Islands, parts.GPUs: c.GPUs,
	}
}

func TestEveryPartHasASourceAndADate(t *testing.T) {
	for kind, all := range kinds(parts.Standard()) {
		if len(all) == 0 {
			t.Errorf("no %s", kind)
		}
		for name, p := range all {
			if p.Source == "" || p.Date == "" {
				t.Errorf("%s.%s has no source or no date", kind, name)
			}
			if p.Failures.IsZero() || p.Repair.IsZero() || kind == parts.Switches && p.PortFailures.IsZero() {
				t.Errorf("%s.%s does not say how often it fails, and how long it is repaired", kind, name)
			}
		}
	}
}

// hostile are invalid files, with the content of the one-line error.
var hostile = map[string][2]string{
	"empty":            {"", "mine.yaml: empty"},
	"no mapping":       {"- a\n- b\n", "mine.yaml:1"},
	"no YAML":          {"a: b: c\n", "mine.yaml: mapping values are not allowed"},
	"two documents":    {"switches: {}\n---\nswitches: {}\n", "more than one"},
	"unknown kind":     {"\nlasers:\n  x: {}\n", "mine.yaml:2: lasers: unknown kind"},
	"unknown figure":   {"switches:\n  polatis:\n    colour: red\n", "mine.yaml:3: switches.polatis.colour: not one of"},
	"figure of others": {"switches:\n  polatis:\n    budget: 4 dB\n", "mine.yaml:3: switches.polatis.budget: not one of"},
	"negative":         {"switches:\n  polatis:\n    price: -3 USD\n", `mine.yaml:3: switches.polatis.price: "-3 USD": must not be below 0`},
	"not a number":     {"switches:\n  polatis:\n    price: NaN USD\n", "mine.yaml:3: switches.polatis.price: \"NaN USD\": want a number"},
	"infinite":         {"switches:\n  polatis:\n    price: Inf USD\n", "mine.yaml:3"},
	"huge":             {"switches:\n  polatis:\n    price: 9999999999999 USD\n", "mine.yaml:3: switches.polatis.price: \"9999999999999 USD\": larger than 1e+12"},
	"no unit":          {"switches:\n  polatis:\n    price: 3\n", "mine.yaml:3: switches.polatis.price: \"3\": no unit; use USD"},
	"unknown unit":     {"switches:\n  polatis:\n    price: 3 EUR\n", "mine.yaml:3: switches.polatis.price: \"3 EUR\": unknown unit \"EUR\""},
	"an exponent":      {"switches:\n  polatis:\n    price: 1e308 USD\n", "mine.yaml:3: switches.polatis.price: \"1e308 USD\": write numbers with digits and a point only, such as"},
	"groups of digits": {"switches:\n  polatis:\n    price: 1,200 USD\n", "mine.yaml:3: switches.polatis.price: \"1,200 USD\": write numbers with digits and a point only, such as"},
	"wrong unit":       {"switches:\n  polatis:\n    price: 3 W\n", "mine.yaml:3: switches.polatis.price: \"3 W\": wrong unit; use USD, USD/port"},
	"ports of a card":  {"nics:\n  400G:\n    price: 3 USD/port\n", "mine.yaml:3: nics.400G.price: \"3 USD/port\": wrong unit; use USD"},
	"low above high":   {"switches:\n  polatis:\n    price: 5..4..6 USD\n", "mine.yaml:3: switches.polatis.price: \"5..4..6 USD\": want low <= likely <= high"},
	"two numbers":      {"switches:\n  polatis:\n    price: 5..6 USD\n", "mine.yaml:3: switches.polatis.price: \"5..6 USD\": want one number, or three"},
	"missing":          {"switches:\n  mine:\n    ports: 8\n", "mine.yaml:2: switches.mine.switching: missing"},
	"like nothing":     {"switches:\n  mine:\n    like: yours\n", "mine.yaml:3: switches.mine.like: there is no \"yours\""},
	"like another":     {"switches:\n  mine:\n    like: 400G-FR4\n", "mine.yaml:3: switches.mine.like: there is no \"400G-FR4\" among the switches"},
	"like itself":      {"switches:\n  mine:\n    like: mine\n", "mine.yaml:3: switches.mine.like: a circle: mine is like mine"},
	"a circle":         {"switches:\n  a:\n    like: b\n  b:\n    like: a\n", "mine.yaml:5: switches.b.like: a circle: a is like b is like a"},
	"twice":            {"switches:\n  polatis:\n    ports: 8\n    ports: 9\n", "mine.yaml:4: switches.polatis.ports: set twice"},
	"few ports":        {"switches:\n  polatis:\n    ports: 1\n", "mine.yaml:3: switches.polatis.ports"},
	"no time":          {"switches:\n  polatis:\n    switching: 0s\n", "mine.yaml:3: switches.polatis.switching"},
	"no rate":          {"nics:\n  400G:\n    rate: fast\n", "mine.yaml:3: nics.400G.rate"},
	"a list":           {"switches:\n  polatis:\n    ports: [1, 2]\n", "mine.yaml:3: switches.polatis.ports: want a single value"},
	"no part":          {"switches:\n  polatis: 7\n", "mine.yaml:2: switches.polatis: want figures"},
	"anchors":          {"switches:\n  a: &x {ports: 8}\n  b: *x\n", "mine.yaml:2: switches.a: anchors"},
	"never repaired":   {"gpus:\n  x:\n    failures: 1 /year\n", "mine.yaml:2: gpus.x.repair: missing"},
	"endless failures": {"nics:\n  400G:\n    failures: 99999999999 FIT\n", "mine.yaml:3: nics.400G.failures: \"99999999999 FIT\": more often than once an hour"},
	"negative repair":  {"nics:\n  400G:\n    repair: -1 h\n", "mine.yaml:3: nics.400G.repair: \"-1 h\": must not be below 0"},
	"endless repair":   {"nics:\n  400G:\n    repair: 1000000000 h\n", "mine.yaml:3: nics.400G.repair: \"1000000000 h\": more than 100 years"},
	"failures in USD":  {"nics:\n  400G:\n    failures: 1 USD\n", "mine.yaml:3: nics.400G.failures: \"1 USD\": wrong unit; use /year, FIT"},
	"repair a year":    {"nics:\n  400G:\n    repair: 1 /year\n", "mine.yaml:3: nics.400G.repair: \"1 /year\": wrong unit; use h"},
	"ports of a fibre": {"fibres:\n  single-mode:\n    port_failures: 1 FIT\n", "mine.yaml:3: fibres.single-mode.port_failures: not one of"},
	"no date":          {"switches:\n  polatis:\n    date: soon\n", "mine.yaml:3: switches.polatis.date: \"soon\": want 2025"},
	"a strange name":   {"switches:\n  \"a\\nb\":\n    ports: 8\n", "mine.yaml:2: switches.\"a\\nb\""},
}

func TestHostileFilesGetOneClearLine(t *testing.T) {
	for name, c := range hostile {
		_, err := parts.Read("mine.yaml", []byte(c[0]))
		if err == nil || !strings.Contains(err.Error(), c[1]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %s", name, err, c[1])
		}
	}
	if _, err := parts.ReadFile(filepath.Join(t.TempDir(), "none.yaml")); err == nil {
		t.Error("a file that there is not")
	}
	large := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(large, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := parts.ReadFile(large); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Error(err)
	}
}

const mine = `
switches:
  polatis:
    price: 300..350..400 USD/port
  fast:
    like: polatis
    switching: 100ns
    ports: 64
  faster:
    like: fast
    switching: 10ns
    price: 5000 USD
`

func TestOwnPartsReplaceAndAdd(t *testing.T) {
	own, err := parts.Read("mine.yaml", []byte(mine))
	if err != nil {
		t.Fatal(err)
	}
	all, err := parts.With(own)
	if err != nil {
		t.Fatal(err)
	}
	before := parts.Standard()
	polatis, fast, faster := all.Switches["polatis"], all.Switches["fast"], all.Switches["faster"]
	if polatis.Price.String() != "300..350..400 USD/port" || polatis.Ports != 384 || polatis.Source != before.Switches["polatis"].Source {
		t.Errorf("%+v", polatis)
	}
	if fast.Price != polatis.Price || fast.Ports != 64 || fast.Switching != 100*units.Nanosecond || fast.Loss != polatis.Loss {
		t.Errorf("%+v", fast)
	}
	if faster.Price.String() != "5000 USD" || faster.Ports != 64 || faster.Switching != 10*units.Nanosecond {
		t.Errorf("%+v", faster)
	}
	if len(all.Switches) != len(before.Switches)+2 || !reflect.DeepEqual(all.NICs, before.NICs) {
		t.Errorf("%d switches", len(all.Switches))
	}
	if before.Switches["polatis"].Price.Likely == 350 {
		t.Error("the standard catalogue has changed")
	}
	if got := all.Cheapest(64, 10*units.Millisecond); got != "faster" { // 5000 for 64 ports
		t.Errorf("the cheapest is %s", got)
	}
	if got := all.Cheapest(65, 10*units.Millisecond); got != "polatis" {
		t.Errorf("the cheapest of 65 ports is %s", got)
	}
	if got := all.Cheapest(65, 10*units.Nanosecond); got != "" {
		t.Errorf("there is none, and %s", got)
	}
	// The same by way of JSON.
	text, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	var again parts.Catalogue
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(&again, own) {
		t.Errorf("%s: %+v, %v", text, again, err)
	}
	for _, bad := range []string{
		`{"switches":{"x":{"colour":"red"}}}`, `{"lasers":{}}`, `{"switches":{"x":{"price":"3 EUR"}}}`, `{"switches":{"x":{"price":"3..1..2 USD"}}}`,
	} {
		if err := json.Unmarshal([]byte(bad), &again); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	for _, bad := range []parts.Part{
		{Ports: -4}, {Switching: -1}, {Rate: 5}, {Price: parts.Quantity{Range: parts.Exactly(math.NaN()), Unit: parts.Dollars}},
		{Price: parts.Quantity{Range: parts.Exactly(math.Inf(1)), Unit: parts.Dollars}}, {Price: parts.Quantity{Range: parts.Exactly(-1), Unit: parts.Dollars}},
		{Loss: parts.Quantity{Range: parts.Exactly(1), Unit: parts.Watts}}, {Date: "x"},
	} {
		if _, err := parts.With(&parts.Catalogue{Switches: map[string]parts.Part{"polatis": bad}}); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

// A bill counts the ports that are plugged in, one by one.
func TestABillCountsWhatIsPluggedIn(t *testing.T) {
	all := parts.Standard()
	for _, c := range []struct {
		layout       string
		nodes, ports int
		radix        int
	}{{"rails", 16, 3, 20}, {"4x4:1,1", 16, 2, 4}, {"cubes:2x2x2", 64, 3, 16}, {"places:4", 16, 2, 4}, {"cut:4x4", 13, 2, 8}} {
		l, err := layout.Parse(c.layout)
		if err != nil {
			t.Fatal(err)
		}
		p, err := l.Plug(c.nodes, c.ports)
		if err != nil {
			t.Fatal(err)
		}
		m := parts.Machine{Nodes: c.nodes, Ports: c.ports, Bandwidth: 400 * units.Gbps}
		b, err := all.Optical(m, p, "polatis", c.radix)
		if err != nil {
			t.Fatal(err)
		}
		plugged, switches := 0, map[int]bool{}
		for u := range c.nodes {
			for port := range c.ports {
				if s := p.Switch(u, port); s >= 0 {
					plugged++
					switches[s] = true
				}
			}
		}
		if b.Count(parts.Switches) != len(switches) || b.Count(parts.Transceivers) != plugged || b.Count(parts.Fibres) != 2*plugged || b.Count(parts.NICs) != plugged {
			t.Errorf("%s: %+v; want %d switches, %d ports", c.layout, b.Lines, len(switches), plugged)
		}
		want := float64(len(switches)*c.radix)*520 + float64(plugged)*(659+2*8+1499)
		if math.Abs(b.CostUSD.Likely-want) > 1e-6 {
			t.Errorf("%s: %v, want %v", c.layout, b.CostUSD.Likely, want)
		}
		if _, err := all.Optical(m, p, "polatis", p.Radix()-1); err == nil {
			t.Errorf("%s: too few ports were billed", c.layout)
		}
		if _, err := all.Optical(m, p, "polatis", 385); err == nil {
			t.Error("a switch of 385 ports was billed")
		}
		m.Bandwidth = 801 * units.Gbps
		if _, err := all.Optical(m, p, "polatis", c.radix); err == nil {
			t.Error("a transceiver of 801 Gbps was billed")
		}
	}
}

// Sums carry ranges, and more expensive parts never make a sum cheaper: every end of the sum
// grows with every end of a figure.
func TestRangesCarryThroughToSums(t *testing.T) {
	p, err := layout.Rails().Plug(32, 2)
	if err != nil {
		t.Fatal(err)
	}
	m := parts.Machine{Nodes: 32, Ports: 2, Bandwidth: 100 * units.Gbps}
	bill := func(own *parts.Catalogue) *parts.Bill {
		all, err := parts.With(own)
		if err != nil {
			t.Fatal(err)
		}
		b, err := all.Optical(m, p, "palomar", 64)
		if err != nil {
			t.Fatal(err)
		}
		var cost, power parts.Range
		for _, l := range b.Lines {
			cost, power = cost.Plus(l.CostUSD), power.Plus(l.PowerW)
		}
		if cost != b.CostUSD || power != b.PowerW || cost.Low > cost.Likely || cost.Likely > cost.High {
			t.Errorf("%+v", b)
		}
		return b
	}
	last := bill(nil)
	for _, price := range []string{"900 USD/port", "900..950..1000 USD/port", "1000..2000..9000 USD/port"} {
		q, err := parts.ParseQuantity(price)
		if err != nil {
			t.Fatal(err)
		}
		next := bill(&parts.Catalogue{Switches: map[string]parts.Part{"palomar": {Price: q}}})
		if next.CostUSD.Low < last.CostUSD.Low || next.CostUSD.Likely < last.CostUSD.Likely || next.CostUSD.High < last.CostUSD.High || next.PowerW != last.PowerW {
			t.Errorf("%s: %+v after %+v", price, next, last)
		}
		last = next
	}
	// 108 W by the piece, not by the port.
	if got := last.Lines[0].PowerW.Likely; got != 2*108 {
		t.Errorf("two switches draw %v W", got)
	}
}

func TestCardsOfAGPU(t *testing.T) {
	for _, c := range [][4]int{{400, 400, 3, 3}, {400, 200, 3, 2}, {400, 100, 8, 2}, {400, 800, 2, 4}, {100, 250, 1, 3}, {400, 300, 4, 4}, {400, 400, 0, 0}} {
		if got := parts.Cards(units.Bandwidth(c[0])*units.Gbps, units.Bandwidth(c[1])*units.Gbps, c[2]); got != c[3] {
			t.Errorf("%d ports of %d on cards of %d: %d, want %d", c[2], c[1], c[0], got, c[3])
		}
	}
}

// The stages of a link are the largest number of switches whose added losses stay within the
// budget.
func TestStagesStayWithinTheBudget(t *testing.T) {
	for _, budget := range []float64{0, 0.3, 1, 4, 6.3, 10} {
		for _, loss := range []float64{0, 0.5, 1.5, 2, 9} {
			for _, fibre := range []float64{0, 0.25, 0.5} {
				exactly := func(x float64) parts.Quantity { return parts.Quantity{Range: parts.Exactly(x), Unit: parts.Decibels} }
				all, err := parts.With(&parts.Catalogue{
					Switches: map[string]parts.Part{"polatis": {Loss: exactly(loss)}}, Fibres: map[string]parts.Part{"single-mode": {Loss: exactly(fibre)}},
					Transceivers: map[string]parts.Part{"400G-FR4": {Budget: exactly(budget)}},
				})
				if err != nil {
					t.Fatal(err)
				}
				l, err := all.Light(400*units.Gbps, "polatis")
				if err != nil {
					t.Fatal(err)
				}
				want := 0
				for lost := fibre; want < 1000 && lost+loss+fibre <= budget+1e-9; want++ {
					lost += loss + fibre
				}
				if s := l.Stages; s.Low != want || s.Likely != want || s.High != want {
					t.Errorf("%v dB for switches of %v and fibres of %v: %+v, want %d", budget, loss, fibre, s, want)
				}
			}
		}
	}
	for _, name := range parts.Standard().Technologies() {
		l, err := parts.Standard().Light(400*units.Gbps, name)
		if err != nil || l.Stages.Low > l.Stages.Likely || l.Stages.Likely > l.Stages.High {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
	if _, err := parts.Standard().Light(units.Gbps, "x"); err == nil {
		t.Error("an unknown technology")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(mine))
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		f.Add([]byte(hostile[name][0]))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		own, err := parts.Read("mine.yaml", data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than one line: %q", err)
			}
			return
		}
		all, err := parts.With(own)
		if err != nil {
			t.Fatalf("read, and then refused: %v", err)
		}
		for kind, some := range kinds(all) {
			for name, p := range some {
				for _, q := range []parts.Quantity{p.Price, p.Power, p.Loss, p.Budget} {
					if !(q.Low >= 0 && q.Low <= q.Likely && q.Likely <= q.High && q.High <= 1e12) {
						t.Fatalf("%s.%s: %v", kind, name, q)
					}
					again, err := parts.ParseQuantity(q.String())
					if !q.IsZero() && (err != nil || again != q) {
						t.Fatalf("%v is read as %v, %v", q, again, err)
					}
				}
			}
		}
		text, err := json.Marshal(own)
		if err != nil {
			t.Fatal(err)
		}
		var back parts.Catalogue
		if err := json.Unmarshal(text, &back); err != nil || fmt.Sprint(back) != fmt.Sprint(*own) {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

// The bill of every fabric with islands includes the parts that join the GPUs of islands, in the
// number that their size and rate require.
func TestIslandsAreOnTheBill(t *testing.T) {
	c := parts.Standard()
	for _, x := range []struct {
		size, rate, count, ports int
		part                     string
	}{
		{1, 3600, 0, 0, ""}, {8, 3600, 16, 8, "nvlink-8"}, {8, 7200, 16, 8, "nvlink-72"}, {64, 7200, 2, 64, "nvlink-72"}, {128, 7200, 2, 72, "nvlink-72"},
	} {
		m := parts.Machine{Nodes: 128, Ports: 1, Bandwidth: 400 * units.Gbps, Island: x.size, IslandBandwidth: units.Bandwidth(x.rate) * units.Gbps}
		p, err := layout.Rails().Plug(m.Nodes, m.Ports)
		if err != nil {
			t.Fatal(err)
		}
		optical, err := c.Optical(m, p, "calient", 128)
		if err != nil {
			t.Fatal(err)
		}
		packets, _, err := c.Electrical(m, parts.FatTree)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range []*parts.Bill{optical, packets} {
			if got := b.Count(parts.Islands); got != x.count {
				t.Errorf("islands of %d at %d Gbps: %d parts; want %d", x.size, x.rate, got, x.count)
			}
			for _, l := range b.Lines {
				if want := c.Islands[x.part].Price.Likely * float64(x.ports*x.count); l.Kind == parts.Islands && (l.Part != x.part || math.Abs(l.CostUSD.Likely-want) > 1e-6) {
					t.Errorf("islands of %d at %d Gbps: %+v; want %s for %v", x.size, x.rate, l, x.part, want)
				}
			}
		}
	}
}

// The twin multiplies the shares of all parts, one by one.
func TestABillWorksWhileAllItsPartsDo(t *testing.T) {
	c := parts.Standard()
	m := parts.Machine{Nodes: 16, Ports: 2, Bandwidth: 400 * units.Gbps, Island: 8, IslandBandwidth: 3600 * units.Gbps}
	p, err := layout.Rails().Plug(m.Nodes, m.Ports)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Optical(m, p, "calient", 16)
	if err != nil {
		t.Fatal(err)
	}
	want := 1.0
	one := func(failures parts.Quantity, repair parts.Quantity, count int) {
		for range count {
			want *= 1 / (1 + failures.PerHour().Likely*repair.Likely)
		}
	}
	ocs := c.Switches["calient"]
	one(ocs.Failures, ocs.Repair, 2)
	one(ocs.PortFailures, ocs.Repair, 32)
	one(c.Transceivers["400G-FR4"].Failures, c.Transceivers["400G-FR4"].Repair, 32)
	one(c.Fibres["single-mode"].Failures, c.Fibres["single-mode"].Repair, 64)
	one(c.NICs["400G"].Failures, c.NICs["400G"].Repair, 32)
	one(c.Islands["nvlink-8"].Failures, c.Islands["nvlink-8"].Repair, 2)
	got := c.Up(b.Lines)
	if math.Abs(got.Likely-want) > 1e-12 || !(0 < got.Low && got.Low < got.Likely && got.Likely < got.High && got.High < 1) {
		t.Errorf("%+v; want %v", got, want)
	}
}

// Stages are written like ranges: as one number if they are certain.
func TestStagesAreWrittenAsRanges(t *testing.T) {
	for want, s := range map[string]parts.Stages{"0": {}, "1..2..3": {Low: 1, Likely: 2, High: 3}, "1..1..2": {Low: 1, Likely: 1, High: 2}, "1000": {Low: 1000, Likely: 1000, High: 1000}} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

package fabric_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

func uneven(t *testing.T, links string) fabric.Fabric {
	t.Helper()
	f := fabric.Default()
	f.Nodes = 4
	if err := f.Set("links", links); err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCircuitsOfTheBaseMayDiffer(t *testing.T) {
	f := uneven(t, "0>1:400Gbps+2us,1>2:+0ns,3>0:1Tbps")
	c := f.Circuits()
	for _, want := range []struct {
		from, to  int
		bandwidth units.Bandwidth
		delay     units.Duration
	}{
		{0, 1, 400 * units.Gbps, 2 * units.Microsecond},
		{1, 2, 800 * units.Gbps, 0},
		{2, 3, 800 * units.Gbps, 500 * units.Nanosecond},
		{3, 0, 1000 * units.Gbps, 500 * units.Nanosecond},
		{1, 0, 800 * units.Gbps, 500 * units.Nanosecond},
	} {
		if b, d := c.Of(want.from, want.to); b != want.bandwidth || d != want.delay {
			t.Errorf("%d>%d: %v and %v", want.from, want.to, b, d)
		}
	}
	if best := f.Ideal(); best.Bandwidth != 1000*units.Gbps || best.Delta != 0 || !best.Links.IsZero() {
		t.Errorf("the best circuits have %v and %v, links %q", best.Bandwidth, best.Delta, best.Links)
	}
	w := c.On(topology.DirectedCirculant(4, 1))
	if w.Unit != 200*units.Gbps || w.Shares.Count(0, 1) != 2 || w.Shares.Count(1, 2) != 4 || w.Shares.Count(3, 0) != 5 {
		t.Errorf("%v, shares %d, %d, %d", w.Unit, w.Shares.Count(0, 1), w.Shares.Count(1, 2), w.Shares.Count(3, 0))
	}
	if w.Least != 0 || w.Most != 2*units.Microsecond || w.Flight([]int32{0, 1, 2, 3}) != 2500 {
		t.Errorf("delays from %v to %v, 0 to 3 in %v", w.Least, w.Most, w.Flight([]int32{0, 1, 2, 3}))
	}
	if c.Differ(topology.DirectedCirculant(4, 2)) || !c.Differ(topology.DirectedCirculant(4, 1, 2)) {
		t.Error("which topology holds a circuit that differs")
	}
	rotations := topology.Translations{Dims: []int{4}, Stride: []int{1}}
	if rotations.Invariant(w.Kinds) {
		t.Error("rotations are no symmetry of circuits that differ")
	}
	if same := uneven(t, "0>1:400Gbps,1>2:400Gbps,2>3:400Gbps,3>0:400Gbps"); !rotations.Invariant(same.Circuits().On(topology.DirectedCirculant(4, 1)).Kinds) {
		t.Error("rotations are a symmetry of circuits that are alike")
	}
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var again fabric.Fabric
	if err := json.Unmarshal(data, &again); err != nil || !again.Equal(f) {
		t.Errorf("%v: written and read %+v", err, again)
	}
}

func TestLinksThatMakeNoSense(t *testing.T) {
	for _, test := range []struct{ links, want string }{
		{"0>1", "neither a bandwidth nor a delay; use a list of"},
		{"0>1:", "neither a bandwidth nor a delay"},
		{"0>1:fast", "fast"},
		{"0>1:0Gbps", "above 0"},
		{"0>1:+2", "unit"},
		{"0>1:+-2us", "-2us"},
		{"0:400Gbps", `"" is not a GPU`},
		{"0>0:400Gbps", "to itself"},
		{"-1>0:400Gbps", `"-1" is not a GPU in 0..`},
		{"0>1:400Gbps,0-1:+1us", "from 0 to 1 are listed twice"},
		{",", `",": the list has an empty entry; use a list of`},
		{"0>1:400Gbps,", "the list has an empty entry"},
		{"0-->1:400Gbps", `"0-" is not a GPU`},
		{"0>>1:400Gbps", `">1" is not a GPU`},
		{"0>-1:400Gbps", `"-1" is not a GPU`},
		{"0>9:400Gbps", `"9" is not a GPU in 0..3`},
		{"1>0:400Gbps", "has no circuit from 1 to 0"},
		{"0>1:399999999999bps", "have only"},
	} {
		f := fabric.Default()
		f.Nodes = 4
		err := f.Set("links", test.links)
		if err == nil {
			err = f.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", test.links, err, test.want)
		}
	}
}

// In settings and in files, "0>1" and "0->1" both mean one direction, which is printed as "0>1".
func TestBothArrowsAreOneWay(t *testing.T) {
	f := uneven(t, "0->1:400Gbps+2us,1>2:+1us")
	if f.Links.String() != "0>1:400Gbps+2us,1>2:+1us" {
		t.Errorf("links are %q", f.Links)
	}
	if err := f.Set("avoid", "link:2->3,gpu:0"); err != nil || f.Avoid.String() != "link:2>3,gpu:0" {
		t.Errorf("avoid is %q, %v", f.Avoid, err)
	}
	if links := f.Avoid.Links(); len(links) != 1 || links[0] != [2]int{2, 3} || !f.Avoid.Link(2, 3) {
		t.Errorf("%v are avoided", links)
	}
	var read fabric.Fabric
	if err := read.UnmarshalJSON([]byte(`{"nodes": 4, "avoid": "link:2->3", "links": "0->1:400Gbps"}`)); err != nil || read.Avoid.String() != "link:2>3" || read.Links.String() != "0>1:400Gbps" {
		t.Errorf("read avoid %q and links %q, %v", read.Avoid, read.Links, err)
	}
	for text, want := range map[string]string{
		"link:2-->3": `"2-" is not a GPU`, "link:2>>3": `">3" is not a GPU`, ",": "empty entry", "gpu:1,": "empty entry",
	} {
		if err := f.Set("avoid", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzLinks: accepted links are the same after writing and reading, and no text causes a panic
// or an error of several lines.
func FuzzLinks(f *testing.F) {
	for _, text := range []string{"0>1:400Gbps+2us", "0-1:+1us,2>3:1Tbps", "0->1:400Gbps", "none", "", "0>1", ">:+", "0>1:+", "9>1:1bps", "0-1:+0ps,1>0:1bps"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		made := fabric.Default()
		made.Nodes, made.Ports = 4, 2
		err := made.Set("links", text)
		if err == nil {
			err = made.Validate()
		}
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%q: %q", text, err)
			}
			return
		}
		c := made.Circuits()
		if c == nil {
			return
		}
		var links []fabric.Link
		base, _ := made.BaseTopology()
		for e := range base.Edges() {
			b, d := c.Of(e.From, e.To)
			links = append(links, fabric.Link{From: e.From, To: e.To, Bandwidth: b, Delay: d, Delayed: true})
		}
		again := made
		if err := again.Set("links", fabric.LinksOf(links...).String()); err != nil {
			t.Fatalf("%q: %v", fabric.LinksOf(links...).String(), err)
		}
		for e := range base.Edges() {
			b, d := c.Of(e.From, e.To)
			if b2, d2 := again.Circuits().Of(e.From, e.To); b != b2 || d != d2 {
				t.Errorf("%q: %d>%d is %v and %v, written and read %v and %v", text, e.From, e.To, b, d, b2, d2)
			}
		}
	})
}

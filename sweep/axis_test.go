package sweep_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sweep"
)

func TestParseAxis(t *testing.T) {
	for _, c := range []struct {
		name, text string
		points     int
		want       string
	}{
		{"size", "1KiB..1GiB", 0, "1KiB 2KiB 4KiB 8KiB 16KiB 32KiB 64KiB 128KiB 256KiB 512KiB 1MiB 2MiB 4MiB 8MiB 16MiB 32MiB 64MiB 128MiB 256MiB 512MiB 1GiB"},
		{"reconfig", "10ns..10us", 0, "10ns 21.5ns 46.4ns 100ns 215ns 464ns 1us 2.15us 4.64us 10us"},
		{"reconfig", "10ns..10us/4", 9, "10ns 100ns 1us 10us"},
		{"reconfig", "1us..10us", 2, "1us 10us"},
		{"reconfig", "0ns..1us+400ns", 0, "0ns 400ns 800ns 1us"},
		{"reconfig", "per-port:1us+20ns,5us", 0, "per-port:1us+20ns 5us"},
		{"ports", "1,2,4", 0, "1 2 4"},
		{"ports", "1..4", 0, "1 2 3 4"},
		{"nodes", "64..256,1000", 0, "64 128 256 1000"},
		{"nodes", "2..4/9", 0, "2 3 4"},
		{"bandwidth", "100Gbps..800Gbps", 0, "100Gbps 200Gbps 400Gbps 800Gbps"},
		{"base", "Torus(8,8),C(64;1,8)", 0, "Torus(8,8) C(64;1,8)"},
		{"algorithm", "ring,swing:8x8", 0, "ring swing:8x8"},
	} {
		a, err := sweep.ParseAxis(c.name, c.text, c.points)
		if got := strings.Join(a.Values, " "); err != nil || got != c.want {
			t.Errorf("%s %s: %q, %v; want %q", c.name, c.text, got, err, c.want)
		}
	}
	for _, c := range [][2]string{
		{"size", ""}, {"size", "1KiB,"}, {"size", "1"}, {"size", "1KiB..1KiB"}, {"size", "2KiB..1KiB"}, {"size", "1KiB,1KiB"}, {"size", "1KiB..2KiB/1"},
		{"size", "1KiB..2KiB/x"}, {"size", "1KiB..2KiB/3+1B"}, {"size", "0B..1GiB"}, {"reconfig", "0ns..1us+0ns"}, {"reconfig", "0ns..1s+1ps"},
		{"ports", "a..b"}, {"ports", "-1"}, {"colour", "red"}, {"nodes", "1.5"},
	} {
		if a, err := sweep.ParseAxis(c[0], c[1], 0); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %q: %v, %v", c[0], c[1], a.Values, err)
		}
	}
}

func FuzzParseAxis(f *testing.F) {
	f.Add("size", "1KiB..1GiB/3")
	f.Add("reconfig", "0ns..1us+100ns,per-port:1us+2ns")
	f.Add("base", "Torus(8,8),(")
	f.Fuzz(func(t *testing.T, name, text string) {
		a, err := sweep.ParseAxis(name, text, 5)
		if err != nil {
			return
		}
		// Writing an axis gives the text that was read.
		for _, v := range a.Values {
			if b, err := sweep.ParseAxis(name, v, 5); err != nil || !slices.Equal(b.Values, []string{v}) {
				t.Errorf("%q became %v, %v", v, b.Values, err)
			}
		}
	})
}

func TestSpecRefusesWhatMakesNoSense(t *testing.T) {
	axis := func(name string, values ...string) sweep.Axis { return sweep.Axis{Name: name, Values: values} }
	whole := []sweep.Axis{axis("op", "allreduce"), axis("algorithm", "ring"), axis("planner", "static"), axis("size", "1KiB")}
	if _, err := sweep.NewSpec(fabric.Default(), whole, 0, ""); err != nil {
		t.Fatal(err)
	}
	for name, axes := range map[string][]sweep.Axis{
		"no size":    whole[:3],
		"empty":      append(slices.Clone(whole), axis("ports")),
		"unknown":    append(slices.Clone(whole), axis("colour", "red")),
		"twice":      append(slices.Clone(whole), axis("size", "2KiB")),
		"bad op":     append(slices.Clone(whole[1:]), axis("op", "shuffle")),
		"zero size":  append(slices.Clone(whole[:3]), axis("size", "0B")),
		"bad value":  append(slices.Clone(whole), axis("ports", "0")),
		"bad switch": append(slices.Clone(whole), axis("duplex", "perhaps")),
	} {
		if _, err := sweep.NewSpec(fabric.Default(), axes, 0, ""); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestParseShard(t *testing.T) {
	if s, err := sweep.ParseShard("3/8"); err != nil || s != (sweep.Shard{Index: 3, Count: 8}) || s.String() != "3/8" {
		t.Errorf("%v, %v", s, err)
	}
	for _, text := range []string{"", "0/8", "9/8", "1", "a/b", "1/2x", "-1/2"} {
		if s, err := sweep.ParseShard(text); err == nil {
			t.Errorf("%q: %v", text, s)
		}
	}
}

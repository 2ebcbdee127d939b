package fabric_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
)

func withSettings(t *testing.T, text string) fabric.Fabric {
	t.Helper()
	f := fabric.Default()
	for setting := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(setting, "=")
		if err := f.Set(name, value); err != nil {
			t.Fatalf("%s: %v", setting, err)
		}
	}
	return f
}

// TestSparesArePutInPlace: spares repair as many failures as there are spares; the rest remain.
func TestSparesArePutInPlace(t *testing.T) {
	for _, c := range []struct {
		settings, inPlace string
		alive             int
		lost              int // ports of GPU 3
	}{
		{"nodes=8 ports=2 switches=rails spares=1 avoid=port:3,port:3", "spare port 0 of switch 1 in place of port:3; spare port 0 of switch 0 in place of port:3", 8, 0},
		{"nodes=8 ports=2 switches=rails spares=1 avoid=port:3.1,port:4", "spare port 0 of switch 1 in place of port:3.1", 8, 0},
		{"nodes=8 ports=2 switches=rails spares=1 avoid=port:4,port:3.1", "spare port 0 of switch 1 in place of port:4", 8, 1},
		{"nodes=8 ports=2 switches=rails spares=1 avoid=switch:1,port:3", "", 8, 1},
		{"nodes=8 ports=2 spares=2 avoid=port:3,port:4", "spare port 0 of switch 0 in place of port:3; spare port 1 of switch 0 in place of port:4", 8, 0},
		{"nodes=8 spares=gpus:2 avoid=gpu:3", "spare 6 in place of 3 (gpu:3)", 6, 0},
		{"nodes=8 spares=gpus:1 avoid=gpu:3,gpu:4", "spare 7 in place of 3 (gpu:3)", 6, 0},
		{"nodes=8 spares=gpus:2", "", 6, 0},
		{"nodes=16 island=4 island-bandwidth=7200Gbps spares=islands:1 avoid=island:1,port:5", "spare 3 in place of 1 (island:1); spare 3 in place of 1 (port:5)", 12, 0},
		{"nodes=16 island=4 island-bandwidth=7200Gbps spares=islands:1 avoid=gpu:1,gpu:2,gpu:9", "spare 3 in place of 0 (gpu:1); spare 3 in place of 0 (gpu:2)", 11, 0},
		{"nodes=16 island=4 island-bandwidth=7200Gbps spares=islands:1 avoid=gpu:1,gpu:13", "", 11, 0},
	} {
		f := withSettings(t, c.settings)
		for range 2 { // once more changes nothing
			if err := f.Validate(); err != nil {
				t.Fatalf("%s: %v", c.settings, err)
			}
		}
		var texts []string
		for _, r := range f.InPlace() {
			texts = append(texts, r.String())
		}
		alive := f.Alive()
		count := f.Nodes
		if alive != nil {
			count = len(alive)
		}
		if got := strings.Join(texts, "; "); got != c.inPlace || count != c.alive || f.Avoid.Ports(3) != c.lost && !f.Avoid.Switch(1) {
			t.Errorf("%s: %s, %d GPUs, GPU 3 without %d ports; want %s, %d, %d", c.settings, got, count, f.Avoid.Ports(3), c.inPlace, c.alive, c.lost)
		}
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		again, err := fabric.Decode(data, fabric.Known{})
		if err != nil || !again.Avoid.Equal(f.Avoid) || again.Spares != f.Spares || fmt.Sprint(again.Alive()) != fmt.Sprint(alive) {
			t.Errorf("%s: written and read it is %+v: %v", c.settings, again, err)
		}
	}
}

// TestWrongSparesAreRefused: spares that do not exist, are used twice, or are not those in place
// are refused.
func TestWrongSparesAreRefused(t *testing.T) {
	for settings, want := range map[string]string{
		"nodes=8 spares=gpus:7":                           "leave fewer than 2",
		"nodes=8 ports=2 switches=rails radix=9 spares=2": "2 ports beside the 8",
	} {
		f := withSettings(t, settings)
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", settings, err)
		}
	}
	f := fabric.Default()
	for _, text := range []string{"-1", "0", "1,2", "islands:1,gpus:1", "gpus:islands:1", "x", "1,", "99999999999"} {
		if err := f.Set("spares", text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	g := withSettings(t, "nodes=8 ports=2 switches=rails spares=2 avoid=port:3.0,port:4.0")
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	for old, other := range map[string]string{
		`"switch":0,"port":1`: `"switch":0,"port":0`, // twice
		`"failed":"port:4.0"`: `"failed":"port:5.0"`,
	} {
		mutant := strings.Replace(string(data), old, other, 1)
		if _, err := fabric.Decode([]byte(mutant), fabric.Known{}); mutant == string(data) || err == nil || !strings.Contains(err.Error(), "in_place") {
			t.Errorf("%s for %s: %v", other, old, err)
		}
	}
}

package fabric_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
)

// A fabric is described by what differs from the usual and by what always counts.
func TestPhrasesOfSettings(t *testing.T) {
	var names []string
	for _, s := range fabric.Settings() {
		names = append(names, s.Name)
	}
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 1
	always := []string{"8 GPUs", "1 port", "800Gbps per port", "alpha 500ns", "delta 500ns", "reconfiguration 10us"}
	if got := f.Phrases(names...); !slices.Equal(got, always) {
		t.Errorf("%q, want %q", got, always)
	}
	for name, c := range map[string]struct{ value, phrase string }{
		"gamma": {"400us/GiB", "gamma 400us/GiB"}, "charge": {"steps", "charge steps"}, "sync": {"4us", "barrier 4us"}, "duplex": {"true", "duplex"},
		"overlap": {"ports", "overlap ports"}, "forwarding": {"store-and-forward", "store-and-forward"}, "initial": {"dark", "initially dark"},
		"base": {"K(8)", "base K(8)"}, "avoid": {"gpu:5", "avoid gpu:5"}, "island": {"4", "islands of 4"}, "fixed": {"Ring(4)", "fixed links Ring(4) at 800Gbps"},
		"switches": {"2x4", "switches 2x4"}, "theta": {"1", "theta at most 1"}, "links": {"0>1:400Gbps", "1 link of the base with its own bandwidth or delay"},
	} {
		changed := f
		if err := changed.Set(name, c.value); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := changed.Phrases(names...)
		got = slices.DeleteFunc(got, func(p string) bool { return slices.Contains(always, p) })
		if len(got) != 1 || !strings.HasPrefix(got[0], c.phrase) {
			t.Errorf("%s: %q, want %q", name, got, c.phrase)
		}
	}
	if got := f.Phrases("sync", "ports", "alpha"); !slices.Equal(got, []string{"1 port", "alpha 500ns"}) {
		t.Errorf("%q", got)
	}
}

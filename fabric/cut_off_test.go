package fabric

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// A link joins two different GPUs: a link from a GPU to itself is a typing error and is refused.
func TestALinkToItselfCannotFail(t *testing.T) {
	for _, avoid := range []string{"link:3-3", "link:3>3", "gpu:1,link:3->3"} {
		f := Default()
		err := f.Set("avoid", avoid)
		if err == nil {
			err = f.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), "both ends are GPU 3; use") || strings.Contains(err.Error(), "\n") {
			t.Errorf("avoid %s: %v", avoid, err)
		}
	}
}

// A GPU is cut off if no circuit to it, or no circuit from it, fits. CutOff reports this for all
// GPUs that take part.
func TestAGPUIsShutOffWhereNoCircuitFits(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 3))
	shut := map[string]int{}
	for range 300 {
		f := Default()
		f.Nodes, f.Ports, f.Duplex = 2+rng.IntN(3), 1+rng.IntN(2), rng.IntN(2) == 0
		var avoid []string
		for range 1 + rng.IntN(4) {
			u := rng.IntN(f.Nodes)
			v := (u + 1 + rng.IntN(f.Nodes-1)) % f.Nodes
			avoid = append(avoid, [...]string{
				fmt.Sprintf("port:%d", u), fmt.Sprintf("link:%d-%d", u, v), fmt.Sprintf("link:%d>%d", u, v), fmt.Sprintf("gpu:%d", u),
			}[rng.IntN(4)])
		}
		if err := f.Set("avoid", strings.Join(avoid, ",")); err != nil {
			t.Fatal(err)
		}
		if f.Validate() != nil {
			continue
		}
		fits := func(u, v int) bool {
			edges := []topology.Edge{{From: u, To: v, Count: 1}}
			if f.Duplex {
				edges = append(edges, topology.Edge{From: v, To: u, Count: 1})
			}
			return f.Fits(topology.New(f.Nodes, "one", edges)) == nil
		}
		var members []int
		oneWay, noWay := false, false
		for u := range f.Nodes {
			members = append(members, u)
			if f.Avoid.GPU(u) {
				continue
			}
			in, out := false, false
			for v := range f.Nodes {
				in, out = in || v != u && fits(v, u), out || v != u && fits(u, v)
			}
			oneWay, noWay = oneWay || !in || !out, noWay || !in && !out
		}
		if f.Shut(members, false) != oneWay || f.Shut(members, true) != noWay || (f.CutOff(nil, nil) != "") != oneWay {
			t.Errorf("%d GPUs, %d ports, duplex %v, avoid %s: shut %v and %v, want %v and %v; %q", f.Nodes, f.Ports, f.Duplex, f.Avoid,
				f.Shut(members, false), f.Shut(members, true), oneWay, noWay, f.CutOff(nil, nil))
		}
		for u := range f.Nodes {
			for need := range 4 {
				to, from := need&1 != 0, need&2 != 0
				in, out := false, false
				for v := range f.Nodes {
					in, out = in || v != u && fits(v, u), out || v != u && fits(u, v)
				}
				got := f.CutOff([]int{u}, func(int) (bool, bool) { return to, from })
				noPort := f.portsOf(u) == 0
				if want := !f.Avoid.GPU(u) && (noPort || to && !in || from && !out); (got != "") != want ||
					want && !noPort && strings.Contains(got, "lead to") != (to && !in) {
					t.Errorf("%d GPUs, avoid %s, circuits to GPU %d needed %v, from it %v: %q", f.Nodes, f.Avoid, u, to, from, got)
				}
			}
		}
		shut[fmt.Sprint(oneWay, noWay)]++
	}
	if len(shut) < 3 {
		t.Errorf("not all kinds were drawn: %v", shut)
	}
}

// A port is written in one way and read in two.
func TestPortsAreReadWithAPointOrASlash(t *testing.T) {
	for _, text := range []string{"port:2.1", "port:2/1"} {
		failed, err := ParseFailures(text)
		if err != nil || failed.String() != "port:2.1" {
			t.Errorf("%s: %v, %v", text, failed, err)
		}
	}
	for _, text := range []string{"port:2/", "port:/1", "port:2/1/1", "port:2.1/1", "port:2//1"} {
		if failed, err := ParseFailures(text); err == nil {
			t.Errorf("%s is %v", text, failed)
		}
	}
}

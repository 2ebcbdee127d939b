package placing_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// TestPlaceAgainstAllSlices: if all slices are examined, no slice has a faster plan than the
// chosen one, whose time is that of its plan.
func TestPlaceAgainstAllSlices(t *testing.T) {
	t.Parallel()
	type slice struct {
		settings string
		op       collective.Op
		need     int
	}
	for _, c := range samples.Few(2, []slice{
		{"nodes=7 ports=2 held=0.1,3.0,5", collective.AllReduce, 3},
		{"nodes=8 ports=1 island=4 island-bandwidth=7200Gbps held=0,5", collective.AllGather, 4},
		{"nodes=9 ports=2 switches=3x3 held=4,8", collective.AllReduce, 4},
		{"nodes=8 ports=1 island=2 island-bandwidth=1600Gbps avoid=island:1 held=7", collective.AllToAll, 4},
		// Plans that make use of the rest of the fabric, such as repaired ones, are faster.
		{"nodes=8 ports=1 island=2 island-bandwidth=1600Gbps held=5,6,7", collective.Scatter, 3},
		{"nodes=8 ports=1 fixed=K(4) held=5,6", collective.Broadcast, 2},
		{"nodes=6 ports=1 fixed=K(3) avoid=gpu:4", collective.AllGather, 3},
		{"nodes=6 ports=1 island=3 island-bandwidth=1600Gbps", collective.Scatter, 3},
		{"nodes=6 ports=2 avoid=gpu:3,port:5", collective.AllToAll, 3},
		{"nodes=9 ports=2 switches=3x3", collective.Gather, 2},
	}) {
		f := fabric.Default()
		for setting := range strings.FieldsSeq(c.settings) {
			name, value, _ := strings.Cut(setting, "=")
			if err := f.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		o := lightpath.Operation{Op: c.op, Size: units.MiB}
		a, err := lightpath.Place(t.Context(), lightpath.PlaceRequest{Fabric: f, Operation: o, NodesNeeded: c.need})
		if err != nil {
			t.Fatalf("%s: %v", c.settings, err)
		}
		least, at := units.Time(0), []int(nil)
		for _, gpus := range subsets(f, c.need) {
			o.GPUs = gpus
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}}, lightpath.WithoutBaselines())
			if err != nil {
				continue // the layout does not connect them
			}
			if fmt.Sprint(gpus) == fmt.Sprint(a.GPUs) && p.Cost.Total() != a.TotalNs {
				t.Errorf("%s: %v takes %v, its plan %v", c.settings, gpus, a.TotalNs, p.Cost.Total())
			}
			if at == nil || p.Cost.Total() < least {
				least, at = p.Cost.Total(), gpus
			}
		}
		if a.TotalNs != least {
			t.Errorf("%s: %v takes %v, but %v takes %v", c.settings, a.GPUs, a.TotalNs, at, least)
		}
		if a.BoundNs > a.TotalNs || !strings.HasPrefix(a.Among, "all ") {
			t.Errorf("%s: bound %v, total %v, among %s", c.settings, a.BoundNs, a.TotalNs, a.Among)
		}
	}
}

// subsets lists the slices of the given number of free GPUs.
func subsets(f fabric.Fabric, count int) [][]int {
	var all [][]int
	for mask := range 1 << f.Nodes {
		var gpus []int
		for u := range f.Nodes {
			if mask>>u&1 == 1 && !f.Avoid.GPU(u) {
				gpus = append(gpus, u)
			} else if mask>>u&1 == 1 {
				gpus = nil
				break
			}
		}
		if len(gpus) == count {
			all = append(all, gpus)
		}
	}
	return all
}

// TestPlacedGPUsAreFree: whatever others hold, the slice has the requested number of GPUs, none
// of them held or failed. If all slices are examined, holding more GPUs never makes the result
// faster.
func TestPlacedGPUsAreFree(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 1))
	for range samples.Draws(2, 3) {
		f := fabric.Default()
		f.Nodes, f.Ports = 6, 2
		if random.IntN(2) == 0 {
			f.Island = fabric.Island{Size: 3, Bandwidth: 7200 * units.Gbps}
		}
		last := units.Time(0)
		held := ""
		for k := range 3 {
			if k > 0 {
				held = strings.TrimPrefix(fmt.Sprintf("%s,%d", held, random.IntN(6)), ",")
			}
			if err := f.Set("held", held); err != nil {
				t.Fatal(err)
			}
			a, err := lightpath.Place(t.Context(), lightpath.PlaceRequest{Fabric: f, NodesNeeded: 3})
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range a.GPUs {
				if f.Avoid.GPU(u) {
					t.Errorf("held %s: GPU %d is placed", held, u)
				}
			}
			if len(a.GPUs) != 3 || a.TotalNs < last {
				t.Errorf("held %s: %v takes %v, with less held %v", held, a.GPUs, a.TotalNs, last)
			}
			last = a.TotalNs
		}
	}
}

// TestAJobGetsWholeBlocks: if a block of fixed links is free, a job that needs one gets it, and
// takes the time of a fabric that is only that block, even with failures elsewhere. A job can
// also get a part of a block.
func TestAJobGetsWholeBlocks(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	for setting := range strings.FieldsSeq("nodes=24 ports=3 duplex=true fixed=Mesh(2,2,2) switches=cubes:2x2x2 held=0-3 avoid=gpu:17") {
		name, value, _ := strings.Cut(setting, "=")
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	o := lightpath.Operation{Op: collective.AllReduce, Size: units.MiB}
	a, err := lightpath.Place(t.Context(), lightpath.PlaceRequest{Fabric: f, Operation: o, NodesNeeded: 8})
	if err != nil {
		t.Fatal(err)
	}
	alone := fabric.Default()
	for _, setting := range []string{"nodes=8", "ports=3", "duplex=true", "fixed=Mesh(2,2,2)", "switches=cubes:2x2x2"} {
		name, value, _ := strings.Cut(setting, "=")
		if err := alone.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: alone, Operations: []lightpath.Operation{o}}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(a.GPUs) != "[8 9 10 11 12 13 14 15]" || a.TotalNs != p.Cost.Total() {
		t.Errorf("%v takes %v, a block alone %v", a.GPUs, a.TotalNs, p.Cost.Total())
	}
	if a, err := lightpath.Place(t.Context(), lightpath.PlaceRequest{Fabric: f, Operation: o, NodesNeeded: 4}); err != nil || len(a.GPUs) != 4 {
		t.Errorf("a part of a block: %+v, %v", a, err)
	}
}

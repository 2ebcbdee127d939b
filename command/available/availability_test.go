package available

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/availability"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/units"
)

// set makes a fabric of settings.
func set(t *testing.T, settings ...string) fabric.Fabric {
	t.Helper()
	f := fabric.Default()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// begun is a study before it plans.
func begun(t *testing.T, r AvailabilityRequest) *study {
	t.Helper()
	if err := r.Complete(); err != nil {
		t.Fatal(err)
	}
	s := &study{AvailabilityRequest: &r, e: command.NewRun(nil)}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	s.speeds.time = s.machine.pretend
	return s
}

// pretend returns a time that grows with failures. It depends on the GPU with the fewest ports,
// on the number of lost ports, and on which GPUs are lost.
func (m *machine) pretend(_ context.Context, lost []thing) (units.Time, error) {
	var failed []int
	left := map[int]int{}
	count := 0
	for _, t := range lost {
		if t.kind == switchLost {
			failed = append(failed, t.onSwitch)
		}
	}
	for u := range m.active {
		for port := range m.fabric.Ports {
			if s := m.plug.Switch(u, port); s >= 0 && !slices.Contains(failed, s) && !slices.Contains(lost, thing{portLost, u, port, s, -1}) && !slices.Contains(lost, thing{gpuLost, u, -1, -1, -1}) {
				left[u]++
				count++
			}
		}
	}
	least := m.fabric.Ports
	for u := range m.active {
		if !slices.Contains(lost, thing{gpuLost, u, -1, -1, -1}) {
			least = min(least, left[u])
		}
	}
	if least == 0 {
		return 0, nil
	}
	ports := m.active * m.fabric.Ports
	time := 1e6 / float64(least) * (1 + float64(ports-count)/float64(ports))
	for _, t := range lost {
		if t.kind == islandLost {
			time *= 1.5
		}
	}
	return units.Time(time), nil
}

// finished is the answer of a study.
func finished(t *testing.T, s *study) *Availability {
	t.Helper()
	a, err := s.answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The twin plans for every set of failed places, one by one, without symmetry, strata or bounds.
func TestSmallFabricsAreThoseOfEveryStatePlanned(t *testing.T) {
	for _, settings := range [][]string{
		{"nodes=3", "ports=1"}, {"nodes=3", "ports=2", "switches=rails"}, {"nodes=4", "ports=2", "switches=2x2", "spares=1"},
		{"nodes=4", "ports=1", "island=2", "island-bandwidth=3600Gbps"},
	} {
		// Parts that fail so often that many are missing at once.
		own, err := parts.Read("mine.yaml", []byte("switches:\n  polatis:\n    failures: 10 /year\n    port_failures: 20 /year\n    repair: 9 h\ntransceivers:\n  400G-FR4:\n    failures: 60 /year\n  800G-FR4:\n    failures: 60 /year\nnics:\n  400G:\n    failures: 0 /year\n"))
		if err != nil {
			t.Fatal(err)
		}
		f := set(t, append(settings, "bandwidth=400Gbps")...)
		for _, spares := range []int{0, 1} {
			r := AvailabilityRequest{Fabric: f, Technology: "polatis", Parts: own, Plans: 10_000, SpareSwitches: spares, NodesNeeded: f.Nodes - 1}
			s := begun(t, r)
			was := limits
			limits.Missing, limits.States, limits.Remainder = 4, 1<<30, 0
			a := finished(t, s)
			limits = was
			want := everyState(t, s, len(a.Cases) == 4)
			got := a.Cases[len(a.Cases)-1].Shares
			if want.SpeedLow < got.SpeedLow-1e-6 || want.SpeedLow > got.SpeedHigh+1e-6 || got.SpeedHigh-got.SpeedLow > 1e-3 || math.Abs(got.Full-want.Full) > 1e-6 ||
				want.Down < got.Down-1e-6 || want.Down > got.Down+got.Unknown+1e-6 || got.Sampled != 0 {
				t.Errorf("%v, %d spare switches: %+v; want %+v", settings, spares, got, want)
			}
			if math.Abs(want.Full-a.Cases[len(a.Cases)-2].Shares.SpeedLow) > 1e-6 {
				t.Errorf("%v: without replanning %+v", settings, a.Cases[len(a.Cases)-2].Shares)
			}
		}
	}
}

// everyState is the twin.
func everyState(t *testing.T, s *study, spares bool) availability.Shares {
	var sum availability.Shares
	scenario := s.scenario(likely, spares)
	m := s.machine
	whole, _ := m.pretend(t.Context(), nil)
	speed := func(found map[thing]bool) float64 { // with all GPUs that are left, or with fewer
		best := 0.0
		for drop := range 1 << m.active { // GPUs that one may leave out
			with := map[thing]bool{}
			for x := range found {
				with[x] = true
			}
			for u := range m.active {
				if drop>>u&1 == 1 {
					with[thing{gpuLost, u, -1, -1, -1}] = true
				}
			}
			lost := m.reduced(with)
			if len(lost) > 0 && lost[0].kind == tooFewLeft {
				continue
			}
			if taken, _ := m.pretend(t.Context(), lost); taken > 0 {
				best = max(best, min(1, float64(whole/taken))*float64(m.gpusLeft(lost))/float64(m.active))
			}
		}
		return best
	}
	known := map[string]float64{}
	var grow func(group, pool int, chance float64, found map[thing]bool)
	grow = func(group, pool int, chance float64, found map[thing]bool) {
		if chance < 1e-11 {
			return
		}
		if group == len(m.groups) {
			var texts []string
			for x := range found {
				texts = append(texts, fmt.Sprint(x))
			}
			slices.Sort(texts)
			key := strings.Join(texts, " ")
			v, ok := known[key]
			if !ok {
				v = speed(found)
				known[key] = v
			}
			sum.SpeedLow += chance * v
			switch {
			case v > 1-1e-9:
				sum.Full += chance
			case v == 0:
				sum.Down += chance
			}
			return
		}
		g := m.groups[group]
		if pool == g.Pools {
			grow(group+1, 0, chance, found)
			return
		}
		missing := availability.Missing(g.Each, scenario.Spares[group], scenario.Rates[group])
		for set := range 1 << g.Each {
			more := map[thing]bool{}
			for x := range found {
				more[x] = true
			}
			count := 0
			for k := range g.Each {
				if set>>k&1 == 1 {
					count++
					for _, x := range m.things[group][pool*g.Each+k] {
						more[x] = true
					}
				}
			}
			sets := 1.0
			for k := range count {
				sets = sets * float64(g.Each-k) / float64(k+1)
			}
			grow(group, pool+1, chance*missing[count]/sets, more)
		}
	}
	grow(0, 0, 1, map[thing]bool{})
	return sum
}

// A permutation of GPUs and ports that maps switches to switches and islands to islands maps
// states with the same key to one another. The twin tries all permutations.
func TestStatesWithTheSameKeyAreAlike(t *testing.T) {
	for _, settings := range [][]string{
		{"nodes=5", "ports=2", "switches=rails"}, {"nodes=6", "ports=2", "switches=2x3"}, {"nodes=6", "ports=3", "switches=2x3:1,2"},
		{"nodes=6", "ports=2", "switches=places:2", "island=2", "island-bandwidth=3600Gbps"}, {"nodes=6", "ports=1", "island=3", "island-bandwidth=3600Gbps"},
		{"nodes=6", "ports=2", "switches=3x2", "island=3", "island-bandwidth=3600Gbps"}, {"nodes=6", "ports=2", "switches=rails", "spares=gpus:1"},
	} {
		s := begun(t, AvailabilityRequest{Fabric: set(t, append(settings, "bandwidth=400Gbps")...), Technology: "polatis", GPUFailures: true, NodesNeeded: 2})
		m := s.machine
		states := map[string][]thing{}
		kinds, same := 0, 0
		moves := exchanges(m)
		var grow func(from availability.Place, places []availability.Place)
		grow = func(from availability.Place, places []availability.Place) {
			lost := m.lost(places)
			key := m.symmetry.key(lost)
			if first, ok := states[key]; !ok {
				states[key] = lost
				kinds++
			} else if !slices.ContainsFunc(moves, func(to func(thing) thing) bool {
				moved := make([]thing, len(lost))
				for i, x := range lost {
					moved[i] = to(x)
				}
				slices.SortFunc(moved, compare)
				return slices.Equal(moved, first)
			}) {
				t.Fatalf("%v: %v and %v are not alike, but have the key %s", settings, lost, first, key)
			} else {
				same++
			}
			if len(places) == 2 {
				return
			}
			for g := from.Group; g < len(m.groups); g++ {
				first := 0
				if g == from.Group {
					first = from.Number
				}
				for k := first; k < m.groups[g].Places(); k++ {
					grow(availability.Place{Group: g, Number: k + 1}, append(slices.Clone(places), availability.Place{Group: g, Number: k}))
				}
			}
		}
		grow(availability.Place{}, nil)
		if kinds*3 > same {
			t.Errorf("%v: %d kinds of states, %d are like others", settings, kinds, same)
		}
	}
}

// exchanges lists all symmetries of a machine.
func exchanges(m *machine) []func(thing) thing {
	var list []func(thing) thing
	every(m.fabric.Nodes, func(gpus []int) {
		every(m.fabric.Ports, func(ports []int) {
			gpu, port := func(u int) int { return gpus[u] }, func(p int) int { return ports[p] }
			if !m.keeps(gpu, port) {
				return
			}
			gpus, ports := slices.Clone(gpus), slices.Clone(ports)
			list = append(list, func(x thing) thing {
				if x.port >= 0 {
					x.port = ports[x.port]
				}
				if x.onSwitch >= 0 {
					for u := range m.fabric.Nodes {
						for p := range m.fabric.Ports {
							if m.plug.Switch(u, p) == x.onSwitch {
								x.onSwitch = m.plug.Switch(gpus[u], ports[p])
								goto found
							}
						}
					}
				}
			found:
				if x.gpu >= 0 {
					x.gpu = gpus[x.gpu]
				}
				if x.tie >= 0 {
					x.tie = gpus[x.tie*m.fabric.Island.Size] / m.fabric.Island.Size
				}
				return x
			})
		})
	})
	return list
}

// each calls a function with every permutation.
func every(n int, visit func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var permute func(k int)
	permute = func(k int) {
		if k == n {
			visit(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			permute(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	permute(0)
}

// Spares, faster repairs and plans around failures are never worse, at any size.
func TestSparesRepairsAndReplanningAreNeverWorse(t *testing.T) {
	faster, err := parts.Read("mine.yaml", []byte("transceivers:\n  400G-FR4:\n    repair: 0.5..2..12 h\nswitches:\n  patch-panel:\n    repair: 1..2..3 h\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, nodes := range []int{8, 128, 1000} {
		base := AvailabilityRequest{Fabric: set(t, fmt.Sprintf("nodes=%d", nodes), "ports=2", "bandwidth=400Gbps", "switches=rails"), Technology: "patch-panel", Plans: 100}
		first := finished(t, begun(t, base))
		better := func(what string, change func(r *AvailabilityRequest)) {
			r := base
			change(&r)
			a := finished(t, begun(t, r))
			last := len(a.Cases) - 1
			for i, c := range a.Cases {
				before := first.Cases[i%2].Shares
				if c.Shares.SpeedLow < before.SpeedLow-1e-12 || c.Shares.Full < before.Full-1e-12 || c.Shares.Down > before.Down+before.Unknown+1e-12 {
					t.Errorf("%d GPUs, %s: %+v; before %+v", nodes, what, c, before)
				}
			}
			if a.Cases[last].Shares.SpeedLow <= first.Cases[1].Shares.SpeedLow {
				t.Errorf("%d GPUs: %s gain nothing", nodes, what)
			}
		}
		better("spare ports", func(r *AvailabilityRequest) {
			r.Fabric = set(t, fmt.Sprintf("nodes=%d", nodes), "ports=2", "bandwidth=400Gbps", "switches=rails", "spares=2")
		})
		better("spare switches", func(r *AvailabilityRequest) { r.SpareSwitches = 1 })
		better("faster repairs", func(r *AvailabilityRequest) { r.Parts = faster })
		for _, c := range [][2]availability.Shares{{first.Cases[0].Shares, first.Cases[1].Shares}, {first.Cases[1].Low, first.Cases[1].High}} {
			if c[0].SpeedLow >= c[1].SpeedLow || c[0].Full > c[1].Full {
				t.Errorf("%d GPUs: %+v is not worse than %+v", nodes, c[0], c[1])
			}
		}
	}
}

// The time with a failure is that of the plan around it.
func TestSpeedsAreThoseOfPlans(t *testing.T) {
	f := set(t, "nodes=8", "ports=2", "switches=rails", "reconfig=10us")
	a, err := AssessAvailability(t.Context(), AvailabilityRequest{Fabric: f, Technology: "rotornet", Plans: 3, For: []collective.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB}, {Op: collective.AllToAll, Size: units.MiB}}})
	if err != nil {
		t.Fatal(err)
	}
	planned := 0
	for _, x := range append(a.States, PlannedState{TotalNs: a.WholeNs, Speed: 1}) {
		if x.TotalNs == 0 {
			continue
		}
		planned++
		around := f
		if around.Avoid, err = fabric.ParseFailures(x.Lost); err != nil {
			t.Fatal(err)
		}
		want := units.Time(0)
		for _, o := range a.For {
			made, err := planning.Fastest(t.Context(), planning.PlanRequest{Fabric: around, Operations: []collective.Operation{o}}, command.NewRun(nil))
			if err != nil {
				t.Fatal(err)
			}
			want += made.Cost.Total()
		}
		if x.TotalNs != want || x.Speed < float64(a.WholeNs/want)-1e-9 || x.Speed > 1 {
			t.Errorf("%s: %+v; planned %v", x.Lost, x, want)
		}
	}
	if planned < 3 {
		t.Errorf("%d states were planned", planned)
	}
}

// Samples of a large fabric are the same for the same seed, and agree with the enumeration of
// all states within their stated error.
func TestSamplesAgreeWithTheEnumeration(t *testing.T) {
	r := AvailabilityRequest{Fabric: set(t, "nodes=12", "ports=2", "bandwidth=400Gbps", "switches=rails"), Technology: "patch-panel", Plans: 1000}
	exact := finished(t, begun(t, r))
	was := limits
	defer func() { limits = was }()
	limits.States, limits.Draws = 0, 200
	for seed := range uint64(5) {
		r.Seed = seed
		a, again := finished(t, begun(t, r)), finished(t, begun(t, r))
		for i, c := range a.Cases {
			want := exact.Cases[i].Shares
			if c.Shares != again.Cases[i].Shares {
				t.Errorf("seed %d: %+v and %+v", seed, c.Shares, again.Cases[i].Shares)
			}
			if c.Shares.Sampled <= 0 || want.Sampled != 0 || math.Abs(c.Shares.SpeedLow-want.SpeedLow) > c.Shares.Sampled || math.Abs(c.Shares.Reduced-want.Reduced) > c.Shares.Sampled {
				t.Errorf("seed %d: %+v; enumerated %+v", seed, c.Shares, want)
			}
		}
	}
}

package mended_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/mended"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// settings returns a fabric with some settings, "name=value ..".
func settings(t *testing.T, text string) fabric.Fabric {
	t.Helper()
	f := fabric.Default()
	for setting := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(setting, "=")
		if err := f.Set(name, value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return f
}

// fastest plans with the best of all planners.
func fastest(t *testing.T, f fabric.Fabric, o collective.Operation) (*plan.Plan, error) {
	t.Helper()
	s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
	r := portfolio.Request{Fabric: f, Operations: []collective.Operation{o}}
	return r.Fastest(t.Context(), s.Planners().Best(), s)
}

// check verifies a plan.
func check(t *testing.T, about string, p *plan.Plan) {
	t.Helper()
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	if first := report.First(); first != nil {
		t.Errorf("%s: %s: %+v", about, p.Collective.Algorithm, first)
	}
}

var operations = []collective.Op{
	collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Broadcast,
	collective.RootReduce, collective.Scatter, collective.Gather,
}

// drawn returns a random fabric with random failures.
func drawn(random *rand.Rand) (text, failures string) {
	n := []int{4, 6, 8}[random.IntN(3)]
	ports := 1 + random.IntN(2)
	text = fmt.Sprintf("nodes=%d ports=%d reconfig=%dus", n, ports, 1+random.IntN(20))
	if random.IntN(3) == 0 {
		text += " duplex=true"
	}
	if links := []string{"", "", "Ring(2)", "Mesh(2,2)", "Ring(4)", "Mesh(2)", "K(2)"}[random.IntN(7)]; links != "" && (n != 6 || !strings.Contains(links, "4") && links != "Mesh(2,2)") {
		text += " fixed=" + links
	}
	if random.IntN(2) == 0 {
		text += " island=2 island-bandwidth=3200Gbps"
	}
	switches := 0
	switch random.IntN(4) {
	case 0:
		text += " switches=rails"
		switches = ports
	case 1:
		rows := make([]string, n) // random cabling: every port on one of two or three switches
		switches = 2 + random.IntN(2)
		for u := range rows {
			row := make([]string, ports)
			for p := range row {
				row[p] = fmt.Sprint(random.IntN(switches))
			}
			rows[u] = strings.Join(row, ",")
		}
		text += " switches=table:" + strings.Join(rows, ";")
	case 2:
		if n == 8 && ports == 2 {
			text += " switches=2x4"
			switches = 6
		}
	}
	var list []string
	for range 1 + random.IntN(2) {
		switch random.IntN(6) {
		case 0:
			list = append(list, fmt.Sprintf("gpu:%d", random.IntN(n)))
		case 1:
			list = append(list, fmt.Sprintf("port:%d", random.IntN(n)))
		case 2:
			u := random.IntN(n)
			list = append(list, fmt.Sprintf("link:%d-%d", u, (u+1)%n))
		case 3:
			u := random.IntN(n)
			list = append(list, fmt.Sprintf("link:%d>%d", u, (u+1)%n))
		case 4:
			if switches > 0 {
				list = append(list, fmt.Sprintf("switch:%d", random.IntN(switches)))
			}
		case 5:
			if strings.Contains(text, "island") {
				list = append(list, fmt.Sprintf("island:%d", random.IntN(n/2)))
			}
		}
	}
	return text, strings.Join(list, ",")
}

// connects is a naive twin: it reports whether GPUs can reach one another over hops that can each
// be set up on its own. Sources and targets are all GPUs or the root.
func connects(f *fabric.Fabric, op collective.Op) bool {
	n := f.Nodes
	reach := make([][]bool, n)
	lost := func(u int) int {
		count := 0
		for port := range f.Ports {
			if f.Lost(u, port) {
				count++
			}
		}
		return count
	}
	same := func(u, v int) bool { // two working ports are cabled to one switch
		p := f.Plugging()
		if p == nil {
			return lost(u) < f.Ports && lost(v) < f.Ports
		}
		for a := range f.Ports {
			for b := range f.Ports {
				if !f.Lost(u, a) && !f.Lost(v, b) && p.Switch(u, a) >= 0 && p.Switch(u, a) == p.Switch(v, b) {
					return true
				}
			}
		}
		return false
	}
	for u := range n {
		reach[u] = make([]bool, n)
		for v := range n {
			if u == v || f.Avoid.GPU(u) || f.Avoid.GPU(v) {
				continue
			}
			way := !f.Avoid.Link(u, v) && (!f.Duplex || !f.Avoid.Link(v, u))
			reach[u][v] = f.FixedCount(u, v) > 0 || f.SameIsland(u, v) || way && same(u, v)
		}
	}
	for k := range n {
		for u := range n {
			for v := range n {
				reach[u][v] = reach[u][v] || reach[u][k] && reach[k][v]
			}
		}
	}
	root := 0
	for f.Avoid.GPU(root) {
		root++
	}
	for u := range n {
		for v := range n {
			switch {
			case u == v || f.Avoid.GPU(u) || f.Avoid.GPU(v):
			case (op == collective.Broadcast || op == collective.Scatter) && u != root:
			case (op == collective.RootReduce || op == collective.Gather) && v != root:
			case !reach[u][v]:
				return false
			}
		}
	}
	return true
}

// TestAPlanIsFoundWhereWhatIsLeftConnects: with random layouts, fixed links, islands and
// failures, there is a plan for every operation if and only if what is left connects the GPUs.
// The plan is correct, and not faster than the lower bound on the whole fabric.
func TestAPlanIsFoundWhereWhatIsLeftConnects(t *testing.T) {
	found, apart := 0, 0
	draws := samples.Draws(8, 40)
	for seed := range uint64(draws) {
		random := rand.New(rand.NewPCG(seed, 77))
		text, failures := drawn(random)
		f := settings(t, text)
		if failures == "" || f.Validate() != nil {
			continue
		}
		whole := f
		if err := f.Set("avoid", failures); err != nil || f.Validate() != nil || f.Nodes-len(f.Avoid.GPUs()) < fabric.MinNodes {
			continue
		}
		op := operations[random.IntN(len(operations))]
		o := collective.Operation{Op: op, Size: units.Bytes(1) << (10 + random.IntN(14))}
		about := fmt.Sprintf("%s of %v, %s, avoid %s", op, o.Size, text, failures)
		p, err := fastest(t, f, o)
		switch connected := connects(&f, op); {
		case err == nil && !connected:
			t.Errorf("%s: a plan where nothing leads to some GPU", about)
		case err == nil:
			found++
			check(t, about, p)
			if least := bound.OfOperation(&whole, &collective.Section{Op: op, Size: o.Size, Space: collective.SpaceOf(op, f.Nodes, 1)}).Total(); f.Alive() == nil && p.Cost.Total() < least && !plan.Near(p.Cost.Total(), least) {
				t.Errorf("%s: %v, but the whole fabric takes %v at least", about, p.Cost.Total(), least)
			}
		case connected:
			t.Errorf("%s: %v", about, err)
		default:
			apart++
			if !errors.Is(err, planner.ErrInfeasible) {
				t.Errorf("%s: %v", about, err)
			}
		}
	}
	if found < draws/4 {
		t.Errorf("%d plans were found, %d not", found, apart)
	}
}

// TestRelaysAreCorrect: the plan of last resort does every operation.
func TestRelaysAreCorrect(t *testing.T) {
	for _, text := range []string{
		"nodes=5 ports=1 reconfig=1us avoid=gpu:2",
		"nodes=6 ports=1 duplex=true reconfig=1us avoid=link:0-1",
		"nodes=8 ports=1 fixed=Mesh(2,2) avoid=port:3",
		"nodes=8 ports=2 island=4 island-bandwidth=3200Gbps avoid=island:1,gpu:0",
	} {
		f := settings(t, text)
		if err := f.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, op := range operations {
			p, err := mended.Relayed(t.Context(), f, op, units.MiB, nil)
			if err != nil {
				t.Fatalf("%s, %s: %v", op, text, err)
			}
			check(t, fmt.Sprintf("%s, %s", op, text), p)
		}
	}
	f := settings(t, "nodes=4 ports=1 avoid=port:2")
	if _, err := mended.Relayed(t.Context(), f, collective.AllReduce, units.MiB, nil); !errors.Is(err, mended.ErrApart) {
		t.Errorf("a GPU without a port: %v", err)
	}
}

// TestAPodLosesLittle: a pod of two cubes that has lost a switch, a port, a link or a chip takes
// at most 1.5 times as long as the whole pod, and less than a ring over the remaining chips.
func TestAPodLosesLittle(t *testing.T) {
	text := "nodes=16 ports=3 bandwidth=400Gbps duplex=true fixed=Mesh(2,2,2) switches=cubes:2x2x2 reconfig=1ms"
	for i, op := range samples.Few(1, []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter}) {
		o := collective.Operation{Op: op, Size: 4 * units.MiB}
		whole, err := fastest(t, settings(t, text), o)
		if err != nil {
			t.Fatal(err)
		}
		failure := []string{"switch:1", "gpu:5", "port:0.1"}[i]
		f := settings(t, text+" avoid="+failure)
		if err := f.Validate(); err != nil {
			t.Fatal(err)
		}
		p, err := fastest(t, f, o)
		if err != nil {
			t.Fatalf("%s, %s: %v", op, failure, err)
		}
		check(t, fmt.Sprintf("%s, %s", op, failure), p)
		if time := p.Cost.Total(); time > 1.5*whole.Cost.Total() {
			t.Errorf("%s, %s: %v, the whole pod %v", op, failure, time, whole.Cost.Total())
		}
		if ring := ringOf(&f, op, float64(o.Size)); p.Cost.Total() > ring {
			t.Errorf("%s, %s: %v, a ring %v", op, failure, p.Cost.Total(), ring)
		}
	}
}

// ringOf returns the time of the textbook ring over one link from each GPU to the next.
func ringOf(f *fabric.Fabric, op collective.Op, size float64) units.Time {
	n := f.Nodes - len(f.Avoid.GPUs())
	steps := n - 1
	if op == collective.AllReduce {
		steps *= 2
	}
	return units.Time(steps) * (f.Alpha.Time() + f.Delta.Time() + f.Bandwidth.Transmit(size/float64(n)))
}

// TestStandInsAreCorrect: plans in which others do the part of failed GPUs carry out every
// operation, whichever GPUs have failed.
func TestStandInsAreCorrect(t *testing.T) {
	for i, text := range []string{
		"nodes=16 ports=3 duplex=true fixed=Mesh(2,2,2) switches=cubes:2x2x2",
		"nodes=16 ports=1 island=4 island-bandwidth=3200Gbps",
	} {
		whole := settings(t, text)
		for j, op := range operations {
			if i == 0 && (j%2 > 0 || j > 0 && !samples.Every()) {
				continue // plans on cubes take 10 seconds
			}
			if j%2 > 0 && op != collective.AllToAll && !samples.Every() {
				continue // the reversal of the one before or after
			}
			intact, err := fastest(t, whole, collective.Operation{Op: op, Size: units.MiB})
			if err != nil {
				t.Fatal(err)
			}
			for _, failure := range []string{"gpu:0", "gpu:5", "gpu:5,gpu:6", "gpu:3,port:7"} {
				f := settings(t, text+" avoid="+failure)
				if err := f.Validate(); err != nil {
					t.Fatal(err)
				}
				p, err := mended.Repaired(t.Context(), intact, f)
				if errors.Is(err, planner.ErrInfeasible) {
					continue // sums of parts, or ports that nothing else reaches
				}
				if err != nil {
					t.Fatalf("%s, %s, avoid %s: %v", op, text, failure, err)
				}
				check(t, fmt.Sprintf("%s, %s, avoid %s", op, text, failure), p)
			}
		}
	}
}

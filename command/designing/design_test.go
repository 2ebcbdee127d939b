package designing_test

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

func request() lightpath.DesignRequest {
	f := fabric.Default()
	f.Nodes = 8
	return lightpath.DesignRequest{
		Mix: []string{"allreduce/4MiB:2", "alltoall/1MiB:3"}, Fabric: f, Ports: []int{1, 2}, Technology: []string{"polatis", "rotornet", "plzt"},
		// Small switches are used whole, and light passes them all.
		Parts: &parts.Catalogue{Switches: map[string]parts.Part{
			"polatis": {Ports: 16}, "rotornet": {Ports: 16}, "plzt": {Loss: parts.Quantity{Range: parts.Exactly(2), Unit: parts.Decibels}},
		}},
	}
}

// alone returns the time of the request's mix on a fabric, with each operation planned
// separately.
func alone(t *testing.T, f fabric.Fabric) units.Time {
	t.Helper()
	sum := units.Time(0)
	for i, o := range []lightpath.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB}, {Op: collective.AllToAll, Size: units.MiB}} {
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		sum += p.Cost.Total() * units.Time([]int{2, 3}[i])
	}
	return sum
}

func design(t *testing.T, r lightpath.DesignRequest) *lightpath.Design {
	t.Helper()
	a, err := lightpath.MakeDesign(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The time of a choice is the time of the plans of its operations, each made separately. The
// plans use its layout, and its cost is the total of its bill. Packet fabrics are no slower than
// circuits.
func TestChoicesAreWhatPlansAndBillsSay(t *testing.T) {
	t.Parallel()
	r := request()
	r.Island, r.Fabric.Island.Bandwidth = []int{1, 4}, 3600*units.Gbps
	r.Ports, r.Packet = []int{2}, []string{designing.FatTree, designing.RailOptimised, designing.RailOnly}
	a := design(t, r)
	kinds := map[string]int{}
	for _, c := range a.Choices {
		kinds[c.Kind]++
		if c.Reason != "" {
			t.Errorf("%+v", c)
			continue
		}
		f := r.Fabric
		f.Ports, f.Reconfig.Base = c.Ports, units.Duration(math.Round(float64(c.ReconfigNs)*1000))
		if f.Island.Size = c.Island; c.Island == 1 {
			f.Island = fabric.Island{}
		}
		if c.Kind == designing.RailOnly {
			f.Layout = layout.Places(4, 1)
		}
		sum := alone(t, f)
		if math.Abs(float64(c.IterationNs/sum)-1) > 1e-9 {
			t.Errorf("%s, %d ports, island %d: %v, planned alone %v", c.Name(), c.Ports, c.Island, c.IterationNs, sum)
		}
		cost := 0.0
		for _, l := range c.Bill {
			cost += l.CostUSD.Likely
		}
		if math.Abs(cost-c.CostUSD.Likely) > 1e-6 {
			t.Errorf("%+v", c)
		}
		for _, other := range a.Choices {
			if c.Kind == designing.FatTree && other.Island == c.Island && other.Ports == c.Ports && other.IterationNs < c.IterationNs*(1-1e-9) {
				t.Errorf("%s is faster than packets: %v, %v", other.Name(), other.IterationNs, c.IterationNs)
			}
		}
	}
	if kinds[designing.Optical] != 6 || kinds[designing.FatTree] != 2 || kinds[designing.RailOptimised] != 1 || kinds[designing.RailOnly] != 1 {
		t.Error(kinds)
	}
}

// A switch whose loss exceeds the budget even at best is not a choice; a switch that may meet
// the budget is one.
func TestDarkSwitchesAreNoChoice(t *testing.T) {
	t.Parallel()
	r := request()
	r.Parts = nil
	for _, c := range design(t, r).Choices {
		if dark := c.Technology == "plzt"; dark != strings.HasPrefix(c.Reason, "no light") {
			t.Errorf("%s: %s", c.Name(), c.Reason)
		}
	}
}

// The frontier has exactly the choices that no other choice dominates.
func TestTheFrontierIsWhatNothingDominates(t *testing.T) {
	t.Parallel()
	a := design(t, request())
	dominates := func(x, y *lightpath.DesignChoice) bool {
		p := [3]float64{float64(x.IterationNs), x.CostUSD.Likely, x.PowerW.Likely}
		q := [3]float64{float64(y.IterationNs), y.CostUSD.Likely, y.PowerW.Likely}
		return p[0] <= q[0] && p[1] <= q[1] && p[2] <= q[2] && p != q
	}
	for i := range a.Choices {
		want := !slices.ContainsFunc(a.Choices, func(o lightpath.DesignChoice) bool { return dominates(&o, &a.Choices[i]) })
		if a.Choices[i].OnFrontier != want || slices.Contains(a.Frontier, i) != want {
			t.Errorf("choice %d: %v, want %v", i, a.Choices[i].OnFrontier, want)
		}
	}
}

// A larger budget or more choices never make the design worse.
func TestMoreNeverMakesAWorseDesign(t *testing.T) {
	t.Parallel()
	taken := func(r lightpath.DesignRequest) units.Time {
		a := design(t, r)
		if a.Best < 0 {
			return units.Time(math.Inf(1))
		}
		best := a.Choices[a.Best]
		if r.BudgetCost > 0 && best.CostUSD.Likely > r.BudgetCost || r.BudgetPower > 0 && best.PowerW.Likely > r.BudgetPower {
			t.Errorf("over the budget: %+v", best)
		}
		for _, c := range a.Choices {
			if !c.OverBudget && c.Reason == "" && c.IterationNs < best.IterationNs {
				t.Errorf("%s is faster", c.Name())
			}
		}
		return best.IterationNs
	}
	r := request()
	before := units.Time(math.Inf(1))
	for _, budget := range append(samples.Few(2, []float64{1, 40_000, 60_000, 80_000, 120_000}), 0) {
		r.BudgetCost = budget
		now := taken(r)
		if now > before {
			t.Errorf("budget %v: %v after %v", budget, now, before)
		}
		before = now
	}
	r.BudgetCost, before = 0, units.Time(math.Inf(1))
	for _, budget := range append(samples.Few(2, []float64{1, 500, 700, 1000, 2000}), 0) {
		r.BudgetPower = budget
		now := taken(r)
		if now > before {
			t.Errorf("budget %v W: %v after %v", budget, now, before)
		}
		before = now
	}
	few := request()
	few.Ports, few.Technology = []int{1}, []string{"polatis"}
	one := taken(few)
	few.Technology = []string{"polatis", "plzt"}
	two := taken(few)
	few.Ports = []int{1, 2}
	if three := taken(few); two > one || three > two {
		t.Errorf("%v, %v, %v", one, two, three)
	}
}

// At the highest price that a port is worth, another choice is as cheap and as fast; below that
// price, no other choice is.
func TestAPortIsWorthWhatItSays(t *testing.T) {
	t.Parallel()
	r := request()
	r.Technology = []string{"polatis", "rotornet"}
	a := design(t, r)
	beaten := func(technology string, price float64) bool {
		q := parts.Quantity{Range: parts.Exactly(price), Unit: parts.DollarsPerPort}
		r := r
		all := maps.Clone(r.Parts.Switches)
		all[technology] = parts.Part{Ports: all[technology].Ports, Price: q}
		r.Parts = &parts.Catalogue{Switches: all}
		b := design(t, r)
		for _, c := range b.Choices {
			if c.Technology == technology && !slices.ContainsFunc(b.Choices, func(o lightpath.DesignChoice) bool {
				return o.Technology != technology && o.IterationNs <= c.IterationNs && o.CostUSD.Likely < c.CostUSD.Likely
			}) {
				return false // this one pays
			}
		}
		return true
	}
	if len(a.Worth) != 2 {
		t.Fatalf("%+v", a.Worth)
	}
	for _, w := range a.Worth {
		if w.PortUSD == nil {
			t.Errorf("%+v", w)
			continue
		}
		if *w.PortUSD > 1 && beaten(w.Technology, *w.PortUSD-1) || !beaten(w.Technology, max(0, *w.PortUSD+1)) {
			t.Errorf("%s is not worth %v", w.Technology, *w.PortUSD)
		}
	}
}

// A design for a workload uses the iterations that iterate plans.
func TestDesignsForWorkloadsAreIterations(t *testing.T) {
	t.Parallel()
	llama, err := model.Named("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	w, err := parallel.Make(llama, parallel.Config{TP: 2, DP: 2, GlobalBatch: 4, Sequence: 512})
	if err != nil {
		t.Fatal(err)
	}
	a := design(t, lightpath.DesignRequest{Workload: w, Ports: []int{2}, Technology: []string{"polatis", "plzt"}, Parts: request().Parts})
	if len(a.Choices) != 3 || a.Best < 0 || a.Workload == "" || !strings.HasPrefix(a.Answer, "Buy ") {
		t.Fatalf("%+v", a)
	}
	for _, c := range a.Choices {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig.Base = 4, 2, units.Duration(math.Round(float64(c.ReconfigNs)*1000))
		d, err := lightpath.Iterate(t.Context(), lightpath.IterateRequest{Workload: w, Fabric: f})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(c.IterationNs/d.Iteration)-1) > 1e-9 {
			t.Errorf("%s: %v, iterate plans %v", c.Name(), c.IterationNs, d.Iteration)
		}
	}
}

// A choice without a layout says so, and so does a design with nothing to buy.
func TestChoicesThatDoNotFitHaveAReason(t *testing.T) {
	t.Parallel()
	r := request()
	r.Fabric.Nodes, r.Ports, r.Technology, r.Mix, r.Parts = 24, []int{1}, []string{"plzt", "polatis"}, []string{"allreduce/1KiB"}, nil
	a := design(t, r)
	last := a.Choices[len(a.Choices)-1]
	if last.Technology != "plzt" || last.Reason == "" || last.OnFrontier || a.Best < 0 {
		t.Errorf("%+v", last)
	}
	r.Technology, r.Fabric.Bandwidth = []string{"polatis"}, 1600*units.Gbps
	if a := design(t, r); a.Best != -1 || !strings.Contains(a.Answer, "No choice") || len(a.Frontier) != 0 {
		t.Errorf("%+v", a)
	}
}

func TestRequestsThatMakeNoSenseAreRefused(t *testing.T) {
	slow := request()
	slow.Island = []int{1, 4}
	if _, err := lightpath.MakeDesign(t.Context(), slow); err == nil || !strings.Contains(err.Error(), "island: 4: say how fast") {
		t.Error(err)
	}
	for want, change := range map[string]func(r *lightpath.DesignRequest){
		"mix":                    func(r *lightpath.DesignRequest) { r.Mix = nil },
		"mix[1]":                 func(r *lightpath.DesignRequest) { r.Mix[1] = "alltoall/1MiB:0" },
		"mix[0]":                 func(r *lightpath.DesignRequest) { r.Mix[0] = "walk/1MiB" },
		"technology":             func(r *lightpath.DesignRequest) { r.Technology = []string{"x"} },
		"ports":                  func(r *lightpath.DesignRequest) { r.Ports = []int{0} },
		"island":                 func(r *lightpath.DesignRequest) { r.Island = []int{0} },
		"fabric.switches":        func(r *lightpath.DesignRequest) { r.Fabric.Layout = layout.Rails() },
		"fabric.reconfig":        func(r *lightpath.DesignRequest) { r.Fabric.Reconfig.Base = 1 },
		"fabric.radix":           func(r *lightpath.DesignRequest) { r.Fabric.Radix = 8 },
		"budget_cost":            func(r *lightpath.DesignRequest) { r.BudgetCost = math.NaN() },
		"budget_power":           func(r *lightpath.DesignRequest) { r.BudgetPower = -1 },
		"parts.switches.x.ports": func(r *lightpath.DesignRequest) { r.Parts = &parts.Catalogue{Switches: map[string]parts.Part{"x": {}}} },
	} {
		r := request()
		change(&r)
		var named *lightpath.FieldError
		if _, err := lightpath.MakeDesign(t.Context(), r); !errors.As(err, &named) || named.Path != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Budgets are finite: an answer in JSON could not repeat others.
func TestBudgetsAreFinite(t *testing.T) {
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), -1} {
		for want, change := range map[string]func(r *lightpath.DesignRequest){
			"budget_cost":  func(r *lightpath.DesignRequest) { r.BudgetCost = x },
			"budget_power": func(r *lightpath.DesignRequest) { r.BudgetPower = x },
		} {
			r := request()
			change(&r)
			var named *lightpath.FieldError
			if err := r.Complete(); !errors.As(err, &named) || named.Path != want {
				t.Errorf("%s %v: %v", want, x, err)
			}
		}
	}
}

// After a colon, text that is not a number is an option of the algorithm, not a count.
func TestOptionsOfAlgorithmsAreNoCounts(t *testing.T) {
	r := request()
	r.Mix = []string{"alltoall/1MiB/bruck:r=4", "alltoall/1MiB/bruck:r=4:3", "allreduce/1MiB:7"}
	if err := r.Complete(); err != nil {
		t.Error(err)
	}
}

// A design that is interrupted says which choices are known.
func TestInterruptedDesignsKeepWhatIsKnown(t *testing.T) {
	t.Parallel()
	r := request()
	r.Planner = "harvest"
	known := 0
	for asked := 64; asked < 1<<22; asked *= 2 {
		how := ""
		_, err := lightpath.MakeDesign(countdown.New(t.Context(), asked), r, lightpath.WithUnfinished(func(answer any, words string) {
			if a, ok := answer.(*lightpath.Design); ok && len(a.Frontier) > 0 {
				known++
				how = words
			}
		}))
		if err == nil {
			break
		}
		if how != "" && !strings.Contains(how, "choices were planned") {
			t.Errorf("%q", how)
		}
	}
	if known == 0 {
		t.Error("nothing was ever known")
	}
}

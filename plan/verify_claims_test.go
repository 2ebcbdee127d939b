package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/topology"
)

// changedFile reads the file of a good plan after a change.
func changedFile(t *testing.T, of string, changes ...string) *plan.Plan {
	t.Helper()
	text := encoded(t, goodPlan(t, of))
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("%s is not in the file", changes[i])
		}
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	return decoded(t, text)
}

func find(t *testing.T, r *verify.Report, name string) verify.Check {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no check %q in %+v", name, r.Checks)
	return verify.Check{}
}

func TestABoundOfNothingIsRefuted(t *testing.T) {
	text := encoded(t, goodPlan(t, mesh))
	from := strings.Index(text, `"bound_ns": `)
	to := from + strings.Index(text[from:], ",\n")
	p := decoded(t, text[:from]+`"bound_ns": 0`+text[to:])
	if c := find(t, mustVerify(t, p), "bound"); c.OK || c.Unchecked || !strings.Contains(c.Detail, "0ns makes no sense") {
		t.Errorf("%+v", c)
	}
}

// Bounds improve: a file of an older version claims less than can be proven now.
func TestBoundsBelowWhatCanBeProvenAreAccepted(t *testing.T) {
	p := clone(goodPlan(t, mesh))
	p.Bound /= 2
	if r := mustVerify(t, p); !r.OK || !find(t, r, "bound").OK {
		t.Errorf("%+v", r.First())
	}
	operation := p.OperationBound().Total()
	for _, c := range []struct {
		factor float64
		ok     bool
	}{{0, false}, {0.5, true}, {1, true}, {1.01, false}} {
		doc := parsed(t, encoded(t, goodPlan(t, mesh)))
		doc["operation_bound_ns"] = float64(operation) * c.factor
		q, err := recoded(doc)
		if err != nil {
			t.Fatal(err)
		}
		if got := find(t, mustVerify(t, q), "bound"); got.OK != c.ok {
			t.Errorf("%v times the bound for any algorithm: %+v", c.factor, got)
		}
	}
}

// The bound of an unknown algorithm cannot be checked, unless it holds for all algorithms.
func TestBoundsOfUnknownAlgorithmsAreUnchecked(t *testing.T) {
	p := clone(goodPlan(t, mesh))
	p.Collective.Algorithm = "telepathy"
	p.Bound = p.Cost.Total()
	r := mustVerify(t, p)
	if c := find(t, r, "bound"); c.OK || !c.Unchecked || !r.OK || r.First() != nil || !strings.Contains(c.Detail, "telepathy") {
		t.Errorf("%+v, %v", c, r.OK)
	}
	p.Bound = p.OperationBound().Total()
	if c := find(t, mustVerify(t, p), "bound"); !c.OK || c.Unchecked {
		t.Errorf("%+v", c)
	}
}

// A plan's names are compared with what it does: the name of another algorithm is not accepted,
// and neither is that algorithm's bound. Names that cannot be checked are reported as claims.
func TestNamesAreCheckedOrUnchecked(t *testing.T) {
	p := clone(goodPlan(t, mesh))
	r := mustVerify(t, p)
	if c := find(t, r, "algorithm"); !c.OK || c.Unchecked {
		t.Errorf("%+v", c)
	}
	if c := find(t, r, "origin"); c.OK || !c.Unchecked || !strings.Contains(c.Detail, p.Planner) {
		t.Errorf("%+v", c)
	}
	p.Strategy = "telepathy"
	if c := find(t, mustVerify(t, p), "origin"); c.OK || !c.Unchecked || !strings.Contains(c.Detail, "telepathy") {
		t.Errorf("%+v", c)
	}
	if p.Collective.Algorithm == "bruck" {
		t.Fatal("want another algorithm")
	}
	p.Collective.Algorithm, p.Bound = "bruck", p.Cost.Total()
	r = mustVerify(t, p)
	if c := find(t, r, "algorithm"); c.OK || !c.Unchecked || !r.OK {
		t.Errorf("%+v", c)
	}
	if c := find(t, r, "bound"); c.OK || !c.Unchecked {
		t.Errorf("%+v", c)
	}
}

// Steps in another order, or with one missing, are not those of the algorithm.
func TestStepsThatAreNotTheAlgorithms(t *testing.T) {
	p := clone(goodPlan(t, mesh))
	for i := range p.Stages {
		for j := range p.Stages[i].Steps {
			step := &p.Stages[i].Steps[j]
			if len(step.Base) < 2 {
				continue
			}
			kept := step.Base
			step.Base = step.Base[1:]
			if c := find(t, mustVerify(t, p), "algorithm"); c.OK || !c.Unchecked || !strings.Contains(c.Detail, "other steps") {
				t.Errorf("step %d lacks a transfer: %+v", step.Index, c)
			}
			step.Base = kept
		}
	}
	stage := &p.Stages[len(p.Stages)-1]
	stage.Steps = stage.Steps[:len(stage.Steps)-1]
	if len(stage.Steps) == 0 {
		p.Stages = p.Stages[:len(p.Stages)-1]
	}
	if c := find(t, mustVerify(t, p), "algorithm"); c.OK || !c.Unchecked {
		t.Errorf("a step is missing: %+v", c)
	}
}

// A symmetry that the transfers lack is reported.
func TestASymmetryThatIsNotThereIsReported(t *testing.T) {
	text := encoded(t, goodPlan(t, twoWay))
	at := strings.Index(text, `"distinct":`)
	if at < 0 {
		t.Fatal("no symmetry in the file")
	}
	if r := mustVerify(t, decoded(t, text)); slices.ContainsFunc(r.Checks, func(c verify.Check) bool { return c.Name == "symmetry" }) {
		t.Errorf("%+v", r.Checks)
	}
	end := at + strings.Index(text[at:], "}")
	r := mustVerify(t, decoded(t, text[:at]+`"distinct":77777`+text[end:]))
	if c := find(t, r, "symmetry"); c.OK || !c.Unchecked || !r.OK || !strings.Contains(c.Detail, "step 1") {
		t.Errorf("%+v, %+v", c, r.First())
	}
}

func TestWhatASearchHasProvenIsUncheckedOrRefuted(t *testing.T) {
	total := goodPlan(t, twoWay).Cost.Total()
	for name, c := range map[string]struct {
		claim         plan.Synthesis
		ok, unchecked bool
	}{
		"nothing is claimed":          {plan.Synthesis{Mode: "search", Evaluations: 3}, true, false},
		"proven without a bound":      {plan.Synthesis{Mode: "exact", Proven: true}, false, false},
		"proven with too low a bound": {plan.Synthesis{Mode: "exact", Proven: true, Bound: total / 2}, false, false},
		"a bound above the cost":      {plan.Synthesis{Mode: "exact", Bound: 2 * total}, false, false},
		"less than no topologies":     {plan.Synthesis{Mode: "exact", Evaluations: -1}, false, false},
		"the planner's word":          {plan.Synthesis{Mode: "exact", Proven: true, Bound: total}, false, true},
		"what can be proven anyway":   {plan.Synthesis{Mode: "exact", Bound: 1}, true, false},
	} {
		p := clone(goodPlan(t, twoWay))
		p.Synthesis = &c.claim
		r := mustVerify(t, p)
		if got := find(t, r, "synthesis"); got.OK != c.ok || got.Unchecked != c.unchecked || r.OK != (c.ok || c.unchecked) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestBaselinesAreSaidNotToBeChecked(t *testing.T) {
	p := clone(goodPlan(t, mesh))
	p.Baselines = plan.Baselines{Static: 1}
	r := mustVerify(t, p)
	if c := find(t, r, "baselines"); !c.Unchecked || c.OK || !r.OK {
		t.Errorf("%+v", c)
	}
	if p := changedFile(t, mesh, `"planner": "static"`, `"planner": "somebody"`); p.Planner != "somebody" {
		t.Errorf("planner %q", p.Planner)
	}
}

// Names of topologies that are not expressions claim nothing that could be checked. The report
// says how many stages have such names, and the check is not OK if all do.
func TestNamesOfTopologiesThatCannotBeRead(t *testing.T) {
	p := clone(goodPlan(t, rewired))
	if len(p.Stages) < 3 {
		t.Fatalf("want 3 stages or more, there are %d", len(p.Stages))
	}
	label := func(stage int, name string) {
		g := p.Stages[stage].Topology
		p.Stages[stage].Topology = topology.New(g.Nodes(), name, slices.Collect(g.Edges()))
	}
	const good = "the circuits match the names of the topologies"
	if c := find(t, mustVerify(t, p), "topology"); !c.OK || c.Unchecked || c.Detail != good {
		t.Errorf("%+v", c)
	}
	label(0, "sums on Torus(3,4)")
	if c := find(t, mustVerify(t, p), "topology"); !c.OK || c.Unchecked || c.Detail != good+"; the name of 1 stage, \"sums on Torus(3,4)\", is a label and was not checked" {
		t.Errorf("%+v", c)
	}
	label(1, "matched:1")
	if c := find(t, mustVerify(t, p), "topology"); !c.OK || c.Unchecked || c.Detail != good+"; names of 2 stages, such as \"sums on Torus(3,4)\", are labels and were not checked" {
		t.Errorf("%+v", c)
	}
	for i := range p.Stages {
		label(i, "synthesised:1-2")
	}
	r := mustVerify(t, p)
	want := fmt.Sprintf("names of %d stages, such as \"synthesised:1-2\", are labels and were not checked", len(p.Stages))
	if c := find(t, r, "topology"); c.OK || !c.Unchecked || c.Detail != want || !r.OK || r.First() != nil {
		t.Errorf("%+v", c)
	}
	if r.Checks[2].Name != "topology" {
		t.Errorf("topology is not the third check: %+v", r.Checks)
	}
}

// A name in the form of an expression, even inside copies, is one, and its circuits are there;
// a label claims nothing, but can be printed.
func TestNamesOfTopologiesAreHeldAgainstTheCircuits(t *testing.T) {
	ring := func(nodes, apart int) []topology.Edge {
		var edges []topology.Edge
		for u := range nodes {
			if next := u + apart; u%(4*apart) < 3*apart {
				edges = append(edges, topology.Edge{From: u, To: next, Count: 1})
			} else {
				edges = append(edges, topology.Edge{From: u, To: next - 4*apart, Count: 1})
			}
		}
		return edges
	}
	one := func(edges []topology.Edge, name string) verify.Check {
		p := clone(goodPlan(t, rewired))
		p.Stages = []plan.Stage{p.Stages[0]}
		p.Stages[0].Topology = topology.New(p.Fabric.Nodes, name, edges)
		return find(t, mustVerify(t, p), "topology")
	}
	n := goodPlan(t, rewired).Fabric.Nodes
	if n != 8 {
		t.Fatalf("%d nodes", n)
	}
	for _, name := range []string{"2xUniRing(1,4)@1"} {
		if c := one(ring(n, 1), name); !c.OK {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := one(ring(n, 2), "2xUniRing(1,4)@2"); !c.OK {
		t.Errorf("%+v", c)
	}
	for name, want := range map[string]string{
		"2xUniRing(1,4)@2":       "the circuits are not those of 2xUniRing(1,4)@2",
		"4xUniRing(1,4)@1":       "the circuits are not those of 4xUniRing(1,4)@1",
		"2xUniRing(1,4)@0":       "the circuits are not those of",
		"2xUniRing(1,4)@3":       "the circuits are not those of",
		"999999999xK(4)@1":       "the circuits are not those of",
		"UniRing(1,8)":           "the circuits are not those of UniRing(1,8)",
		"Nonsense(99)":           `topology expression "Nonsense(99)": column 1: unknown family "Nonsense"`,
		"2xNonsense(4)@1":        `topology expression "Nonsense(4)": column 1: unknown family "Nonsense"`,
		"UniRing(8)":             `topology expression "UniRing(8)"`,
		"a ring\x1b[2J":          "cannot be printed",
		strings.Repeat("a", 1e5): "its name has 100000 bytes, want at most 1000",
	} {
		if c := one(ring(n, 1), name); c.OK || c.Unchecked || !strings.Contains(c.Detail, want) {
			t.Errorf("%.40q: %+v, want %q", name, c, want)
		}
	}
	for _, name := range []string{"", "mine", "Cells(2,8,2)", "BiTorus(2^3)", "two-way ring of 8 GPUs, jump 1"} {
		if c := one(ring(n, 1), name); !c.Unchecked {
			t.Errorf("%q: %+v", name, c)
		}
	}
}

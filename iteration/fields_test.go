package iteration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// leaf is a number, a word or a truth value of a JSON document.
type leaf struct {
	path  string // with * for indices
	value any
	set   func(any)
}

// leaves visits all leaves of a document.
func leaves(path string, value any, set func(any), visit func(leaf)) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			leaves(path+"."+key, v[key], func(x any) { v[key] = x }, visit)
		}
	case []any:
		for i := range v {
			leaves(path+"*", v[i], func(x any) { v[i] = x }, visit)
		}
	default:
		visit(leaf{path, value, set})
	}
}

// others are values that a leaf might have instead.
func others(value any) []any {
	switch v := value.(type) {
	case json.Number:
		x, _ := v.Float64()
		if _, err := strconv.Atoi(v.String()); err == nil {
			return []any{json.Number(fmt.Sprint(int(x) + 1 + int(x)/100)), json.Number(fmt.Sprint(int(x) - 1 - int(x)/100))}
		}
		return []any{json.Number(fmt.Sprint(x*1.01 + 1)), json.Number(fmt.Sprint(x*0.99 - 1))}
	case string:
		return []any{v + "x", ""}
	case bool:
		return []any{!v}
	}
	return nil
}

// unchecked are fields of a document that may have other values, and why.
func unchecked(d *iteration.Document) map[string]string {
	list := map[string]string{
		".baselines_ns.static": "a claim", ".baselines_ns.phases": "a claim", ".baselines_ns.phases-ahead": "a claim",
		".baselines_ns.each": "a claim", ".baselines_ns.one": "a claim",
		".circuits*.name":                          "a text",
		".ops*.plan":                               "another plan of the collective that takes as long",
		".fabric.switches":                         "a plan for rails is one for the ideal switch",
		".workload.schema":                         "may be absent within a document",
		".workload.name":                           "", // is checked
		".workload.about*":                         "a text",
		".plans*.planner":                          "a text, if it is no known planner",
		".plans*.strategy":                         "a text",
		".plans*.collective.algorithm":             "a text, if it is no known algorithm",
		".plans*.stages*.topology":                 "a text",
		".plans*.operation_bound_ns":               "a lower bound that is lower is one too",
		".plans*.fabric.base":                      "the plan does not use it",
		".plans*.fabric.reconfig.base_ns":          "the plan may not reconfigure, or for a longer delay",
		".plans*.stages*.steps*.symmetry.distinct": "a hint, which is dropped where it is wrong",
	}
	if d.Reconfigurations == 0 {
		list[".fabric.reconfig.base_ns"] = "nothing is reconfigured"
	}
	return list
}

// refuses reports whether a document is not read, or not proven.
func refuses(t *testing.T, document any) bool {
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	read, err := iteration.Decode(bytes.NewReader(text))
	if err != nil {
		return true
	}
	report, err := iteration.Verify(t.Context(), read)
	if err != nil {
		t.Fatal(err)
	}
	return !report.OK
}

// TestEveryFieldIsChecked: a document with any one number or word changed is refused, except
// for texts and claims that are known to be unchecked.
func TestEveryFieldIsChecked(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 9))
	tried, most := map[string]int{}, samples.Draws(1, 2)
	examine := func(name string, d *iteration.Document) {
		b := &bytes.Buffer{}
		if err := d.Encode(b); err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(b)
		decoder.UseNumber()
		var document any
		if err := decoder.Decode(&document); err != nil {
			t.Fatal(err)
		}
		if refuses(t, document) {
			t.Fatalf("%s: it is refused as it is", name)
		}
		seen := map[string]int{}
		free := unchecked(d)
		leaves("", document, nil, func(l leaf) {
			if seen[l.path]++; seen[l.path] > most || free[l.path] != "" {
				return
			}
			for _, other := range others(l.value) {
				tried[l.path]++
				l.set(other)
				if !refuses(t, document) {
					t.Errorf("%s: it is proven with %v instead of %v in %s", name, other, l.value, l.path)
				}
			}
			l.set(l.value)
		})
	}
	for _, policy := range samples.Few(3, append(iteration.Policies(), iteration.Best)) {
		w := drawn(random, 8)
		w.Name = policy
		if d, _ := newPlanner(t, w).plan(t, small(2, 20*units.Microsecond), policy); d != nil {
			examine(policy, d)
		}
	}
	f := small(2, 20*units.Microsecond)
	f.Layout = layout.Rails()
	f.Island = fabric.Island{Size: 2, Bandwidth: 3200 * units.Gbps}
	w := drawn(random, 8)
	for w.Ranks%2 != 0 {
		w = drawn(random, 8)
	}
	d, _ := newPlanner(t, w).plan(t, f, iteration.Best)
	examine("islands", d)
	d, _ = newPlanner(t, experts(4, "moe:2")).plan(t, small(1, 20*units.Microsecond), iteration.Best)
	examine("skewed", d)
	for _, path := range []string{".bound_ns", ".gap", ".iteration_ns", ".policy", ".exposed_by_kind_ns.tp", ".ops*.ports", ".ops*.kind", ".changes*.before", ".changes*.class", ".changes*.lanes**", ".up*.lanes**", ".circuits*.links**"} {
		if tried[path] == 0 {
			t.Errorf("no document has %s: %v", path, tried)
		}
	}
}

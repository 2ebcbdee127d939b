package collective_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

func TestTracesAreReadAlike(t *testing.T) {
	csv, err := collective.ReadDemandTraceCSV(strings.NewReader("step,src,dst,bytes\n0,0,1,10\n0,1,0,20\n1,0,2,5\n"))
	if err != nil {
		t.Fatal(err)
	}
	js, err := collective.ReadDemandTraceJSON(strings.NewReader("[[[0,10,0],[20,0,0],[0,0,0]],[[0,0,5],[0,0,0],[0,0,0]]]"))
	if err != nil {
		t.Fatal(err)
	}
	if len(csv) != 2 || csv[0].Spec() != js[0].Spec() || csv[1].Spec() != js[1].Spec() {
		t.Errorf("%v and %v", csv, js)
	}
}

func TestTracesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "no step",
		"step,src,dst,bytes\n":                 "no step",
		"src,dst,bytes\n0,1,1\n":               "heading",
		"step,src,dst,bytes\n1,0,1,1\n":        "in order",
		"step,src,dst,bytes\n0,0,1,-1\n":       "not a number",
		"step,src,dst,bytes\n0,0,1\n":          "want step,src,dst,bytes",
		"step,src,dst,bytes\n0,0,0,1\n":        "no pair",
		"step,src,dst,bytes\n0,0,1,1\n1,2,2,1": "step 1: the demand is empty",
		"step,src,dst,bytes\n0,0,9999,1\n":     "more than 4096",
	} {
		if _, err := collective.ReadDemandTraceCSV(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"[]":                            "no step",
		"[[[0,1],[1,0]],[[0]]]":         "step 1",
		"[[[0,1],[1,0]":                 "middle",
		"[[[0,1.5],[1,0]]]":             "line 1",
		"[[[0,-1],[1,0]]]":              "step 0",
		"[[[0,0],[0,0]]]":               "empty",
		"[[[0,1],[1,0]]] and":           "line 1",
		"{}":                            "line 1",
		"[[[0,1,2],[1,0,2]]]":           "2 rows",
		"[[[0,1],[1,0]], [[0,1],[1,0]]": "middle",
	} {
		if _, err := collective.ReadDemandTraceJSON(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read; want %q", text, want)
		}
	}
	for _, spec := range []string{"drift", "drift:0:0.1", "drift:5:2", "drift:5:NaN", "drift:x:0.1", "walk:5:0.1", "drift:99999999:0.1"} {
		if _, err := collective.GenerateDemandTrace(spec, 4, 1); err == nil {
			t.Errorf("%s makes a trace", spec)
		}
	}
}

// A demand that is written down is the same demand, whatever its size.
func TestADemandIsWrittenDown(t *testing.T) {
	d, err := collective.GenerateDemand("zipf:1", 5, units.MiB, 3)
	if err != nil {
		t.Fatal(err)
	}
	again, err := collective.GenerateDemand(d.Spec(), 5, d.Size(), 4)
	if err != nil {
		t.Fatal(err)
	}
	for s := range d {
		for e := range d[s] {
			if diff := d[s][e] - again[s][e]; diff < -1 || diff > 1 {
				t.Fatalf("%d to %d: %d, then %d bytes", s, e, d[s][e], again[s][e])
			}
		}
	}
	for _, spec := range []string{"rows:", "rows:1", "rows:0,1;1", "rows:0,-1;1,0", "rows:0,x;1,0", "rows:0,0;0,0"} {
		if collective.CheckGenerator(spec) == nil {
			t.Errorf("%s is a demand", spec)
		}
	}
	if _, err := collective.GenerateDemand("rows:0,1;1,0", 3, 1, 1); err == nil {
		t.Error("two rows for three nodes")
	}
}

// Without drift all steps are the same; the more of it, the less have successive steps in common.
func TestDrift(t *testing.T) {
	apart := func(spec string) float64 {
		trace, err := collective.GenerateDemandTrace(spec, 8, 7)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i := 1; i < len(trace); i++ {
			for s := range trace[i] {
				for e := range trace[i][s] {
					d := float64(trace[i][s][e] - trace[i-1][s][e])
					sum += d * d
				}
			}
		}
		return sum
	}
	far := []float64{apart("drift:40:0"), apart("drift:40:0.05"), apart("drift:40:0.3"), apart("drift:40:1")}
	if far[0] != 0 || !slices.IsSorted(far) {
		t.Errorf("successive steps are %v apart", far)
	}
}

func FuzzReadDemandTrace(f *testing.F) {
	f.Add([]byte("step,src,dst,bytes\n0,0,1,10\n1,1,0,20\n"))
	f.Add([]byte("[[[0,10],[20,0]],[[0,5],[25,0]]]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func(string) (collective.DemandTrace, error){
			func(s string) (collective.DemandTrace, error) {
				return collective.ReadDemandTraceCSV(strings.NewReader(s))
			},
			func(s string) (collective.DemandTrace, error) {
				return collective.ReadDemandTraceJSON(strings.NewReader(s))
			},
		} {
			if trace, err := read(string(data)); err == nil && trace.Check() != nil {
				t.Fatalf("%v is read: %v", trace, trace.Check())
			}
		}
	})
}

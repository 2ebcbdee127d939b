package calibrate_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/emulate/calibrate"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// close compares with a relative tolerance: normal equations lose half of float64's digits.
func close(a, b units.Time) bool { return math.Abs(float64(a-b)) <= 1e-6*math.Abs(float64(b)) }

// TestFitFindsTheValuesOfAppendixH: allreduces of 1KB and 1GB on rings of 5 to 12 nodes,
// with the latencies and the bandwidth that the paper reports (appendix H: alpha 13.33us,
// epsilon 21.60us, 1/B 1.018e-4 us per byte).
func TestFitFindsTheValuesOfAppendixH(t *testing.T) {
	const alpha, epsilon, perByte = 13330, 21600, 0.1018
	var samples []calibrate.Sample
	for n := 5.0; n <= 12; n++ {
		for _, bytes := range []float64{1e3, 1e9} {
			steps, factor := 2*(n-1), 2*(n-1)/n
			samples = append(samples, calibrate.Sample{
				Bytes: bytes, Steps: steps, Factor: factor, Time: units.Time(epsilon + alpha*steps + perByte*bytes*factor),
			})
		}
	}
	l, err := calibrate.Fit(samples)
	if err != nil {
		t.Fatal(err)
	}
	if !close(l.Alpha, alpha) || !close(l.Epsilon, epsilon) || !close(l.PerByte, perByte) || l.Worst > 1e-6 || l.Samples != len(samples) {
		t.Errorf("%+v", l)
	}
	if gbps := float64(l.Bandwidth()) / 1e9; math.Abs(gbps-78.6) > 0.05 { // the paper rounds to 79
		t.Errorf("%v Gbps", gbps)
	}
}

func TestFitOfNoisySamplesIsTheBestOfANeighbourhood(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var samples []calibrate.Sample
		for i := range 12 {
			bytes := math.Pow(4, float64(i))
			noise := 1 + 0.2*(random.Float64()-0.5)
			samples = append(samples, calibrate.Sample{Bytes: bytes, Time: units.Time((50*random.Float64() + bytes) * noise)})
		}
		l, err := calibrate.Fit(samples)
		if err != nil {
			t.Fatal(err)
		}
		squares := func(alpha, perByte units.Time) float64 {
			sum := 0.0
			for _, s := range samples {
				off := float64((alpha+perByte*units.Time(s.Bytes))/s.Time) - 1
				sum += off * off
			}
			return sum
		}
		best := squares(l.Alpha, l.PerByte)
		for _, da := range []units.Time{-0.01, 0, 0.01} {
			for _, db := range []units.Time{-0.0001, 0, 0.0001} {
				if a, b := l.Alpha+da, l.PerByte+db; a >= 0 && b >= 0 && squares(a, b) < best-1e-12 {
					t.Fatalf("alpha %v, per byte %v is better than %+v", a, b, l)
				}
			}
		}
	}
}

func TestFitHasNoNegativeLatency(t *testing.T) {
	l, err := calibrate.Fit([]calibrate.Sample{{Bytes: 100, Time: 90}, {Bytes: 1000, Time: 1000}})
	if err != nil || l.Alpha != 0 || l.PerByte <= 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestSamplesThatAreAlikeAreRefused(t *testing.T) {
	for _, samples := range [][]calibrate.Sample{
		nil,
		{{Bytes: 1, Time: 1}},
		{{Bytes: 5, Time: 1}, {Bytes: 5, Time: 2}},
		{{Bytes: 1, Time: 5}, {Bytes: 1000, Time: 4}},
	} {
		if _, err := calibrate.Fit(samples); !errors.Is(err, calibrate.ErrAlike) {
			t.Errorf("%v: %v", samples, err)
		}
	}
}

func TestReadNamesTheLine(t *testing.T) {
	samples, err := calibrate.Read(strings.NewReader("\ufefftime_ns,bytes\n10,0\n20.5,1024\n"))
	if err != nil || len(samples) != 2 || samples[1].Bytes != 1024 || samples[1].Time != 20.5 {
		t.Errorf("%v, %v", samples, err)
	}
	for text, want := range map[string]string{
		"":                               "line 1: empty",
		"bytes\n":                        "line 1: no column time_ns",
		"bytes,time_ns,bytes\n":          "line 1: column \"bytes\" twice",
		"bytes,time_us\n":                "line 1: column \"time_us\"",
		"bytes,time_ns\n1,2\n1,-2\n":     "line 3: time_ns \"-2\"",
		"bytes,time_ns\n1,0\n":           "line 2: time_ns \"0\"",
		"bytes,time_ns\n1,x\n":           "line 2: time_ns \"x\"",
		"bytes,time_ns\n1\n":             "line 2:",
		"bytes,time_ns\n1,\"2\n":         "line 2:",
		"bytes,time_ns,steps\n1,NaN,1\n": "line 2: time_ns \"NaN\"",
	} {
		if _, err := calibrate.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("bytes,time_ns\n1,2\n1024,9.5\n")
	f.Add("steps,bytes,time_ns,bandwidth_factor\n2,1,2,1.5\n14,1024,9.5,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		samples, err := calibrate.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		if l, err := calibrate.Fit(samples); err == nil && (l.Alpha < 0 || l.Epsilon < 0 || !(l.PerByte > 0)) {
			t.Errorf("%+v", l)
		}
	})
}

func TestAHostIsMeasuredAndWrittenAsAFabric(t *testing.T) {
	h, samples, err := calibrate.Measure(t.Context(), calibrate.Options{Nodes: 4, Repeats: 2, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if h.PerByte <= 0 || h.Alpha < 0 || h.Delta < 0 || h.Barrier < 0 || h.Reconfig <= 0 || h.Samples != len(samples) {
		t.Errorf("%+v", h)
	}
	var text strings.Builder
	if err := calibrate.WriteYAML(&text, h.Fabric(), "this host", "nodes", "ports", "bandwidth", "alpha", "delta", "reconfig"); err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	if err := f.Load("fabric.yaml", []byte(text.String())); err != nil {
		t.Fatalf("%v:\n%s", err, &text)
	}
	if !f.Equal(h.Fabric()) {
		t.Errorf("%+v; want %+v", f, h.Fabric())
	}
	t.Logf("%+v", h)
}

// TestMethodsFitHarvestsSamples: the 31 samples that HARVEST's authors publish give 76 Gbps if
// all sizes have equal weight, and the 85.9 Gbps of the authors' fit if the largest sizes
// dominate.
func TestMethodsFitHarvestsSamples(t *testing.T) {
	const k, m = 1 << 10, 1 << 20
	var samples []calibrate.Sample
	for _, s := range [][2]float64{
		{1, 21841}, {2, 21754}, {4, 22392}, {8, 22033}, {16, 21895}, {32, 21423}, {64, 21567}, {128, 21567},
		{256, 22238}, {512, 21602}, {k, 21883}, {2 * k, 22587}, {4 * k, 22185}, {8 * k, 23704},
		{4 * m, 487363}, {6 * m, 703970}, {8 * m, 939713}, {12 * m, 1269722}, {16 * m, 2148330}, {24 * m, 3374174},
		{32 * m, 3924696}, {48 * m, 5612705}, {64 * m, 8292313}, {96 * m, 10219751}, {128 * m, 22015781},
		{192 * m, 19270956}, {256 * m, 25434876}, {384 * m, 37944720}, {512 * m, 50594416}, {768 * m, 74006966},
		{1024 * m, 98547911},
	} {
		samples = append(samples, calibrate.Sample{Bytes: s[0], Time: units.Time(s[1])})
	}
	for text, want := range map[string][2]float64{"relative": {21.9, 76.2}, "plateau": {22.0, 85.9}, "plateau:8KiB": {22.0, 85.9}} {
		method, err := calibrate.ParseMethod(text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := calibrate.ParseMethod(method.String()); err != nil || again != method {
			t.Errorf("%s: %v is read as %v, %v", text, method, again, err)
		}
		l, err := method.Fit(samples)
		if err != nil {
			t.Fatal(err)
		}
		if alpha, rate := float64(l.Alpha)/1e3, float64(l.Bandwidth())/1e9; math.Abs(alpha-want[0]) > 0.05 || math.Abs(rate-want[1]) > 0.05 {
			t.Errorf("%s: %.2f us and %.2f Gbps, want %v", text, alpha, rate, want)
		}
	}
	for _, text := range []string{"absolute", "plateau:", "plateau:-1KiB", "plateau:8", "relative:1KiB"} {
		if _, err := calibrate.ParseMethod(text); err == nil {
			t.Errorf("%q is taken for a method", text)
		}
	}
	if _, err := calibrate.FitPlateau(samples, 1<<40); !errors.Is(err, calibrate.ErrAlike) {
		t.Errorf("a plateau of all samples: %v", err)
	}
}

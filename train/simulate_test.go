package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// linear returns a cost of the given ns per collective and per byte.
func linear(fixed, perByte float64) train.Cost {
	return func(_ context.Context, _ collective.Op, size units.Bytes) (units.Time, error) {
		return units.Time(fixed + perByte*float64(size)), nil
	}
}

// layers makes a trace of {bytes, forward, backward, alltoall}, times in ns.
func layers(rows ...[4]int64) *train.Trace {
	t := &train.Trace{Name: "test"}
	for i, r := range rows {
		t.Layers = append(t.Layers, train.Layer{
			Name: fmt.Sprintf("l%d", i), Bytes: units.Bytes(r[0]), Exchange: units.Bytes(r[3]),
			Forward: units.Duration(r[1]) * units.Nanosecond, Backward: units.Duration(r[2]) * units.Nanosecond,
		})
	}
	return t
}

func run(t *testing.T, trace *train.Trace, cost train.Cost, o train.Options) *train.Result {
	t.Helper()
	r, err := train.Simulate(t.Context(), trace, cost, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// brief writes collectives as layers@start-end.
func brief(r *train.Result) string {
	var texts []string
	for _, c := range r.Collectives {
		text := c.First
		if c.Layers > 1 {
			text += ".." + c.Last
		}
		if c.Op == collective.AllToAll {
			text = "x" + text
		}
		texts = append(texts, fmt.Sprintf("%s@%v-%v", text, float64(c.StartNs), float64(c.EndNs)))
	}
	return strings.Join(texts, " ")
}

// The two rules of Zhao et al., §8.4, computed by hand: the forward pass ends at 40; gradients
// are ready at 50 (l3), 60, 70 and 80; an allreduce takes 15 ns, whatever its size.
func TestGradientsThatAreReadyMeanwhileGoTogether(t *testing.T) {
	trace := layers([4]int64{1, 10, 10}, [4]int64{1, 10, 10}, [4]int64{1, 10, 10}, [4]int64{1, 10, 10})
	for _, c := range []struct {
		fixed     float64
		options   train.Options
		want      string
		minibatch units.Time
	}{
		{5, train.Options{}, "l3@50-55 l2@60-65 l1@70-75 l0@80-85", 85},
		{15, train.Options{}, "l3@50-65 l2@65-80 l1..l0@80-95", 95},
		{25, train.Options{}, "l3@50-75 l2..l1@75-100 l0@100-125", 125},
		{100, train.Options{}, "l3@50-150 l2..l0@150-250", 250},
		{25, train.Options{Bucket: 2}, "l3..l2@60-85 l1..l0@85-110", 110},
		{25, train.Options{Bucket: 3}, "l3..l1@70-95 l0@95-120", 120},
		{25, train.Options{Bucket: 1}, "l3@50-75 l2@75-100 l1@100-125 l0@125-150", 150},
		{25, train.Options{Bucket: 100}, "l3..l0@80-105", 105},
	} {
		r := run(t, trace, linear(c.fixed, 0), c.options)
		if got := brief(r); got != c.want || r.MinibatchNs != c.minibatch {
			t.Errorf("%v ns, %+v: %s, minibatch %v; want %s, %v", c.fixed, c.options, got, r.MinibatchNs, c.want, c.minibatch)
		}
	}
}

// A layer of experts waits for two all-to-alls in each pass. The all-to-alls wait for earlier
// gradients, or overtake gradients that have not started.
func TestComputationWaitsForAllToAlls(t *testing.T) {
	trace := layers([4]int64{1, 0, 10}, [4]int64{0, 0, 10, 1}, [4]int64{1, 0, 1}, [4]int64{1, 0, 10})
	cost := linear(5, 0)
	for _, c := range []struct {
		first   bool
		want    string
		stalled units.Time
	}{
		{false, "xl1@0-5 xl1@5-10 l3@20-25 l2@25-30 xl1@30-35 xl1@45-50 l0@60-65", 10 + 14 + 5},
		{true, "xl1@0-5 xl1@5-10 l3@20-25 xl1@25-30 l2@30-35 xl1@40-45 l0@55-60", 10 + 9 + 5},
	} {
		r := run(t, trace, cost, train.Options{AllToAllFirst: c.first})
		if got := brief(r); got != c.want || r.StalledNs != c.stalled {
			t.Errorf("first %v: %s, stalled %v; want %s, %v", c.first, got, r.StalledNs, c.want, c.stalled)
		}
	}
}

// PyTorch 2.2 divides three full layers of 512x512 with their biases, under a limit of 1 MiB,
// into [[0], [1, 2], [3, 4], [5]].
func TestBucketsAreThoseOfPyTorch(t *testing.T) {
	trace := &train.Trace{}
	for i := range 6 {
		bytes := units.Bytes(512 * 512 * 4)
		if i%2 == 1 {
			bytes = 512 * 4
		}
		// The list is in the order of the buckets, which the backward pass turns round.
		trace.Layers = append([]train.Layer{{Name: fmt.Sprint(i), Bytes: bytes, Backward: 1}}, trace.Layers...)
	}
	r := run(t, trace, linear(0, 0), train.Options{Bucket: units.MiB})
	var got [][2]string
	for _, c := range r.Collectives {
		got = append(got, [2]string{c.First, c.Last})
	}
	if want := [][2]string{{"0", "0"}, {"1", "2"}, {"3", "4"}, {"5", "5"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}

func TestTheFirstBucketIsSmall(t *testing.T) {
	trace := layers([4]int64{1 << 20, 0, 1}, [4]int64{1 << 20, 0, 1}, [4]int64{1 << 20, 0, 1}, [4]int64{1 << 20, 0, 1})
	r := run(t, trace, linear(0, 0), train.Options{Bucket: 2 * units.MiB})
	if got := brief(r); got != "l3@1-1 l2..l1@3-3 l0@4-4" {
		t.Error(got)
	}
}

// randomTrace uses whole numbers only, so that sums are exact. Some layers compute nothing, some
// have no gradients, and some have experts.
func randomTrace(random *rand.Rand, experts bool) *train.Trace {
	var rows [][4]int64
	for range 1 + random.IntN(12) {
		row := [4]int64{random.Int64N(4) * random.Int64N(50), random.Int64N(30), random.Int64N(3) * random.Int64N(40), 0}
		if experts && random.IntN(3) == 0 {
			row[3] = 1 + random.Int64N(40)
		}
		rows = append(rows, row)
	}
	return layers(rows...)
}

func TestSimulationIsThatOfTheNaiveTwin(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 4))
	for round := range 3000 {
		trace := randomTrace(random, round%2 == 0)
		o := train.Options{AllToAllFirst: random.IntN(2) == 0}
		if random.IntN(2) == 0 {
			o.Bucket = units.Bytes(1 + random.Int64N(200))
		}
		cost := linear(float64(random.Int64N(4)*random.Int64N(20)), float64(random.Int64N(3)))
		got := run(t, trace, cost, o)
		collectives, end := naive(trace, cost, o)
		if !reflect.DeepEqual(got.Collectives, collectives) || got.MinibatchNs != end {
			t.Fatalf("%+v\n%+v\n%s until %v\ntwin:\n%s until %v", trace.Layers, o, brief(got), got.MinibatchNs,
				brief(&train.Result{Collectives: collectives}), end)
		}
	}
}

// near allows for the rounding of sums.
func near(a, b units.Time) bool { return math.Abs(float64(a-b)) <= 1e-9*(1+math.Abs(float64(a))) }

func TestInvariants(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		trace := randomTrace(random, round%2 == 0)
		totals := trace.Totals()
		cost := linear(random.Float64()*20, random.Float64()*3)
		o := train.Options{Bucket: units.Bytes(random.IntN(2) * random.IntN(200)), AllToAllFirst: random.IntN(2) == 0}
		r := run(t, trace, cost, o)
		bound, err := train.Bound(t.Context(), trace, cost)
		if err != nil {
			t.Fatal(err)
		}
		for claim, holds := range map[string]bool{
			"a minibatch takes its computation at least":     r.MinibatchNs >= r.ComputeNs,
			"and its communication":                          r.MinibatchNs >= r.CommunicationNs*(1-1e-12),
			"exposed is what is not computation":             near(r.ExposedNs, r.MinibatchNs-r.ComputeNs),
			"no more is exposed than there is":               r.ExposedNs <= r.CommunicationNs*(1+1e-12) && r.Overlap >= 0 && r.Overlap <= 1,
			"stalled is a part of exposed":                   r.StalledNs <= r.ExposedNs,
			"all gradients are allreduced once":              r.AllReduceBytes == int64(totals.Bytes),
			"all tokens are exchanged":                       r.AllToAllBytes == int64(totals.Exchange),
			"the bound holds":                                bound <= r.MinibatchNs*(1+1e-12),
			"the bound is not below computation":             bound >= r.ComputeNs,
			"all collectives are counted":                    r.AllReduces+r.AllToAlls == len(r.Collectives),
			"computation and communication are all there is": r.MinibatchNs <= (r.ComputeNs+r.CommunicationNs)*(1+1e-12),
		} {
			if !holds {
				t.Fatalf("not true: %s\n%+v\n%+v\n%+v, bound %v", claim, trace.Layers, o, r, bound)
			}
		}
		for i := 1; i < len(r.Collectives); i++ {
			if r.Collectives[i].StartNs < r.Collectives[i-1].EndNs {
				t.Fatalf("two collectives at once: %s", brief(r))
			}
		}
	}
}

func TestOneSideAloneIsTheMinibatch(t *testing.T) {
	trace := layers([4]int64{10, 3, 6}, [4]int64{20, 5, 10, 7}, [4]int64{30, 1, 2})
	if r := run(t, trace, linear(0, 0), train.Options{}); r.MinibatchNs != 27 || r.ComputeNs != 27 || r.Overlap != 0 {
		t.Errorf("free communication: %+v", r)
	}
	if r := run(t, trace.Faster(1e9), linear(2, 1), train.Options{}); r.MinibatchNs != r.CommunicationNs || r.ComputeNs != 0 || r.Overlap != 0 {
		t.Errorf("free computation: %+v", r)
	}
	none := layers([4]int64{0, 3, 6}, [4]int64{0, 5, 10})
	if r := run(t, none, linear(2, 1), train.Options{Bucket: 5}); r.MinibatchNs != 24 || r.Collectives == nil || len(r.Collectives) != 0 {
		t.Errorf("no gradients: %+v", r)
	}
}

// A faster network never makes a minibatch longer if gradients are sent in buckets, or if an
// allreduce has no start-up time.
func TestFasterNetworksAreNotSlower(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		trace := randomTrace(random, false)
		fixed, o := random.Float64()*20, train.Options{Bucket: units.Bytes(1 + random.IntN(100))}
		if random.IntN(2) == 0 {
			fixed, o.Bucket = 0, 0
		}
		before := units.Time(math.Inf(1))
		for _, perByte := range []float64{4, 2, 1.9, 1, 0.5, 0.1, 0} {
			r := run(t, trace, linear(fixed, perByte), o)
			if r.MinibatchNs > before*(1+1e-12) {
				t.Fatalf("%+v\n%+v: %v ns per byte take %v, more before %v", trace.Layers, o, perByte, r.MinibatchNs, before)
			}
			before = r.MinibatchNs
		}
	}
}

// With a start-up time and the rule of §8.4, a faster network may make a minibatch longer: it is
// free just before two layers are ready, takes only the first, and pays for another start. So
// the rule is not the best way to group gradients.
func TestAFasterNetworkMayBeSlowerWithThePapersRule(t *testing.T) {
	trace := layers([4]int64{1, 0, 1}, [4]int64{1, 0, 10}, [4]int64{600, 0, 0})
	slow := run(t, trace, linear(5, 0.01), train.Options{})
	fast := run(t, trace, linear(5, 0.008), train.Options{})
	if got := brief(slow); got != "l2@0-11 l1..l0@11-16.02" {
		t.Error(got)
	}
	if got := brief(fast); got != "l2@0-9.8 l1@10-15.008 l0@15.008-20.016" {
		t.Error(got)
	}
	if slow.MinibatchNs >= fast.MinibatchNs {
		t.Errorf("slow %v, fast %v", slow.MinibatchNs, fast.MinibatchNs)
	}
}

// Among all ways to group the gradients into allreduces of consecutive layers, none is faster
// than the bound, and neither rule is faster than the best.
func TestBoundHoldsForAllGroupings(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	tight := 0
	for range 500 {
		trace := randomTrace(random, false)
		fixed, perByte := random.Float64()*20, random.Float64()*2
		bound, err := train.Bound(t.Context(), trace, linear(fixed, perByte))
		if err != nil {
			t.Fatal(err)
		}
		least := bestGrouping(trace, fixed, perByte)
		if bound > least*(1+1e-12) {
			t.Fatalf("%+v: bound %v, possible %v", trace.Layers, bound, least)
		}
		if near(bound, least) {
			tight++
		}
		for _, o := range []train.Options{{}, {Bucket: 50}} {
			if r := run(t, trace, linear(fixed, perByte), o); r.MinibatchNs < least*(1-1e-12) {
				t.Fatalf("%+v %+v: %v, below the best %v", trace.Layers, o, r.MinibatchNs, least)
			}
		}
	}
	if tight < 150 {
		t.Errorf("the bound is attained by %d of 500", tight)
	}
}

func TestBadSimulationsAreErrors(t *testing.T) {
	one := layers([4]int64{1, 1, 1, 1})
	broken := errors.New("no such plan")
	fails := func(context.Context, collective.Op, units.Bytes) (units.Time, error) { return 0, broken }
	for name, c := range map[string]struct {
		trace *train.Trace
		cost  train.Cost
		o     train.Options
		want  string
	}{
		"no layers":      {&train.Trace{}, linear(0, 0), train.Options{}, "without layers"},
		"negative bytes": {layers([4]int64{-1, 0, 0}), linear(0, 0), train.Options{}, "layer 1: a size or time below 0"},
		"bucket":         {one, linear(0, 0), train.Options{Bucket: -1}, "bucket"},
		"negative cost":  {one, linear(-5, 0), train.Options{}, "cost of -5.000ns"},
		"cost NaN":       {one, linear(math.NaN(), 0), train.Options{}, "cost of NaN"},
		"infinite cost":  {one, linear(math.Inf(1), 0), train.Options{}, "cost of +Inf"},
		"failing cost":   {one, fails, train.Options{}, "no such plan"},
		"sum of bytes":   {layers([4]int64{math.MaxInt64, 0, 0}, [4]int64{1, 0, 0}), linear(0, 0), train.Options{}, "layer 2: bytes"},
		"sum of tokens":  {layers([4]int64{0, 0, 0, math.MaxInt64 / 2}), linear(0, 0), train.Options{}, "layer 1: alltoall_bytes"},
	} {
		_, err := train.Simulate(t.Context(), c.trace, c.cost, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	if _, err := train.Bound(t.Context(), one, fails); !errors.Is(err, broken) {
		t.Errorf("bound: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := train.Simulate(cancelled, one, linear(1, 1), train.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := train.Bound(cancelled, one, linear(1, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestProgressCountsBothPasses(t *testing.T) {
	var last [2]int
	run(t, layers([4]int64{1, 1, 1}, [4]int64{1, 1, 1}), linear(1, 1), train.Options{Progress: func(done, total int) {
		if done != last[0]+1 || total != 4 {
			t.Errorf("%d of %d after %v", done, total, last)
		}
		last = [2]int{done, total}
	}})
	if last != [2]int{4, 4} {
		t.Errorf("ends with %v", last)
	}
}

// BenchmarkSimulate is one minibatch of many layers, each with an allreduce.
func BenchmarkSimulate(b *testing.B) {
	for _, count := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("layers=%d", count), func(b *testing.B) {
			rows := make([][4]int64, count)
			for i := range rows {
				rows[i] = [4]int64{int64(1 + i%7), 10, 20, int64(i % 5)}
			}
			trace := layers(rows...)
			for b.Loop() {
				if _, err := train.Simulate(b.Context(), trace, linear(15, 1), train.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package envelope_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/envelope"
)

// lowestAt is the twin of everything here: it looks at every line.
func lowestAt(lines []envelope.Line, x float64) envelope.Line {
	best := lines[0]
	for _, l := range lines[1:] {
		if l.At(x) < best.At(x) {
			best = l
		}
	}
	return best
}

func randomLines(random *rand.Rand, most int) []envelope.Line {
	lines := make([]envelope.Line, 1+random.IntN(most))
	for i := range lines {
		lines[i] = envelope.Line{Fixed: 1 + random.Float64()*1e5, Slope: float64(random.IntN(40)) / 8, Of: i}
	}
	return lines
}

// places returns points at and around every crossing of two lines, where mistakes are.
func places(lines []envelope.Line) []float64 {
	all := []float64{0, 1e7}
	for _, a := range lines {
		for _, b := range lines {
			if a.Slope != b.Slope {
				if x := a.Meets(b); x > 0 {
					all = append(all, x*0.999, x, x*1.001)
				}
			}
		}
	}
	return all
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

func TestSegmentsAreTheLowestLineEverywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	for range 500 {
		lines := randomLines(random, 8)
		segments := envelope.Segments(nil, envelope.Lowest(lines))
		for i, s := range segments {
			if s.Line != lines[s.Of] {
				t.Fatalf("%v is not line %d of %v", s, s.Of, lines)
			}
			if i == 0 && s.From != 0 || i > 0 && (s.From != segments[i-1].To || s.Slope >= segments[i-1].Slope) || s.To <= s.From {
				t.Fatalf("%v: segments %v", lines, segments)
			}
		}
		if last := segments[len(segments)-1].To; !math.IsInf(last, 1) {
			t.Fatalf("%v: the last ends at %v", lines, last)
		}
		for _, x := range places(lines) {
			for _, s := range segments {
				if x >= s.From && x <= s.To && !close(s.At(x), lowestAt(lines, x).At(x)) {
					t.Fatalf("%v: at %v %v, want %v", lines, x, s.At(x), lowestAt(lines, x).At(x))
				}
			}
		}
	}
}

func TestOfEqualLinesTheFirstIsKept(t *testing.T) {
	got := envelope.Lowest([]envelope.Line{{Fixed: 5, Slope: 2, Of: 7}, {Fixed: 5, Slope: 2, Of: 8}, {Fixed: 5, Slope: 3, Of: 9}})
	if len(got) != 1 || got[0].Of != 7 {
		t.Errorf("%v", got)
	}
}

func TestAppendDoesNotAllocateWithinItsCapacity(t *testing.T) {
	hull := make([]envelope.Line, 0, 64)
	segments := make([]envelope.Segment, 0, 64)
	if n := testing.AllocsPerRun(10, func() {
		hull = hull[:0]
		for i := range 20 {
			hull = envelope.Append(hull, envelope.Line{Fixed: 1000 - math.Sqrt(float64(i)), Slope: float64(i)})
		}
		segments = envelope.Segments(segments[:0], hull)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTraceFindsTheEnvelopeWithTwoQuestionsALine(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 9))
	for range 500 {
		lines := randomLines(random, 12)
		asked := 0
		got, err := envelope.Trace(0, 1e9, func(x float64) (envelope.Line, error) {
			asked++
			return lowestAt(lines, x), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range places(lines) {
			if !close(lowestAt(got, x).At(x), lowestAt(lines, x).At(x)) {
				t.Fatalf("%v: at %v %v, want %v", lines, x, lowestAt(got, x), lowestAt(lines, x))
			}
		}
		if asked > 2*max(1, len(got)) {
			t.Errorf("%v: %d questions for %d lines", lines, asked, len(got))
		}
	}
}

// A search may miss the fastest plan at one delay and find it at another. Lines then meet outside
// the two points, where the caller may have no answer: no delay is negative.
func TestTraceAsksForNoPointBeyondItsEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 9))
	outside := 0
	for range 500 {
		lines := randomLines(random, 12)
		near, far := random.Float64()*10, 1e4+random.Float64()*1e6
		missed := random.IntN(len(lines)) // near one of the ends
		asked := map[float64]envelope.Line{}
		got, err := envelope.Trace(near, far, func(x float64) (envelope.Line, error) {
			if x < near || x > far {
				t.Fatalf("%v: asked for %v, not within %v..%v", lines, x, near, far)
			}
			found := lowestAt(lines, x)
			if x == near || x == far && missed%2 == 0 {
				found = lines[missed]
			}
			asked[x] = found
			return found, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := asked[near], asked[far]; a.Slope > b.Slope && (a.Meets(b) < near || a.Meets(b) > far) {
			outside++
		}
		for x, line := range asked {
			if at := lowestAt(got, x).At(x); at > line.At(x) && !close(at, line.At(x)) {
				t.Fatalf("%v: at %v %v, but %v was found", lines, x, at, line)
			}
		}
	}
	if outside < 50 {
		t.Errorf("only in %d of 500 cases do the first two lines meet outside", outside)
	}
}

func TestAroundEndsWhereAnotherLineIsLower(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 9))
	beaten := 0
	for range 500 {
		lines := randomLines(random, 10)
		ours := lines[0]
		here, least, most := random.Float64()*1e4, 0.0, 1e5
		from, to, ok, err := envelope.Around(here, least, most, ours, envelope.Tolerance, func(x float64) (envelope.Line, error) {
			return lowestAt(lines, x), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			beaten++
			if close(lowestAt(lines, here).At(here), ours.At(here)) {
				t.Fatalf("%v: nothing is below %v at %v", lines, ours, here)
			}
			continue
		}
		// Every crossing decides the ends: the twin takes the nearest on either side.
		wantFrom, wantTo := least, most
		for _, l := range lines {
			if l.Slope == ours.Slope {
				continue
			}
			x := ours.Meets(l)
			if l.Slope < ours.Slope { // lower to the right
				wantTo = min(wantTo, max(here, x))
			} else {
				wantFrom = max(wantFrom, min(here, x))
			}
		}
		if math.Abs(from-wantFrom) > 1e-4 || math.Abs(to-wantTo) > 1e-4 {
			t.Fatalf("%v around %v: %v..%v, want %v..%v", lines, here, from, to, wantFrom, wantTo)
		}
	}
	if beaten == 0 || beaten == 500 {
		t.Errorf("%d of 500 are beaten: the test shows nothing", beaten)
	}
}

func TestLazyIsTheLowestLineWithFewQuestions(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		lines := make([]envelope.Line, 1+random.IntN(6))
		for i := range lines {
			lines[i] = envelope.Line{Fixed: random.Float64() * 1e5, Slope: random.Float64() * 0.1}
		}
		on := map[envelope.Line]bool{} // that are lowest somewhere
		e := envelope.NewLazy(func(_ context.Context, x int64) (envelope.Line, error) {
			best := lowestAt(lines, float64(x))
			on[best] = true
			return best, nil
		})
		const most = 1 << 26
		all := []int64{most, 1}
		for range 400 {
			all = append(all, int64(math.Exp2(26*random.Float64())))
		}
		for _, x := range all {
			got, of, err := e.At(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			want := lowestAt(lines, float64(x)).At(float64(x))
			if math.Abs(got-want) > 1e-8*want || lowestAt(lines, float64(of)).At(float64(x)) != got {
				t.Fatalf("%v: %d is %v by the line of %d; want %v", lines, x, got, of, want)
			}
		}
		if e.Asked() > 4*len(on) {
			t.Errorf("%d questions for %d lines", e.Asked(), len(on))
		}
	}
}

// An oracle that does not always find the lowest: every answer is still the value of a line
// that it has given.
func TestLazyOfAnInexactOracleHasRealValues(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	given := map[int64]envelope.Line{}
	e := envelope.NewLazy(func(_ context.Context, x int64) (envelope.Line, error) {
		given[x] = envelope.Line{Fixed: random.Float64(), Slope: random.Float64()}
		return given[x], nil
	})
	for range 2000 {
		x := int64(1 + random.IntN(1000))
		got, of, err := e.At(t.Context(), x)
		if err != nil || given[of].At(float64(x)) != got {
			t.Fatalf("%d: %v by the line of %d, %v", x, got, of, err)
		}
	}
	if e.Asked() != len(given) || e.Asked() > 1000 {
		t.Errorf("%d questions, %d places", e.Asked(), len(given))
	}
}

func TestAnOracleThatFailsIsReported(t *testing.T) {
	none := errors.New("none")
	oracle := func(float64) (envelope.Line, error) { return envelope.Line{}, none }
	if _, err := envelope.Trace(0, 1, oracle); !errors.Is(err, none) {
		t.Errorf("Trace: %v", err)
	}
	if _, _, _, err := envelope.Around(1, 0, 2, envelope.Line{}, 0, oracle); !errors.Is(err, none) {
		t.Errorf("Around: %v", err)
	}
	e := envelope.NewLazy(func(context.Context, int64) (envelope.Line, error) { return envelope.Line{}, none })
	if _, _, err := e.At(t.Context(), 5); !errors.Is(err, none) {
		t.Errorf("Lazy: %v", err)
	}
}

func TestLazyAsksNothingThatItHasLearnt(t *testing.T) {
	line := envelope.Line{Fixed: 3, Slope: 2}
	e := envelope.NewLazy(func(_ context.Context, x int64) (envelope.Line, error) {
		t.Errorf("asked for %d", x)
		return line, nil
	})
	e.Learn(10, line)
	e.Learn(1000, line)
	e.Learn(10, envelope.Line{Fixed: 7}) // it knows better
	for _, x := range []int64{10, 11, 999, 1000} {
		if got, _, err := e.At(t.Context(), x); err != nil || got != line.At(float64(x)) {
			t.Errorf("%d: %v, %v", x, got, err)
		}
	}
}

package train_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// lowest returns the best of some lines for a size.
func lowest(lines []train.Line, size units.Bytes) train.Line {
	best := lines[0]
	for _, l := range lines[1:] {
		if l.At(size) < best.At(size) {
			best = l
		}
	}
	return best
}

func TestEnvelopeIsTheLowestLineWithFewPlans(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		lines := make([]train.Line, 1+random.IntN(6))
		for i := range lines {
			lines[i] = train.Line{Fixed: units.Time(random.Float64() * 1e5), PerByte: random.Float64() * 0.1}
		}
		on := map[train.Line]bool{} // that are lowest somewhere
		e := train.NewEnvelope(func(_ context.Context, size units.Bytes) (train.Line, error) {
			best := lowest(lines, size)
			on[best] = true
			return best, nil
		})
		const most = 1 << 26
		sizes := []units.Bytes{most, 1}
		for range 400 {
			sizes = append(sizes, units.Bytes(math.Exp2(26*random.Float64())))
		}
		for _, size := range sizes {
			got, of, err := e.At(t.Context(), size)
			if err != nil {
				t.Fatal(err)
			}
			want := lowest(lines, size).At(size)
			if math.Abs(float64(got-want)) > 1e-8*float64(want) || lowest(lines, of).At(size) != got {
				t.Fatalf("%v: size %d takes %v by the plan for %d; want %v", lines, size, got, of, want)
			}
		}
		if e.Plans > 4*len(on) {
			t.Errorf("%d plans for %d lines", e.Plans, len(on))
		}
	}
}

// A planner that does not always find the best: every answer is still the time of a plan
// that it has made.
func TestEnvelopeOfAnInexactPlannerHasRealTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	made := map[units.Bytes]train.Line{}
	e := train.NewEnvelope(func(_ context.Context, size units.Bytes) (train.Line, error) {
		made[size] = train.Line{Fixed: units.Time(random.Float64()), PerByte: random.Float64()}
		return made[size], nil
	})
	for range 2000 {
		size := units.Bytes(1 + random.IntN(1000))
		got, of, err := e.At(t.Context(), size)
		if err != nil || made[of].At(size) != got {
			t.Fatalf("size %d: %v by the plan for %d, %v", size, got, of, err)
		}
	}
	if e.Plans != len(made) || e.Plans > 1000 {
		t.Errorf("%d plans, %d sizes", e.Plans, len(made))
	}
}

func TestEnvelopeReportsThatThereIsNoPlan(t *testing.T) {
	none := errors.New("none")
	e := train.NewEnvelope(func(context.Context, units.Bytes) (train.Line, error) { return train.Line{}, none })
	if _, _, err := e.At(t.Context(), 5); !errors.Is(err, none) {
		t.Errorf("%v", err)
	}
}

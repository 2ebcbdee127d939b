package expand

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
)

// TestTotalsAreExact adds numbers that fit 64 bits and numbers whose sums do not.
func TestTotalsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	wide := 0
	for range 2000 {
		var sum, other total
		want, wantOther := new(big.Rat), new(big.Rat)
		most := int64(1) << (1 + r.IntN(61))
		for range 1 + r.IntN(6) {
			num, den := r.Int64N(most), 1+r.Int64N(most)
			sum.add(num, den)
			want.Add(want, big.NewRat(num, den))
		}
		num, den := r.Int64N(most), 1+r.Int64N(most)
		other.add(num, den)
		wantOther.SetFrac64(num, den)
		if sum.wide != nil {
			wide++
		}
		if sum.rat().Cmp(want) != 0 || sum.less(&other) != (want.Cmp(wantOther) < 0) || other.less(&sum) != (wantOther.Cmp(want) < 0) {
			t.Fatalf("%v, want %v; beside %v", sum.rat(), want, wantOther)
		}
		if difference := sum.minus(&other); !sum.less(&other) && difference.rat().Cmp(want.Sub(want, wantOther)) != 0 {
			t.Fatalf("difference %v, want %v", difference.rat(), want)
		}
	}
	if wide == 0 || wide == 2000 {
		t.Errorf("%d of 2000 sums are wide, want some", wide)
	}
}

func TestPeaksAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var top peak
		want := new(big.Rat)
		most := int64(1) << (1 + r.IntN(40))
		for range 5 {
			var load total
			load.add(r.Int64N(most), 1+r.Int64N(most))
			circuits := 1 + r.Int64N(3)
			top.raise(&load, circuits)
			if each := perCircuit(&load, circuits); want.Cmp(each) < 0 {
				want = each
			}
		}
		if top.rat().Cmp(want) != 0 {
			t.Fatalf("peak %v, want %v", top.rat(), want)
		}
	}
}

func TestSlicesMakeUpTheirInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		den := 2 + r.Int64N(50)
		a := r.Int64N(den)
		from, to := ratio(a, den), ratio(a+1+r.Int64N(den-a), den)
		slices := 1 + r.Int64N(6)
		length := new(big.Rat).Sub(to.Rat(), from.Rat())
		length.Mul(length, big.NewRat(1, slices))
		at := from
		for i := range slices {
			start, end := slice(from, to, i, slices)
			if start != at || new(big.Rat).Sub(end.Rat(), start.Rat()).Cmp(length) != 0 {
				t.Fatalf("slice %d of %d of [%v, %v) is [%v, %v)", i, slices, from, to, start, end)
			}
			at = end
		}
		if at != to {
			t.Fatalf("slices of [%v, %v) end at %v", from, to, at)
		}
		if f := inPart(from, 2, 5); f.Rat().Cmp(new(big.Rat).Mul(new(big.Rat).Add(from.Rat(), big.NewRat(2, 1)), big.NewRat(1, 5))) != 0 {
			t.Fatalf("%v in part 2 of 5 is %v", from, f)
		}
	}
	if inPart(bfb.Frac{Num: 1, Den: 1}, 0, 2) != inPart(bfb.Frac{Num: 0, Den: 1}, 1, 2) {
		t.Error("parts do not meet")
	}
}

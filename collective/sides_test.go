package collective_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

func ExampleSidePart() {
	left := collective.SidesOf(1)
	fmt.Println(collective.SidePart(1, false), collective.SidePart(1, true), left.Has(1), left.Has(2))
	// Output: side1 own+side1 true false
}

// All sets are written as ascending lists and read again.
func TestSidesAreWrittenAsLists(t *testing.T) {
	for bits := 1; bits < 1<<collective.MostSides; bits++ {
		set := collective.Sides(bits)
		text, err := json.Marshal(set)
		if err != nil {
			t.Fatal(err)
		}
		var back collective.Sides
		if err := json.Unmarshal(text, &back); err != nil || back != set {
			t.Errorf("%s is read as %v: %v", text, back, err)
		}
		list := slices.Collect(set.All())
		for side := 1; side <= collective.MostSides; side++ {
			if set.Has(side) != slices.Contains(list, side) {
				t.Errorf("%v has %d: %v", list, side, set.Has(side))
			}
		}
	}
	for text, want := range map[string]string{`[]`: "empty", `[0]`: "0 is not from 1 to 8", `[9]`: "9 is not from 1 to 8", `[2,2]`: "2 after 2", `1`: "list"} {
		var s collective.Sides
		if err := json.Unmarshal([]byte(text), &s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Parts name their side sums, and only transfers that reduce have sides.
func TestPartsOfSides(t *testing.T) {
	seen := map[collective.Part]bool{}
	for _, p := range collective.Parts() {
		if err := p.Check(); err != nil || seen[p] {
			t.Errorf("%q: %v", p, err)
		}
		seen[p] = true
		if side, own := p.Side(); side > 0 && collective.SidePart(side, own) != p {
			t.Errorf("%q is side %d, %v", p, side, own)
		}
	}
	if len(seen) != 3+2*collective.MostSides {
		t.Errorf("%d parts", len(seen))
	}
	for _, a := range collective.Actions() {
		if err := collective.SidesOf(3).Check(a); (err == nil) != (a == collective.Reduce) {
			t.Errorf("%s: %v", a, err)
		}
	}
}

package exchange

import (
	"testing"

	"github.com/lightpath-net/lightpath/plan"
)

// Around a failed link every strategy makes a plan. Request.Better gets the first plan as soon
// as it exists, then ever faster ones, and the answer last.
func TestPlansAroundFailuresAreShownOnTheWay(t *testing.T) {
	r := setting{nodes: 8, ports: 2, size: 1 << 20, set: map[string]string{"avoid": "link:0-1"}}.request(t)
	var shown []*plan.Plan
	r.Better = func(p *plan.Plan) { shown = append(shown, p) }
	best, err := New(Options{}).Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(shown) == 0 || shown[len(shown)-1].Cost.Total() != best.Cost.Total() {
		t.Errorf("%d plans were shown, and %v returned", len(shown), best.Cost.Total())
	}
	for i := 1; i < len(shown); i++ {
		if shown[i].Cost.Total() >= shown[i-1].Cost.Total() {
			t.Errorf("%v was shown after %v", shown[i].Cost.Total(), shown[i-1].Cost.Total())
		}
	}
}

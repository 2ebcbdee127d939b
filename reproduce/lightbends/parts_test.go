package lightbends

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// The claim that differs shows how start-up times consume its gain: its parts are its value and
// the times.
func TestStartUpsTakeTheGainOfSmallMessages(t *testing.T) {
	const id = "light-bends/fig2/most/recursive-doubling/alpha-10us"
	for _, e := range Paper().Entries {
		if e.ID != id {
			continue
		}
		want, err := e.Ours(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Parts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range p {
			if math.IsNaN(part.Value) || math.IsInf(part.Value, 0) {
				t.Errorf("%v", part)
			}
		}
		if p[0].Value != want {
			t.Errorf("%s is %v, the value %v", p[0].Name, p[0].Value, want)
		}
		for i := 2; i < 5; i++ { // start-ups of 5, 2, 1 us and 100 ns
			if p[i].Value > p[i+1].Value {
				t.Errorf("%s: %v, and less with shorter ones: %v", p[i].Name, p[i].Value, p[i+1].Value)
			}
		}
		static, every, best, starts := p[7].Value, p[8].Value, p[9].Value, p[10].Value
		if gain := min(static, every) / best; math.Abs(gain-p[6].Value) > 1e-9 {
			t.Errorf("%s is %v, and %v by the times", p[6].Name, p[6].Value, gain)
		}
		if starts < 0.9*max(static, every) {
			t.Errorf("start-ups take %v of %v us", starts, static)
		}
		if e.Sense != claim.AtLeast || p[1].Value >= e.Published || p[3].Value < e.Published {
			t.Errorf("%v", p)
		}
		return
	}
	t.Fatal("no claim " + id)
}

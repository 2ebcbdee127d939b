package fabric_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// TestDelayModelsKeepTheirContract: every model can be written and read again, its delays are
// within what it says of them, and they are all the same where it says so.
func TestDelayModelsKeepTheirContract(t *testing.T) {
	const nodes, ports = 9, 3
	random := rand.New(rand.NewPCG(3, 4))
	circulant := func() *topology.Graph {
		jumps := make([]int, 1+random.IntN(ports))
		for i := range jumps {
			jumps[i] = 1 + random.IntN(nodes-1)
		}
		return topology.DirectedCirculant(nodes, jumps...)
	}
	for _, text := range []string{
		"10us", "per-port:1us+20ns", "per-circuit:1us+20ns", "per-switch:1us+5us", "per-switch/2:1us+5us",
		"0ns", "per-port:1us+0ns", "per-circuit:0ns+1ns", "per-switch:2us+0ns",
	} {
		r, err := fabric.ParseReconfig(text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := fabric.ParseReconfig(r.String()); err != nil || again != r {
			t.Errorf("%s is written %s and read %+v, %v", text, r, again, err)
		}
		uniform, same := r.Uniform()
		for range 200 {
			from, to := circulant(), circulant()
			if from.Equal(to) {
				if d := r.Delay(from, to); d != 0 {
					t.Errorf("%s: %v for no change", text, d)
				}
				continue
			}
			d := r.Delay(from, to)
			if d < r.Least() || d > r.Most(nodes, ports) {
				t.Errorf("%s, %s to %s: %v, said is %v to %v", text, from.Name(), to.Name(), d, r.Least(), r.Most(nodes, ports))
			}
			if same && d != uniform {
				t.Errorf("%s, %s to %s: %v, said is always %v", text, from.Name(), to.Name(), d, uniform)
			}
		}
	}
}

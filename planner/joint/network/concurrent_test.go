package network

import (
	"reflect"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// TestANetworkIsSharedByGoroutines: what is found on demand is found once, and is what a single
// goroutine would find, whoever asks first.
func TestANetworkIsSharedByGoroutines(t *testing.T) {
	type answer struct {
		turned *Network
		narrow Narrows
		tally  Tally
		ways   []Way
	}
	ask := func(n *Network) (a answer) {
		a.turned, a.narrow = n.Turned(), n.Narrow()
		a.tally, a.ways = n.spread(true, unstopped)
		return a
	}
	oneWay := 0
	for expr := range topology.OfNodes(12, 2) {
		g, err := expr.Build()
		if err != nil {
			t.Fatal(err)
		}
		shared, alone := New(g, topology.Translations{}), New(g, topology.Translations{})
		if shared.Diameter == 0 {
			continue
		}
		answers := make([]answer, 8)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = ask(shared) })
		}
		all.Wait()
		want := ask(alone)
		if want.turned != alone {
			oneWay++
		}
		for _, got := range answers {
			if got.turned != answers[0].turned || (got.turned == shared) != (want.turned == alone) || got.turned.Turned() != shared {
				t.Errorf("%s: goroutines get several networks that are turned round", g.Name())
			}
			if !reflect.DeepEqual(got.turned.Graph, want.turned.Graph) || got.narrow.Network != shared ||
				!reflect.DeepEqual([][]ends{got.narrow.into, got.narrow.outOf}, [][]ends{want.narrow.into, want.narrow.outOf}) ||
				got.tally != want.tally || !reflect.DeepEqual(got.ways, want.ways) {
				t.Errorf("%s: several goroutines find %+v, one by itself %+v", g.Name(), got.tally, want.tally)
			}
		}
	}
	if oneWay == 0 {
		t.Error("no network has another when it is turned round")
	}
}

package server

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Whatever is added, the entries kept stay within the limit, are counted correctly, and are the
// most recently used ones.
func TestRecentAnswersStayWithinTheirMemory(t *testing.T) {
	const most = 64 << 10
	r := newRecent(most)
	dice := rand.New(rand.NewPCG(3, 4))
	for i := range 5000 {
		key := fmt.Sprint(dice.IntN(200))
		if dice.IntN(3) == 0 {
			r.get(key)
			continue
		}
		a := answer{body: make([]byte, dice.IntN(most/3)), plan: key}
		r.put(key, a)
		sum := 0
		for at := r.order.Front(); at != nil; at = at.Next() {
			k := at.Value.(kept)
			sum += k.weight(k.key)
		}
		if got := r.bytes(); got != sum || got > most || r.order.Len() != len(r.byKey) {
			t.Fatalf("after %d: counted %d of %d in %d entries, %d by key; at most %d", i, got, sum, r.order.Len(), len(r.byKey), most)
		}
		if _, ok := r.get(key); ok != (a.weight(key) <= most/4) {
			t.Fatalf("after %d: %d bytes kept: %v", i, a.weight(key), ok)
		}
	}
}

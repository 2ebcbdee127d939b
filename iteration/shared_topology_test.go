package iteration

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// TestWorksThatAreAlikeTakeTheSameTime: groups that are moved on by some ranks take as long on a
// topology of jumps, and keep the ranks busy that are as many further on.
func TestWorksThatAreAlikeTakeTheSameTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 6))
	f := fabric.Default()
	for range 100 {
		ranks, offset := 12+random.IntN(20), random.IntN(12)
		s := newShared(ranks, []int{1, 2 + random.IntN(6)}, 2+random.IntN(2))
		members := random.Perm(ranks)[:2*(2+random.IntN(3))]
		half := len(members) / 2
		op := []collective.Op{collective.AllToAll, collective.AllReduce}[random.IntN(2)]
		w := &Work{Kind: "a", Op: op, Size: units.MiB, Groups: [][]int{members[:half], members[half:]}}
		o := &Work{Kind: "a", Op: op, Size: units.MiB}
		for _, group := range w.Groups {
			moved := slices.Clone(group)
			for i := range moved {
				moved[i] = (moved[i] + offset) % ranks
			}
			o.Groups = append(o.Groups, moved)
		}
		by, ok := w.movedTo(o, ranks)
		if !ok || by != offset {
			t.Fatalf("moved by %d, %v, want %d", by, ok, offset)
		}
		time, on, _ := s.time(&f, w)
		other, onOther, _ := s.time(&f, o)
		if time != other || !slices.Equal(rotated(on, by), onOther) {
			t.Errorf("%v, moved by %d %v; busy %v and %v", time, offset, other, on, onOther)
		}
		o.Groups[0][0], o.Groups[0][1] = o.Groups[0][1], o.Groups[0][0]
		if _, ok := w.movedTo(o, ranks); ok && half > 2 {
			t.Error("groups in another order are alike")
		}
	}
}

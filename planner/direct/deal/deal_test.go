package deal_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/deal"
)

// drawn has random hands of up to six circuits and 200 shards.
func drawn(h *deal.Hands, random *rand.Rand) (shards []uint, circuits int) {
	words := 1 + random.IntN(3)
	h.Clear(words)
	circuits = random.IntN(7)
	shards = make([]uint, 64*words)
	density := 1 + random.IntN(4)
	for i := range circuits {
		row := h.Add()
		clear(row)
		for v := range shards {
			if random.IntN(density+1) == 0 {
				row[v/64] |= 1 << (v % 64)
				shards[v] |= 1 << i
			}
		}
	}
	return shards, circuits
}

// TestReachCounts: one shard at a time.
func TestReachCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var h deal.Hands
	for range 300 {
		shards, circuits := drawn(&h, random)
		if h.Circuits() != circuits {
			t.Fatalf("%d circuits, want %d", h.Circuits(), circuits)
		}
		got := h.Reach()
		if len(got) != 1<<circuits {
			t.Fatalf("%d sets of %d circuits", len(got), circuits)
		}
		for set, count := range got {
			want := int32(0)
			for _, of := range shards {
				if of&uint(set) != 0 {
					want++
				}
			}
			if count != want {
				t.Fatalf("set %b reaches %d, want %d", set, count, want)
			}
		}
	}
}

// TestDealtIsHallsCondition: if Dealt reports true, no set of circuits has too many shards that
// only it can deliver; and if none has, Dealt nearly always reports true.
func TestDealtIsHallsCondition(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	var h deal.Hands
	possible, dealt := 0, 0
	for range 3000 {
		_, circuits := drawn(&h, random)
		reach := append([]int32(nil), h.Reach()...)
		all := int(reach[len(reach)-1])
		rooms := make([]int, circuits)
		for i := range rooms {
			rooms[i] = random.IntN(2 + 2*all/circuits)
		}
		can := true
		for set, count := range reach {
			room := 0
			for rest := uint(len(reach) - 1 - set); rest != 0; rest &= rest - 1 {
				room += rooms[bits.TrailingZeros(rest)]
			}
			can = can && all-int(count) <= room
		}
		got := h.Dealt(func(i int) int { return rooms[i] })
		if got && !can {
			t.Fatalf("rooms %v: dealt what cannot be", rooms)
		}
		if can {
			possible++
		}
		if got {
			dealt++
		}
	}
	t.Logf("%d of %d that can be were dealt", dealt, possible)
	if dealt < possible*9/10 || possible < 100 {
		t.Errorf("only %d of %d were dealt", dealt, possible)
	}
}

// BenchmarkDealt: the times of both for 10 000 shards.
func BenchmarkDealt(b *testing.B) {
	for _, circuits := range []int{3, 8} {
		random := rand.New(rand.NewPCG(3, 3))
		var h deal.Hands
		h.Clear(157)
		for range circuits {
			row := h.Add()
			for j := range row {
				row[j] = random.Uint64() & random.Uint64()
			}
		}
		reach := h.Reach()
		room := int(reach[len(reach)-1])/circuits + 20
		b.Run(string(rune('0'+circuits))+"/dealt", func(b *testing.B) {
			for range b.N {
				h.Dealt(func(int) int { return room })
			}
		})
		b.Run(string(rune('0'+circuits))+"/reach", func(b *testing.B) {
			for range b.N {
				h.Reach()
			}
		})
	}
}

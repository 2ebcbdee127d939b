package deals

import (
	"slices"
	"testing"
)

// followed sends the pieces of a deal, circuit by circuit. It returns the pieces that each node
// has in the end, and the hops and the busiest circuit of each step; nil if a piece comes from a
// node that does not have it, or comes to a node that has it.
func followed(d *Deal, steps [][]Send) (have [][]bool, hops, peaks []int) {
	have = make([][]bool, d.Nodes)
	for v := range have {
		have[v] = make([]bool, d.Pieces)
	}
	for k := range have[0] {
		have[0][k] = true
	}
	circuits := map[[2]int32]int{}
	for a, v := range d.To {
		circuits[[2]int32{int32(a / d.Degree), int32(v)}]++
	}
	for _, sent := range steps {
		load, furthest, peak := map[[2]int32]int{}, 0, 0
		var got []Send
		for _, s := range sent {
			last := len(s.Path) - 1
			furthest = max(furthest, last)
			for i := range last {
				over := [2]int32{s.Path[i], s.Path[i+1]}
				if circuits[over] == 0 {
					return nil, nil, nil
				}
				load[over]++
				peak = max(peak, (load[over]+circuits[over]-1)/circuits[over])
			}
			if !have[s.Path[0]][s.Piece] || have[s.Path[last]][s.Piece] {
				return nil, nil, nil
			}
			got = append(got, s)
		}
		for _, s := range got {
			at := have[s.Path[len(s.Path)-1]]
			if at[s.Piece] {
				return nil, nil, nil // twice in a step
			}
			at[s.Piece] = true
		}
		hops, peaks = append(hops, furthest), append(peaks, peak)
	}
	return have, hops, peaks
}

// Every stored deal brings each piece to each node once, within the hops and loads that it claims,
// and over no more circuits than a node has.
func TestDealsDeliver(t *testing.T) {
	for _, d := range All() {
		steps, ok := d.Steps()
		if !ok {
			t.Errorf("%s: does not deliver", d.Line())
			continue
		}
		have, hops, peaks := followed(&d, steps)
		if have == nil || len(hops) != 1+len(d.Rounds) || hops[0] > d.Hops || peaks[0] > d.First {
			t.Errorf("%s: sends what is not there, or too far, or too much", d.Line())
			continue
		}
		for v, pieces := range have {
			if slices.Contains(pieces, false) {
				t.Errorf("%s: node %d lacks a piece", d.Line(), v)
			}
		}
		for i, most := range d.Rounds {
			if hops[i+1] > 1 || peaks[i+1] > most {
				t.Errorf("%s: round %d takes %d hops and %d pieces on a circuit", d.Line(), i+1, hops[i+1], peaks[i+1])
			}
		}
		ways := map[[2]int]int{}
		for a, v := range d.To {
			ways[[2]int{a / d.Degree, v}]++
		}
		for way, count := range ways {
			if d.TwoWay && ways[[2]int{way[1], way[0]}] != count {
				t.Errorf("%s: circuits %v lead only one way", d.Line(), way)
			}
		}
	}
}

// Lines that are written and read again are the same.
func TestLinesAreReadAsWritten(t *testing.T) {
	if len(All()) == 0 {
		t.Error("no deals are stored")
	}
	for _, d := range All() {
		again, err := Read(d.Line())
		if err != nil || len(again) != 1 || again[0].Line() != d.Line() {
			t.Errorf("%s: read as %+v, %v", d.Line(), again, err)
		}
	}
	for _, line := range []string{
		"one 2 1 1 1 1,1 10", "three 2 1 1 1 1,1 10 10", "one 0 1 1 1 1,1 10 10", "one 2 9 1 1 1,1 111111111000000000 10",
		"one 2 1 1 1 0,1 10 10", "one 2 1 1 1 1,1 1 10", "one 2 1 1 1 1,1 12 10", "one 3 1 1 1 1,1 100 10",
		"one 2 1 1 1 1,1 10 00", "one 2 1 1 1 1,1 10 11", "one 2 1 1 1 1,1 10 1", "one 2 1 1 1 1,1 10 1010", "one 2 1 63 1 1,1 10 10",
	} {
		if _, err := Read(line); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}

// The most pieces that can come over circuits is what the choice of pieces reaches.
func TestMatchIsALargestMatching(t *testing.T) {
	for seed := range uint64(2000) {
		x := seed*0x9E3779B97F4A7C15 + 1
		offered := make([]uint64, 1+seed%4)
		for i := range offered {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			offered[i] = x & (x >> 9) & 0xFFF
		}
		for most := 1; most <= 4; most++ {
			got := match(offered, most)
			sum, all := 0, uint64(0)
			for i, pieces := range got {
				if i < len(offered) && pieces&^offered[i] != 0 || pieces&all != 0 {
					t.Fatalf("%x, %d: got %x", offered, most, got)
				}
				all |= pieces
				for ; pieces != 0; pieces &= pieces - 1 {
					sum++
				}
			}
			if best := matched(offered, most); sum != best {
				t.Fatalf("%x, %d: got %d pieces, want %d", offered, most, sum, best)
			}
		}
	}
}

// A search finds the proven optimum for 256 KiB, 6 nodes and 2 ports; and never a deal that the
// counts of Slack exclude, although those with a Slack of 1 need not exist.
func TestSearchFindsTheOptimum(t *testing.T) {
	found := false
	for seed := range uint64(20) {
		task := Task{Nodes: 6, Degree: 2, Pieces: 3, Hops: 2, First: 3, Rounds: []int{1}, Moves: 20_000, Seed: seed}
		d, lacks := task.Search()
		if lacks > 0 {
			continue
		}
		found = true
		steps, ok := d.Steps()
		if have, _, _ := followed(&d, steps); !ok || have == nil {
			t.Errorf("%s: does not deliver", d.Line())
		}
	}
	if !found {
		t.Error("not found")
	}
	for nodes := 4; nodes <= 8; nodes++ {
		for first := 1; first <= 3; first++ {
			for pieces := 2; pieces <= 4; pieces++ {
				task := Task{Nodes: nodes, Degree: 2, Pieces: pieces, Hops: 2, First: first, Rounds: []int{1, 1}, Moves: 2_000, Seed: 1}
				if _, lacks := task.Search(); lacks == 0 && task.Slack() < 1 {
					t.Errorf("%+v has a slack of %v and is found", task, task.Slack())
				}
			}
		}
	}
}

// A file of any text is read without a panic, and what is read can be laid out.
func FuzzRead(f *testing.F) {
	f.Add("one 6 2 6 2 5,2 122534450301 10112223343540415253")
	f.Add("two 3 2 2 1 1,1 121202 1021")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Read(text)
		if err != nil {
			return
		}
		for _, d := range list {
			d.Steps()
			if again, err := Read(d.Line()); err != nil || again[0].Line() != d.Line() {
				t.Errorf("%q: read again as %+v, %v", d.Line(), again, err)
			}
		}
	})
}

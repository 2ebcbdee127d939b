package placing

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
)

// some examines slices that are likely to be good, and then exchanges of one GPU of the best. If
// enough whole blocks of fixed links are free, they are the slice, because parts of blocks are
// not a torus.
func (s *search) some(ctx context.Context, free []int) error {
	if whole := s.wholeBlocks(free); whole != nil {
		s.among = "slices of whole blocks of fixed links; not all slices"
		if err := s.look(ctx, whole, "whole blocks of fixed links"); err != nil || s.best != nil {
			return err
		}
	}
	list := s.candidates(free)
	most, swaps := mostPlanned-mostSwaps, mostSwaps
	if !s.request.Fabric.Fixed.IsZero() {
		most, swaps = mostLinked, 0
	}
	for i, c := range list {
		if s.plans >= most {
			break
		}
		s.report(i, len(list)+mostSwaps)
		if err := s.look(ctx, c.gpus, c.why); err != nil {
			return err
		}
	}
	until := s.plans + swaps
	for better := true; better && s.best != nil && s.plans < until; {
		before := s.best
		if err := s.exchange(ctx, free, until); err != nil {
			return err
		}
		better = s.best != before
	}
	return nil
}

// exchange tries to replace one GPU of the best slice by a free one.
func (s *search) exchange(ctx context.Context, free []int, until int) error {
	chosen := s.chosen
	for out := len(chosen) - 1; out >= 0; out-- {
		for _, in := range free {
			if slices.Contains(chosen, in) {
				continue
			}
			if s.plans >= until {
				return nil
			}
			other := slices.Clone(chosen)
			other[out] = in
			slices.Sort(other)
			before := s.best
			if err := s.look(ctx, other, "an exchange of one GPU"); err != nil || s.best != before {
				return err
			}
			if len(s.seen) > mostSlices {
				return nil
			}
		}
	}
	return nil
}

// candidate is a slice that may be good.
type candidate struct {
	gpus []int
	why  string
}

// candidates lists slices, the likeliest first.
func (s *search) candidates(free []int) []candidate {
	k := s.request.NodesNeeded
	var all []candidate
	add := func(gpus []int, why string) {
		if len(gpus) < k {
			return
		}
		taken := slices.Clone(gpus[:k])
		slices.Sort(taken)
		all = append(all, candidate{taken, why})
	}
	s.byIsland(free, add)
	s.byBlock(free, add)
	s.byLines(free, add)
	ported := slices.Clone(free)
	slices.SortStableFunc(ported, func(a, b int) int { return cmp.Compare(s.lost(a), s.lost(b)) })
	add(ported, "the GPUs with the most ports")
	const windows = 32
	step := max(1, (len(free)-k)/windows)
	for from := 0; from+k <= len(free); from += step {
		add(free[from:from+k], fmt.Sprintf("neighbours from GPU %d", free[from]))
	}
	return all
}

// lost counts the ports that a GPU has lost.
func (s *search) lost(u int) int {
	count := 0
	for port := range s.request.Fabric.Ports {
		if s.request.Fabric.Lost(u, port) {
			count++
		}
	}
	return count
}

// byIsland adds slices of as few islands as possible, with the same number of GPUs in each. It
// first uses islands with exactly that number of free GPUs, so that whole islands are left to
// other jobs.
func (s *search) byIsland(free []int, add func(gpus []int, why string)) {
	f, k := &s.request.Fabric, s.request.NodesNeeded
	if f.Island.IsZero() {
		return
	}
	members := map[int][]int{}
	for _, u := range free {
		if f.InIsland(u) {
			members[u/f.Island.Size] = append(members[u/f.Island.Size], u)
		}
	}
	var islands [][]int
	for i := range f.Islands() {
		if gpus := members[i]; gpus != nil {
			slices.SortStableFunc(gpus, func(a, b int) int { return cmp.Compare(s.lost(a), s.lost(b)) })
			islands = append(islands, gpus)
		}
	}
	worst := func(gpus []int) int { return s.lost(gpus[len(gpus)-1]) }
	for each := min(k, f.Island.Size); each >= 1; each-- {
		if k%each != 0 {
			continue
		}
		var fit [][]int
		for _, gpus := range islands {
			if len(gpus) >= each {
				fit = append(fit, gpus)
			}
		}
		if len(fit) < k/each {
			continue
		}
		slices.SortStableFunc(fit, func(a, b []int) int {
			return cmp.Or(cmp.Compare(worst(a[:each]), worst(b[:each])), cmp.Compare(len(a), len(b)))
		})
		var gpus []int
		for _, island := range fit[:k/each] {
			gpus = append(gpus, island[:each]...)
		}
		add(gpus, fmt.Sprintf("%d GPUs of each of %d islands", each, k/each))
	}
	slices.SortStableFunc(islands, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	add(slices.Concat(islands...), "the fewest islands")
}

// wholeBlocks returns free whole blocks of fixed links, those that have lost the fewest ports
// first. It returns nil if there are not enough, or if the job needs a part of a block.
func (s *search) wholeBlocks(free []int) []int {
	f, k := &s.request.Fabric, s.request.NodesNeeded
	block := f.Fixed.Links.Block()
	if block == nil || k%block.Nodes() != 0 {
		return nil
	}
	size := block.Nodes()
	blocks, lost := map[int][]int{}, map[int]int{}
	for _, u := range free {
		blocks[u/size] = append(blocks[u/size], u)
		lost[u/size] += s.lost(u)
	}
	whole := slices.Sorted(maps.Keys(blocks))
	whole = slices.DeleteFunc(whole, func(b int) bool { return len(blocks[b]) < size })
	if len(whole)*size < k {
		return nil
	}
	slices.SortStableFunc(whole, func(a, b int) int { return cmp.Compare(lost[a], lost[b]) })
	chosen := whole[:k/size]
	slices.Sort(chosen)
	var gpus []int
	for _, b := range chosen {
		gpus = append(gpus, blocks[b]...)
	}
	return gpus
}

// byBlock adds slices of one block of fixed links.
func (s *search) byBlock(free []int, add func(gpus []int, why string)) {
	block := s.request.Fabric.Fixed.Links.Block()
	if block == nil {
		return
	}
	for first := 0; first < s.request.Fabric.Nodes; first += block.Nodes() {
		from, _ := slices.BinarySearch(free, first)
		to, _ := slices.BinarySearch(free, first+block.Nodes())
		add(free[from:to], fmt.Sprintf("GPUs of the block from GPU %d", first))
	}
}

// byLines adds slices that are subgrids of a grid: some rows and columns whose GPUs are all
// free. For other layouts it adds the GPUs of one switch.
func (s *search) byLines(free []int, add func(gpus []int, why string)) {
	f, k := &s.request.Fabric, s.request.NodesNeeded
	if f.Layout.IsZero() {
		return
	}
	if sides, _ := f.Layout.Grid(f.AllPorts()); len(sides) == 2 {
		isFree := each.Set(free)
		for rows := min(k, sides[0]); rows >= 1; rows-- {
			if k%rows == 0 && k/rows <= sides[1] {
				if gpus := subgrid(isFree, sides, rows, k/rows); gpus != nil {
					add(gpus, fmt.Sprintf("%d rows and %d columns", rows, k/rows))
				}
			}
		}
		return
	}
	p, on := f.Plugging(), map[int][]int{}
	for _, u := range free {
		for port := range f.Ports {
			if sw := p.Switch(u, port); sw >= 0 && !f.Lost(u, port) && (len(on[sw]) == 0 || on[sw][len(on[sw])-1] != u) {
				on[sw] = append(on[sw], u)
			}
		}
	}
	for sw := range p.Switches() {
		add(on[sw], fmt.Sprintf("GPUs of switch %d", sw))
	}
}

// subgrid returns a subgrid of free GPUs with the given numbers of rows and columns, or nil if
// it finds none. It adds rows one by one, each time the row that leaves the most columns free.
func subgrid(free map[int]bool, sides []int, rows, columns int) []int {
	left := arithmetic.UpTo(sides[1])
	var taken []int
	for range rows {
		best, kept := -1, []int(nil)
		for r := range sides[0] {
			if slices.Contains(taken, r) {
				continue
			}
			here := each.Where(left, func(c int) bool { return free[r*sides[1]+c] })
			if best < 0 || len(here) > len(kept) {
				best, kept = r, here
			}
		}
		if len(kept) < columns {
			return nil
		}
		taken, left = append(taken, best), kept
	}
	var gpus []int
	for _, r := range taken {
		gpus = append(gpus, each.Of(left[:columns], func(c int) int { return r*sides[1] + c })...)
	}
	return gpus
}

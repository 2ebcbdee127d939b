package layout

import "github.com/lightpath-net/lightpath/internal/arithmetic"

// mostNarrowed is the largest number of GPUs for which grids with fewer ports are tried.
const mostNarrowed = 32

// Narrower returns the same grid of the given number of GPUs with fewer ports in some digits,
// at least one in each: circuits there are circuits here. Other layouts, and those of many
// GPUs, have none. It is computed once.
func (l Layout) Narrower(nodes, ports int) []*Plugging {
	sides, share := l.Grid(ports)
	if share == nil || nodes > mostNarrowed {
		return nil
	}
	w := l.read
	w.made.Lock()
	defer w.made.Unlock()
	key := [2]int{nodes, ports}
	if all, ok := w.less[key]; ok {
		return all
	}
	var all []*Plugging
	var choose func(fewer []int)
	choose = func(fewer []int) {
		if len(fewer) < len(share) {
			for k := 1; k <= share[len(fewer)]; k++ {
				choose(append(fewer[:len(fewer):len(fewer)], k))
			}
			return
		}
		sum := arithmetic.Sum(fewer)
		if sum == ports {
			return
		}
		if narrow, err := Grid(sides, fewer); err == nil {
			if p, err := narrow.Plug(nodes, sum); err == nil {
				all = append(all, p)
			}
		}
	}
	choose(nil)
	if w.less == nil {
		w.less = map[[2]int][]*Plugging{}
	}
	w.less[key] = all
	return all
}

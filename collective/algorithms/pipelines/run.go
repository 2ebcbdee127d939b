package pipelines

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
)

// Steps sends pieces down trees, piece p down tree p mod len(trees): in every step a
// node sends at most ports pieces, each to another node, and receives at most ports,
// the earliest pieces first. It is a greedy list schedule, so the number of steps is
// what comes out: for one tree of out-degree d, one port and depth h about d*(h+parts).
func Steps(n, parts, ports int, trees []Tree) []collective.Step {
	r := newRun(n, parts, ports, trees)
	r.now.listed = true
	var steps []collective.Step
	for missing := parts * (n - 1); missing > 0; {
		r.step()
		missing -= len(r.now.step.Base)
		steps = append(steps, r.now.step)
	}
	return steps
}

// run is a pipeline on its way.
//
// Of a piece only the nodes are looked at that have it and have yet to send it on, and of
// the pieces only those that are under way, and more while the root has a port.
type run struct {
	parts, ports int
	trees        []Tree
	pieces       []*piece // those from first on that have left the root, nil where one has not
	first        int      // piece that is not everywhere
	started      int      // the last that has left the root, -1 before
	now          filling
	text         []byte // of state
}

func newRun(n, parts, ports int, trees []Tree) *run {
	now := filling{sends: make([][]int, n), receives: make([]int, n), ports: ports}
	return &run{parts: parts, ports: ports, trees: trees, started: -1, now: now}
}

// step makes the next step.
func (r *run) step() {
	now := &r.now
	now.step, now.most, now.full = collective.Step{}, 0, nil
	for _, u := range now.used {
		now.sends[u], now.receives[u] = now.sends[u][:0], 0
	}
	now.used = now.used[:0]
	held := 0 // pieces in a row that could not leave the root
	for number := r.first; number < r.parts && held < len(r.trees); number++ {
		var p *piece
		if at := number - r.first; at < len(r.pieces) {
			p = r.pieces[at]
		}
		if p == nil {
			if len(now.sends[0]) == r.ports {
				if number > r.started {
					break
				}
				continue
			}
			p = &piece{holders: []holder{{}}}
		}
		sent := now.pass(p, number, r.trees[number%len(r.trees)])
		if sent > 0 {
			for len(r.pieces) <= number-r.first {
				r.pieces = append(r.pieces, nil)
			}
			r.pieces[number-r.first], r.started = p, max(r.started, number)
			held = 0
		} else if number > r.started {
			held++ // once there was one for each tree, none can
		}
	}
	for len(r.pieces) > 0 && r.pieces[0] != nil && len(r.pieces[0].holders) == 0 {
		r.pieces = r.pieces[1:]
		r.first++
	}
}

// piece is a piece of a pipeline that has left the root.
type piece struct {
	holders []holder // that have yet to send it on, ascending
}

// holder is a node that has a piece, and how many of its children it has served.
type holder struct{ node, sent int }

// filling is a step that is being filled.
type filling struct {
	listed   bool // transfers are listed
	step     collective.Step
	runs     collective.Chunks // of the transfers, many at a time
	sends    [][]int           // to whom, by node
	receives []int
	used     []int // nodes that send or receive: a chain of thousands has steps of one transfer
	ports    int
	most     int      // of what a node has sent or received so far
	full     []int    // full[m-1] is the number of the piece, from 1, with which that was m
	reached  []holder // of the piece that is passed on
}

// list adds the transfer of a piece.
func (s *filling) list(number, src, dst int) {
	if !s.listed {
		return
	}
	if len(s.runs) == cap(s.runs) {
		s.runs = make(collective.Chunks, 0, 1024)
	}
	s.runs = append(s.runs, collective.Run{First: number, Count: 1, Stride: 1})
	last := len(s.runs)
	s.step.Base = append(s.step.Base, collective.Transfer{Src: src, Dst: dst, Action: collective.Copy, Chunks: s.runs[last-1 : last : last]})
}

// pass sends a piece on as far as ports allow, and returns how often.
func (s *filling) pass(p *piece, number int, children Tree) int {
	sent := 0
	reached := s.reached[:0]
	waiting := p.holders[:0]
	for _, h := range p.holders {
		u := h.node
		for h.sent < len(children[u]) {
			v := children[u][h.sent]
			if len(s.sends[u]) == s.ports || s.receives[v] == s.ports || slices.Contains(s.sends[u], v) {
				break
			}
			s.sends[u] = append(s.sends[u], v)
			s.receives[v]++
			s.used = append(s.used, u, v)
			s.most = max(s.most, len(s.sends[u]), s.receives[v])
			h.sent++
			sent++
			if len(children[v]) > 0 {
				reached = append(reached, holder{node: v})
			}
			s.list(number, u, v)
		}
		if h.sent < len(children[u]) {
			waiting = append(waiting, h)
		}
	}
	p.holders = waiting
	if len(reached) > 0 {
		p.holders = append(waiting, reached...)
		if len(p.holders) > 1 {
			slices.SortFunc(p.holders, func(a, b holder) int { return a.node - b.node })
		}
	}
	s.reached = reached
	for len(s.full) < s.most {
		s.full = append(s.full, number+1)
	}
	return sent
}

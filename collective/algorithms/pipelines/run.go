package pipelines

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
)

// Steps sends pieces down trees, piece p down tree p mod len(trees). In every step a node sends
// at most ports pieces, each to another node, and receives at most ports; the earliest pieces
// go first. It is a greedy list schedule, so the number of steps is not known in advance: for
// one tree of out-degree d, one port and depth h it is about d*(h+parts).
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

// run is a running pipeline.
//
// For each piece, it looks only at the nodes that have the piece and have yet to send it on. It
// looks only at pieces under way, and at further ones while the root has a free port.
type run struct {
	parts, ports int
	trees        []Tree
	pieces       []*piece // from first on: those that have left the root; nil for one that has not
	first        int      // the first piece that is not everywhere
	started      int      // the last piece that has left the root, -1 before
	now          filling
	text         []byte // buffer of state
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
	held := 0 // consecutive pieces that could not leave the root
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
			held++ // once there was one for each tree, no further piece can leave
		}
	}
	for len(r.pieces) > 0 && r.pieces[0] != nil && len(r.pieces[0].holders) == 0 {
		r.pieces = r.pieces[1:]
		r.first++
	}
}

// piece is a piece of a pipeline that has left the root.
type piece struct {
	holders []holder // nodes that have yet to send it on, ascending
}

// holder is a node that has a piece, and how many of its children it has served.
type holder struct{ node, sent int }

// filling is a step that is being filled.
type filling struct {
	listed   bool                       // whether transfers are listed
	sent     func(number, src, dst int) // told of every transfer, if not nil
	step     collective.Step
	runs     collective.Chunks // chunks of the transfers, allocated in blocks
	sends    [][]int           // receivers, by sender
	receives []int
	used     []int // nodes that send or receive: a chain of thousands has steps of one transfer
	ports    int
	most     int      // most that any node has sent or received so far
	full     []int    // full[m-1] is the number of pieces, in order, after which most is m
	reached  []holder // new holders of the current piece
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

// pass forwards a piece as far as ports allow, and returns the number of transfers.
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
			if s.sent != nil {
				s.sent(number, u, v)
			}
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

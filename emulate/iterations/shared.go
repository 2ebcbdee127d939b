package iterations

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// shared makes the plan of an operation over circuits that all ranks share: all groups do their
// parts of a step together. Groups communicate around a ring and all-to-alls shift, as in the
// plan of the iteration (iteration.Agenda.Walks); this function adds which data goes where.
func shared(a *iteration.Agenda, x *iteration.Item) (*plan.Plan, error) {
	ranks := x.Groups[0]
	place := func(rank int) int { return slices.Index(ranks, rank) }
	task := a.Task(x)
	f := fabric.Default()
	f.Nodes, f.Ports, f.Bandwidth, f.Alpha, f.Delta, f.Gamma, f.Forwarding = len(ranks), 0, a.Fabric.Bandwidth, a.Fabric.Alpha, a.Fabric.Delta, a.Fabric.Gamma, a.Fabric.Forwarding
	c := &a.Circuits[x.Op.Circuits-1]
	var edges []topology.Edge
	for k, jump := range c.Jumps {
		f.Ports += c.Width[k]
		for _, u := range ranks {
			if v := (u + jump) % a.Ranks; slices.Contains(ranks, v) {
				edges = append(edges, topology.Edge{From: place(u), To: place(v), Count: c.Width[k]})
			}
		}
	}
	s := &sharedData{op: task.Op.Op, size: task.Op.Size, skew: task.Op.Skew}
	for _, group := range a.Together(x) {
		places := each.Of(group, place)
		s.groups = append(s.groups, places)
	}
	if task.Type == workload.Send {
		s.op = ""
	}
	if err := s.lay(); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Op.ID, err)
	}
	p := &plan.Plan{Fabric: f}
	p.Collective.Op, p.Collective.Space = collective.Pattern, s.space(len(ranks))
	sum := each.Sum(s.pieces, func(piece collective.Piece) float64 { return piece.Bytes })
	p.Collective.Size = units.Bytes(math.Ceil(sum))
	stage := plan.Stage{Topology: topology.New(len(ranks), c.Name, edges)}
	step := 0
	for _, walk := range a.Walks(x) {
		for range walk.Times {
			made := plan.Step{Index: step + 1}
			for k, t := range s.step(step) {
				path := make([]int32, len(walk.Paths[k]))
				for i, r := range walk.Paths[k] {
					path[i] = int32(place(int(r)))
				}
				made.Base = append(made.Base, plan.Transfer{Transfer: t, Routes: []flow.Route{{Path: path, Share: 1}}})
			}
			stage.Steps = append(stage.Steps, made)
			step++
		}
	}
	p.Stages = []plan.Stage{stage}
	return p, nil
}

// sharedData is the data of groups that do the same operation at the same time.
type sharedData struct {
	op     collective.Op // "": a send
	size   units.Bytes
	skew   string
	groups [][]int
	pieces []collective.Piece
	number int // number of pieces of a group
}

func (s *sharedData) space(nodes int) collective.Space {
	return collective.Space{Kind: collective.Listed, Nodes: nodes, Pieces: s.pieces}
}

// lay lists the pieces of all groups.
func (s *sharedData) lay() error {
	for _, group := range s.groups {
		n := len(group)
		part := float64(s.size) / float64(n)
		before := len(s.pieces)
		switch s.op {
		case "":
			s.pieces = append(s.pieces, collective.Piece{Bytes: float64(s.size), From: group[:1], To: group[1:2]})
		case collective.AllReduce, collective.AllGather, collective.ReduceScatter:
			for b := range n {
				piece := collective.Piece{Bytes: part, From: group, To: group, Reduces: s.op != collective.AllGather}
				if s.op == collective.AllGather {
					piece.From = group[b : b+1]
				}
				if s.op == collective.ReduceScatter {
					piece.To = group[b : b+1]
				}
				s.pieces = append(s.pieces, piece)
			}
		case collective.AllToAll:
			demand, err := workload.Demand(s.skew, n, s.size)
			if err != nil {
				return err
			}
			for i := range n {
				for j := range n {
					piece := collective.Piece{Bytes: part, From: group[i : i+1], To: group[j : j+1]}
					if demand != nil {
						piece.Bytes = float64(demand[i][j])
					}
					s.pieces = append(s.pieces, piece)
				}
			}
		default:
			return fmt.Errorf("%s: %w", s.op, ErrShared)
		}
		s.number = len(s.pieces) - before
	}
	return nil
}

// step lists the transfers of all members of all groups in a step, from 0.
func (s *sharedData) step(t int) []collective.Transfer {
	var list []collective.Transfer
	for g, group := range s.groups {
		n := len(group)
		send := func(from, to, piece int, action collective.Action) {
			list = append(list, collective.Transfer{Src: group[from], Dst: group[to], Chunks: collective.Single(g*s.number + piece), Action: action})
		}
		if s.op == "" {
			send(0, 1, 0, collective.Copy)
			continue
		}
		for i := range n {
			// Around a ring, a block is reduced until its sum is at its place, and then copied
			// on.
			switch reduces := s.op == collective.ReduceScatter || s.op == collective.AllReduce && t < n-1; {
			case s.op == collective.AllToAll:
				send(i, (i+t+1)%n, i*n+(i+t+1)%n, collective.Copy)
			case reduces:
				send(i, (i+1)%n, (i-t-1+2*n)%n, collective.Reduce)
			default:
				send(i, (i+1)%n, arithmetic.Offset(t%(n-1), i, n), collective.Copy)
			}
		}
	}
	return list
}

// share returns the program of an operation over shared circuits, and adds its plan to the
// document.
func (b *builder) share(x *iteration.Item) (wire.ProgramID, *plan.Plan, error) {
	t := b.Agenda.Task(x)
	key := fmt.Sprint(x.Op.Circuits, t.Op.Kind, t.Op.Op, int64(t.Op.Size), t.Op.Skew, b.Agenda.Nodes[x.Node].Classes)
	number, known := b.shared[key]
	if !known {
		p, err := shared(b.Agenda, x)
		if err != nil {
			return wire.ProgramID{}, nil, err
		}
		text := &bytes.Buffer{}
		if err := p.Encode(text); err != nil {
			return wire.ProgramID{}, nil, err
		}
		b.Document.Plans = append(b.Document.Plans, bytes.TrimSpace(text.Bytes()))
		b.sharedPlans = append(b.sharedPlans, p)
		number = len(b.sharedPlans) - 1
		b.shared[key] = number
	}
	return wire.ProgramID{Plan: len(b.Agenda.Plans) + number + 1}, b.sharedPlans[number], nil
}

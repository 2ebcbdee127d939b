package routing

import (
	"context"
	"iter"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/shop"
)

// Flows holds ways over topologies for any demand, without times.
type Flows struct {
	Nodes, Ports int
	// Stages are the circuits of each stage: Stages[i][p][u] is the node to which port p of
	// node u has a circuit in stage i, or -1.
	Stages [][][]int
	// Parts are in ascending order of source and destination.
	Parts []Part
	// Finer is the number of units of an amount that make a unit of the demand; 0 stands for 1.
	Finer int
}

// Part is an amount of one node's data for another, and its way.
type Part struct {
	Src, Dst int32
	Amount   int // > 0
	// Hops are single hops in ascending order of stage. Their ports are the circuits,
	// numbered port*nodes+node.
	Hops []model.Leg
}

// Sort puts the parts in order, those of a pair in the order in which they are: by destination,
// and then by source.
func (f *Flows) Sort() {
	f.Parts = f.byNode(f.Parts, func(p *Part) int32 { return p.Dst })
	f.Parts = f.byNode(f.Parts, func(p *Part) int32 { return p.Src })
}

// byNode sorts parts by a node, and keeps the order of those with the same.
func (f *Flows) byNode(parts []Part, node func(*Part) int32) []Part {
	first := make([]int, f.Nodes+1)
	for i := range parts {
		first[node(&parts[i])+1]++
	}
	for u := range f.Nodes {
		first[u+1] += first[u]
	}
	sorted := make([]Part, len(parts))
	for i := range parts {
		u := node(&parts[i])
		sorted[first[u]] = parts[i]
		first[u]++
	}
	return sorted
}

// Pairs yields the parts of every pair of nodes, which are consecutive.
func (f *Flows) Pairs() iter.Seq[[]Part] {
	return func(yield func([]Part) bool) {
		for rest := f.Parts; len(rest) > 0; {
			end := 1
			for end < len(rest) && rest[end].Src == rest[0].Src && rest[end].Dst == rest[0].Dst {
				end++
			}
			if !yield(rest[:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}

// Loads returns what each circuit of each stage carries, numbered port*nodes+node.
func (f *Flows) Loads() [][]int {
	loads := make([][]int, len(f.Stages))
	for i, circuits := range f.Stages {
		loads[i] = make([]int, len(circuits)*f.Nodes)
	}
	for _, part := range f.Parts {
		for _, hop := range part.Hops {
			loads[hop.Stage][hop.Port] += part.Amount
		}
	}
	return loads
}

// Busiest returns, for every stage, the largest load of a circuit in units of the demand, where
// circuits between the same nodes share what they carry.
func (f *Flows) Busiest() []float64 {
	busiest := make([]float64, len(f.Stages))
	for i, loads := range f.Loads() {
		circuits := f.Stages[i]
		for u := range f.Nodes {
			for p := range circuits {
				if loads[p*f.Nodes+u] == 0 {
					continue
				}
				sum, count := 0, 0
				for q := range circuits {
					if circuits[q][u] == circuits[p][u] {
						sum += loads[q*f.Nodes+u]
						count++
					}
				}
				busiest[i] = max(busiest[i], float64(sum)/float64(count*max(1, f.Finer)))
			}
		}
	}
	return busiest
}

// Slots returns the sum over stages of the largest load, rounded down.
func (f *Flows) Slots() int {
	return int(arithmetic.Sum(f.Busiest()))
}

// mostLoaded returns the sum over stages of the largest load.
func mostLoaded(loads [][]int) int {
	sum := 0
	for _, stage := range loads {
		most := 0
		for _, l := range stage {
			most = max(most, l)
		}
		sum += most
	}
	return sum
}

// Idle reports whether some stage carries nothing.
func (f *Flows) Idle() bool {
	used := make([]bool, len(f.Stages))
	for _, part := range f.Parts {
		for _, hop := range part.Hops {
			used[hop.Stage] = true
		}
	}
	for _, u := range used {
		if !u {
			return true
		}
	}
	return false
}

// Schedule assigns a slot to every hop; amounts are numbers of chunks. Every stage is a job
// shop in which circuits are machines. The chunks of a pair go to its parts in turn.
func (f *Flows) Schedule(ctx context.Context, strategy string) (*model.Schedule, error) {
	n := f.Nodes
	s := &model.Schedule{Nodes: n, Ports: f.Ports, Strategy: strategy, Stages: make([]model.Stage, len(f.Stages))}
	for i, jobs := range f.jobs() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		st := &s.Stages[i]
		st.Circuits = f.Stages[i]
		var pieces []shop.Piece
		pieces, st.Slots = shop.JobShop(jobs.legs, len(f.Stages[i])*n)
		for _, p := range pieces {
			port, from := int32(p.Machine/n), int32(p.Machine%n)
			st.Runs = append(st.Runs, model.Run{Chunk: jobs.chunks[p.Job], From: from, Port: port, Slot: int32(p.Start), Hops: int32(p.Length)})
		}
		st.SortRuns()
	}
	return s, nil
}

// jobs returns the jobs of every stage, in ascending order of source, destination and
// number.
func (f *Flows) jobs() []stageJobs {
	jobs := make([]stageJobs, len(f.Stages))
	for pair := range f.Pairs() {
		index := int32(0)
		for round := 0; ; round++ {
			before := index
			for _, part := range pair {
				if round >= part.Amount {
					continue
				}
				chunk := model.Chunk{Origin: part.Src, Dest: part.Dst, Index: index}
				for stage, legs := range byStage(part.Hops) {
					jobs[stage].chunks = append(jobs[stage].chunks, chunk)
					jobs[stage].legs = append(jobs[stage].legs, legs)
				}
				index++
			}
			if index == before {
				break
			}
		}
	}
	return jobs
}

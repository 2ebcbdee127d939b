package lower_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/compile/internal/everyplan"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/plan"
)

// sums counts what each chunk of a rank's memory is the sum of: items and ranks.
type sums map[[2]int]int

// exchangeAll executes rounds on sums, like a runtime: no data arrives before all ranks have
// read the data that they send. It returns the memory of each rank, by address.
func exchangeAll(r *lower.Rounds) ([][]sums, error) {
	memory := make([][]sums, r.Nodes)
	for rank := range memory {
		memory[rank] = make([]sums, r.Reserved()+r.Scratch[rank])
		for j := range r.InputChunks(rank) {
			memory[rank][r.Address(rank, program.Loc{Buffer: program.Input, Offset: int32(j)})] = sums{{int(r.Begins(rank, j)), rank}: 1}
		}
	}
	for _, stage := range r.Stages {
		for _, round := range stage {
			way := map[[2]int][]sums{}
			for rank, x := range round {
				for _, m := range x.Sends {
					if _, twice := way[[2]int{rank, m.Peer}]; twice {
						return nil, fmt.Errorf("rank %d sends two messages to %d in a round", rank, m.Peer)
					}
					var data []sums
					for _, s := range m.Spans {
						for k := range s.Count {
							data = append(data, memory[rank][r.Address(rank, s.Plus(k))])
						}
					}
					way[[2]int{rank, m.Peer}] = data
				}
			}
			for rank, x := range round {
				for _, m := range x.Receives {
					data := way[[2]int{m.Peer, rank}]
					delete(way, [2]int{m.Peer, rank})
					if len(m.Spans) != 1 || m.Chunks() != len(data) {
						return nil, fmt.Errorf("rank %d receives %d chunks in %d spans from %d, which sent %d", rank, m.Chunks(), len(m.Spans), m.Peer, len(data))
					}
					for k, d := range data {
						memory[rank][r.Address(rank, m.Spans[0].Plus(k))] = d
					}
				}
				for _, l := range x.Locals {
					made := make([]sums, l.Count)
					for k := range made {
						made[k] = memory[rank][r.Address(rank, l.Src.Plus(k))]
						if l.Adds {
							total := sums{}
							for _, part := range []sums{made[k], memory[rank][r.Address(rank, l.With.Plus(k))]} {
								for at, n := range part {
									total[at] += n
								}
							}
							made[k] = total
						}
					}
					for k, d := range made {
						memory[rank][r.Address(rank, l.Dst.Plus(k))] = d
					}
				}
			}
			if len(way) > 0 {
				return nil, fmt.Errorf("messages that nobody receives: %d", len(way))
			}
		}
	}
	return memory, nil
}

// right compares the memory of all ranks with the result of the collective.
func right(r *lower.Rounds, memory [][]sums) error {
	for rank := range memory {
		for j := range r.OutputChunks(rank) {
			item, all := r.Due(rank, j)
			got := memory[rank][r.Address(rank, program.Loc{Buffer: program.Output, Offset: int32(j)})]
			want := 1
			if all {
				want = r.Nodes
			}
			if len(got) != want {
				return fmt.Errorf("rank %d, chunk %d: %v", rank, j, got)
			}
			for at, n := range got {
				if at[0] != int(item) || n != 1 {
					return fmt.Errorf("rank %d, chunk %d: %v, not item %d", rank, j, got, item)
				}
			}
		}
	}
	return nil
}

// Every plan of every planner becomes rounds that compute the collective, or is refused.
func TestEveryPlanBecomesRoundsThatComputeTheCollective(t *testing.T) {
	made := 0
	for _, cell := range everyplan.Cells() {
		everyplan.Each(t, cell[0], cell[1], func(name string, p *plan.Plan) {
			for _, inPlace := range []bool{false, true} {
				r, err := lower.ListRounds(context.Background(), p, inPlace)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				made++
				memory, err := exchangeAll(r)
				if err == nil {
					err = right(r, memory)
				}
				if err != nil {
					t.Errorf("%s, in place %v: %v", name, inPlace, err)
				}
			}
		})
	}
	t.Log(made, "plans")
}

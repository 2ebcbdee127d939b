package compile

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
)

const circuitsGood = "programs send only over circuits that are up; what they need of scratch buffers survives from stage to stage"

// use is what a rank needs in a stage.
type use struct {
	stage, rank, block int
	peer               int // receiver; -1: none
	scratch            int
}

// circuits checks that the programs of a manifest send only over the circuits of their stages,
// over fixed links and within islands, and that they use only scratch that survives from stage
// to stage.
func (m *Manifest) circuits(uses []use) error {
	up := make([]map[[2]int]bool, len(m.Stages))
	for i := range m.Stages {
		up[i] = map[[2]int]bool{}
		for _, c := range m.Stages[i].Circuits {
			up[i][[2]int{c[0], c[1]}] = c[2] > 0
		}
	}
	gpu := func(rank int) int {
		if m.GPUs != nil && rank < len(m.GPUs) {
			return m.GPUs[rank]
		}
		return rank
	}
	links := fabric.Fabric{Nodes: fabric.MaxNodes}
	var err error
	if links.Fixed.Links, err = fabric.ParseFixed(m.Fixed, nil); err != nil {
		return fmt.Errorf("fixed: %w", err)
	}
	for _, u := range uses {
		if u.rank >= len(m.Scratch) || u.scratch > m.Scratch[u.rank] {
			return fmt.Errorf("stage %d: rank %d uses %d chunks of scratch, more than live on by scratch_chunks", u.stage+1, u.rank, u.scratch)
		}
		inside := m.Island > 0 && gpu(u.rank)/m.Island == gpu(max(0, u.peer))/m.Island
		inside = inside || u.peer >= 0 && links.FixedCount(gpu(u.rank), gpu(u.peer)) > 0
		if u.peer >= 0 && !inside && !up[u.stage][[2]int{gpu(u.rank), gpu(u.peer)}] {
			return fmt.Errorf("stage %d: rank %d, thread block %d sends to rank %d, to which no circuit is up", u.stage+1, u.rank, u.block, u.peer)
		}
	}
	return nil
}

// programUses lists what programs use, each in its stage.
func programUses(programs []*program.Program, stages []int) []use {
	var uses []use
	for i, p := range programs {
		for r := range p.Ranks {
			uses = append(uses, use{stages[i], r, 0, -1, p.Ranks[r].Scratch})
			for b := range p.Ranks[r].Blocks {
				uses = append(uses, use{stage: stages[i], rank: r, block: b, peer: p.Ranks[r].Blocks[b].Send})
			}
		}
	}
	return uses
}

// documentUses lists what execution plans use, each in its stage.
func documentUses(documents []*mscclpp.Document, stages []int) []use {
	var uses []use
	for i, d := range documents {
		for r := range d.GPUs {
			uses = append(uses, use{stages[i], r, 0, -1, d.GPUs[r].ScratchChunks})
			for b := range d.GPUs[r].ThreadBlocks {
				for _, refs := range d.GPUs[r].ThreadBlocks[b].RemoteRefs {
					for _, id := range refs.IDs {
						if id >= 0 && id < len(d.GPUs[r].RemoteBuffers) {
							uses = append(uses, use{stage: stages[i], rank: r, block: b, peer: d.GPUs[r].RemoteBuffers[id].Rank})
						}
					}
				}
			}
		}
	}
	return uses
}

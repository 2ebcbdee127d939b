package algorithms

import (
	"cmp"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms/pipelines"
)

// defaultParts is the number of pieces of a pipeline that is named without one: enough to
// overlap most of the depth of a tree of some hundred nodes. Planners choose the best number
// instead (Pieces).
const defaultParts = 8

// pipelined makes an algorithm that sends pieces of the buffer down a tree.
func pipelined(name, about, ports string, layout func(n int) pipelines.Tree) Algorithm {
	return Algorithm{
		Name:    name,
		About:   about,
		Ops:     []collective.Op{collective.Broadcast, collective.RootReduce},
		Sizes:   anySizeWords,
		Ports:   ports,
		Options: []collective.Option{collective.OptionParts},
		check: func(_ collective.Op, s *collective.Shape) error {
			s.Parts = cmp.Or(s.Parts, defaultParts)
			if most := treeParts(s.Nodes); s.Parts > most {
				return fmt.Errorf("at most %d parts on %d nodes, not %d", most, s.Nodes, s.Parts)
			}
			return nil
		},
		build: func(op collective.Op, s collective.Shape) *collective.Collective {
			return buildPipeline(op, s, []pipelines.Tree{layout(s.Nodes)})
		},
		pieces: func(_ collective.Op, s collective.Shape) (least, most int, trees []pipelines.Tree) {
			return 1, treeParts(s.Nodes), []pipelines.Tree{layout(s.Nodes)}
		},
	}
}

// buildPipeline sends pieces of the buffer down trees. For a reduce it sends them up, with the
// steps in reverse order.
func buildPipeline(op collective.Op, s collective.Shape, trees []pipelines.Tree) *collective.Collective {
	c := &collective.Collective{
		Space: collective.SpaceOf(op, s.Nodes, s.Parts),
		Steps: pipelines.Steps(s.Nodes, s.Parts, s.Ports, trees),
	}
	if op == collective.RootReduce {
		upwards(c, op)
	}
	return c
}

// Binary tree: node u forwards to 2u+1 and 2u+2.
var binaryAlgorithm = pipelined("binary",
	"pieces down the binary tree in which u feeds 2u+1 and 2u+2, one after another",
	"as many children at once as there are ports", pipelines.Binary)

// Chain: node u forwards to u+1; with many pieces every circuit is busy all the time.
var chainAlgorithm = pipelined(Chain,
	"pieces down the chain 0, 1, 2, .. one after another; n-2+parts steps",
	onePortWords, pipelines.Chain)

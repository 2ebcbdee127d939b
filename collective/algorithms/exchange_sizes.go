package algorithms

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/units"
)

// NewExchange lays out an all-to-all in which every pair has its own bytes, with a built-in
// algorithm: see Registry.NewExchange.
func NewExchange(ctx context.Context, algorithm string, d collective.Demand, ports int) (collective.Sized, error) {
	return (*Registry)(nil).NewExchange(ctx, algorithm, d, ports)
}

// ExchangeShape returns the shape and the size of an all-to-all with a demand. The shape has
// the demand only if pairs differ.
func ExchangeShape(d collective.Demand, ports int) (collective.Shape, units.Bytes) {
	s := collective.Shape{Nodes: len(d), Ports: ports}
	if bytes, ok := d.Uniform(); ok {
		return s, units.Bytes(bytes * int64(len(d)))
	}
	s.Demand = d
	return s, d.Size()
}

// weigh gives the pairs of an all-to-all their bytes. Steps lose their symmetry, and chunks
// without bytes are not sent.
func weigh(c *collective.Collective, d collective.Demand) {
	space := c.Space
	c.Space.Sizes = d
	var steps []collective.Step
	for _, step := range c.Steps {
		base := make([]collective.Transfer, 0, len(step.Base)*step.Group.Order())
		for t := range step.All(space) {
			if t.Chunks = loaded(&c.Space, t.Chunks); len(t.Chunks) > 0 {
				base = append(base, t)
			}
		}
		if len(base) > 0 {
			steps = append(steps, collective.Step{Base: base})
		}
	}
	c.Steps = steps
}

// loaded returns the chunks that have bytes.
func loaded(s *collective.Space, chunks collective.Chunks) collective.Chunks {
	n := s.Nodes
	empty := func(c int) bool {
		block := c / s.Parts
		return s.Sizes[block/n][block%n] == 0
	}
	full := true
	for _, r := range chunks {
		for c := range r.Count {
			full = full && !empty(r.First+c*r.Stride)
		}
	}
	if full {
		return chunks
	}
	var ids []int
	for c := range chunks.All() {
		if !empty(c) {
			ids = append(ids, c)
		}
	}
	return collective.Of(ids)
}

// Birkhoff and von Neumann: an all-to-all with bytes per pair as a sequence of matchings, the
// longest first (HARVEST §3.3, "All-to-All communication model"). The bytes of a pair may be
// divided over several matchings.
var bvnAlgorithm = decomposition("bvn",
	"matchings that take the least time in all, longest first; a pair may be cut", matching.ShortestSlots)

// The fewest matchings that serve every pair, without dividing any pair.
var bvnFewAlgorithm = decomposition("bvn-few",
	"the fewest matchings, longest first; every pair goes whole", matching.FewestSlots)

func decomposition(name, about string, decompose func(context.Context, [][]float64) ([]matching.Slot, error)) Algorithm {
	return Algorithm{
		Name:  name,
		About: about,
		Ops:   []collective.Op{collective.AllToAll},
		Sizes: "bytes per pair",
		Ports: "as many matchings at once",
		check: func(_ collective.Op, s *collective.Shape) error {
			if s.Demand == nil {
				return fmt.Errorf("bytes per pair (`demand`) that differ; for equal ones use shift")
			}
			return nil
		},
		divide: func(ctx context.Context, s collective.Shape) (*collective.Collective, error) {
			slots, err := decompose(ctx, s.Demand.Floats())
			if err != nil {
				return nil, err
			}
			return fromSlots(s, slots), nil
		},
	}
}

// fromSlots makes a step of each group of ports slots, the longest first. What a node sends in
// a slot is a chunk.
func fromSlots(s collective.Shape, slots []matching.Slot) *collective.Collective {
	slices.SortStableFunc(slots, func(a, b matching.Slot) int { return cmp.Compare(b.Duration, a.Duration) })
	c := &collective.Collective{Space: collective.Space{Kind: collective.Listed, Nodes: s.Nodes, Sizes: s.Demand}}
	for group := range slices.Chunk(slots, s.Ports) {
		var base []collective.Transfer
		at := map[[2]int]int{} // a pair may occur in several slots of a step
		for _, slot := range group {
			for src, dst := range slot.Match {
				if dst < 0 || dst == src || slot.Sent[src] <= 0 {
					continue
				}
				chunk := collective.Single(len(c.Space.Pieces))
				c.Space.Pieces = append(c.Space.Pieces, collective.Piece{Bytes: slot.Sent[src], From: []int{src}, To: []int{dst}})
				if i, ok := at[[2]int{src, dst}]; ok {
					base[i].Chunks = append(base[i].Chunks, chunk...)
					continue
				}
				at[[2]int{src, dst}] = len(base)
				base = append(base, collective.Transfer{Src: src, Dst: dst, Action: collective.Copy, Chunks: chunk})
			}
		}
		if len(base) > 0 {
			c.Steps = append(c.Steps, collective.Step{Base: base})
		}
	}
	return c
}

package finder

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
)

// addCirculants adds circulants, and in the one-way case also line graphs of circulants. If all
// walks of equal length, up to k circuits, lie on shortest cycles of equal length, L^k of the
// circulant has a bandwidth-optimal broadcast too, in far fewer steps than a circulant of its
// size. DC(64;1,12) is an example for k up to 4, since 4 times 1 and 5 times 12 make a round.
// The deepest line graphs come first, because they leave the least to search for.
func (f *Finder) addCirculants(ctx context.Context, k key, p *pool) error {
	root, lines := k, 0
	for !k.twoWay && k.degree > 1 && root.nodes%k.degree == 0 && root.nodes/k.degree > k.degree+1 {
		root.nodes /= k.degree
		lines++
	}
	for ; lines >= 0; lines-- {
		if err := f.addRings(ctx, k, p, root, lines); err != nil {
			return err
		}
		root.nodes *= k.degree
	}
	return nil
}

// addRings adds line graphs of circulants, or circulants if lines is 0, until one is
// bandwidth-optimal. The best graphs of diameter 1 are among the families.
func (f *Finder) addRings(ctx context.Context, k key, p *pool, root key, lines int) error {
	hopes := factor | plain | reversible | constructed
	if k.twoWay {
		hopes |= twoWay
	}
	if !root.hasCirculants() || p.covers(f.floor(k, leastCirculantDiameter(root)+lines), hopes) {
		return nil
	}
	limit := root.nodes
	if best, ok := p.fastest(hopes); ok {
		limit = best.diameter - lines - 1
	}
	rings, err := f.closestRings(ctx, root, lines, limit)
	if err != nil {
		return err
	}
	for _, r := range rings {
		if r.diameter < ofUse {
			continue
		}
		if p.covers(f.floor(k, r.diameter+lines), hopes) {
			break
		}
		expr := circulantExpr(root, r.jumps)
		for range lines {
			expr = lineExpr(expr)
		}
		if optimal, err := f.check(ctx, k, p, expr, reversible|constructed); err != nil || optimal {
			return err
		}
	}
	return nil
}

// ring is a circulant: its jumps, its diameter, and the length up to which all walks end
// equally far from their start.
type ring struct {
	jumps    []int
	diameter int
	even     int
}

const (
	// slack is how far a diameter may exceed the least one found. Larger diameters are of use
	// if the line graph of the closest circulant is not bandwidth-optimal.
	slack = 2
	// rivals is the number of circulants no worse than another at which that one is dropped.
	rivals = 8
	// manyNodes is the size from which on the number of tries no longer falls.
	manyNodes = 1024
)

// ofUse is the least diameter of the circulants to look for: those in which all nodes are
// neighbours are among the families.
const ofUse = 2

// closestRings returns the best of the jump sets that it tries, with diameters of at most
// limit, by ascending diameter. A try takes O(diameter degree nodes / 64), and O(degree nodes)
// if lines is not 0, so that there are more tries for few nodes.
func (f *Finder) closestRings(ctx context.Context, k key, lines, limit int) ([]ring, error) {
	jumps, largest := k.degree, k.nodes-1
	if k.twoWay {
		jumps, largest = k.degree/2, (k.nodes-1)/2
	}
	tries := f.opts.Tries * max(1, manyNodes/k.nodes)
	random := rand.New(rand.NewPCG(f.opts.Seed, uint64(k.nodes)<<32|uint64(k.degree)))
	sets := newJumpSets(jumps, largest, random)
	reach, walks := newSpan(k.nodes), newReturns(k.nodes)
	least := leastCirculantDiameter(k)
	var found []ring
	for set := range sets.all(k.nodes, tries) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if limit < ofUse {
			break
		}
		diameter, ok := reach.diameter(outJumps(k, set), limit)
		if !ok {
			continue
		}
		r := ring{set, diameter, walks.even(set, lines)}
		limit = min(limit, r.diameter+slack)
		if r.even == lines {
			limit = min(limit, r.diameter)
		}
		if each.Count(found, func(o ring) bool { return o.diameter <= r.diameter && o.even >= r.even }) < rivals {
			found = append(found, r)
		} else if r.diameter <= max(least, ofUse) && r.even == lines {
			break // no other can be better
		}
	}
	slices.SortStableFunc(found, func(a, b ring) int {
		if a.diameter != b.diameter {
			return a.diameter - b.diameter
		}
		return b.even - a.even
	})
	return found, nil
}

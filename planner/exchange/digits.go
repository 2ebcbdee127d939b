package exchange

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
)

// digits composes the plans for two factors of the number of GPUs. GPU g*a+u has the digits g and
// u. First every a consecutive GPUs exchange among themselves what they have for all GPUs with the
// target's digit u; then GPUs with the same digit u exchange by the digit g.
func (c *composer) digits(ctx context.Context) error {
	n := c.request.Fabric.Nodes
	for _, a := range arithmetic.Divisors(n) {
		if a == 1 || a*a > n {
			continue
		}
		low, err := c.fewer(ctx, a, c.request.Size, Options{})
		if err != nil || low == nil {
			return err
		}
		if !c.useful(low.Cost.Total()) {
			continue
		}
		high, err := c.fewer(ctx, n/a, c.request.Size, Options{})
		if err != nil || high == nil {
			return err
		}
		if !c.useful(low.Cost.Total() + high.Cost.Total()) {
			continue
		}
		stages, parts := byDigits(low, high)
		if err := c.take(ctx, fmt.Sprintf("digits of %d and %d GPUs", a, n/a), parts, stages); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// byDigits returns the stages of both plans in turn, and the parts of a block.
func byDigits(low, high *plan.Plan) (stages []plan.Stage, parts int) {
	a, b := low.Fabric.Nodes, high.Fabric.Nodes
	n := a * b
	parts = arithmetic.LCM(low.Collective.Space.Parts, high.Collective.Space.Parts)
	groups := func(count, size int, gpu func(k, i int) int) [][]int {
		all := make([][]int, count)
		for k := range all {
			for i := range size {
				all[k] = append(all[k], gpu(k, i))
			}
		}
		return all
	}
	within := groups(b, a, func(g, u int) int { return g*a + u })
	across := groups(a, b, func(u, g int) int { return g*a + u })
	// block lists part i of each of several equal parts of a block.
	block := func(list []int, src, dst, i, of int) []int {
		for q := range parts / of {
			list = append(list, (src*n+dst)*parts+i*(parts/of)+q)
		}
		return list
	}
	stages = embedded(low, n, within, func(g, chunk int) (list []int) {
		of := low.Collective.Space.Parts
		pair, i := chunk/of, chunk%of
		for h := range b {
			list = block(list, within[g][pair/a], within[h][pair%a], i, of)
		}
		return list
	})
	stages = append(stages, embedded(high, n, across, func(u, chunk int) (list []int) {
		of := high.Collective.Space.Parts
		pair, i := chunk/of, chunk%of
		for v := range a {
			list = block(list, across[v][pair/b], across[u][pair%b], i, of)
		}
		return list
	})...)
	return renamed(stages), parts
}

package sweep

import (
	"math"

	contest "github.com/lightpath-net/lightpath/planner/auto"
)

// winners are the best answers of a column so far, and which ways they are of: of those that
// take the same time the first way's is the best, in whatever order they are tried, so that a
// sweep names the winners that planning names.
type winners struct {
	answers []answer
	ways    []int
}

func newWinners(cells int) *winners {
	c := &winners{make([]answer, cells), make([]int, cells)}
	for i := range c.answers {
		c.answers[i].total, c.ways[i] = inf, math.MaxInt
	}
	return c
}

// against returns what the answers of a way must be below: a little more than those of later
// ways take, a little less than those of earlier ones.
func (c *winners) against(way int) []answer {
	limits := make([]answer, len(c.answers))
	for i, a := range c.answers {
		limits[i].total = a.total * (1 + 2*contest.SameTime)
		if c.ways[i] < way {
			limits[i].total = a.total * (1 - contest.SameTime)
		}
	}
	return limits
}

// take keeps the answers of a way that are better than what it was against.
func (c *winners) take(own []answer, way int) {
	for i, a := range own {
		if a.algorithm == "" { // it has not been improved
			continue
		}
		if best := c.answers[i].total; a.total < best*(1-contest.SameTime) || a.total <= best*(1+contest.SameTime) && way < c.ways[i] {
			c.answers[i], c.ways[i] = a, way
		}
	}
}

package chart

import (
	"cmp"
	"math"
	"slices"
)

const (
	forceRounds = 200
	forceMost   = 400 // nodes; with more, a drawing shows no more than a circle does
)

// forcePlaces moves nodes from the circle until linked ones are close together (Fruchterman and
// Reingold 1991, without randomness). Each round takes O(n^2); more than forceMost nodes stay
// on the circle.
func forcePlaces(n int, links []Link) []Point {
	places := circlePlaces(n)
	if n > forceMost || n < 3 {
		return places
	}
	ideal := 0.8 * networkSize / math.Sqrt(float64(n))
	moves := make([]Point, n)
	for round := range forceRounds {
		clear(moves)
		for i := range places {
			for j := range i {
				dx, dy := places[i].X-places[j].X, places[i].Y-places[j].Y
				d2 := max(dx*dx+dy*dy, 1e-3)
				f := ideal * ideal / d2
				moves[i].X, moves[i].Y = moves[i].X+dx*f, moves[i].Y+dy*f
				moves[j].X, moves[j].Y = moves[j].X-dx*f, moves[j].Y-dy*f
			}
		}
		for _, l := range links {
			dx, dy := places[l.From].X-places[l.To].X, places[l.From].Y-places[l.To].Y
			f := math.Hypot(dx, dy) / ideal
			moves[l.From].X, moves[l.From].Y = moves[l.From].X-dx*f, moves[l.From].Y-dy*f
			moves[l.To].X, moves[l.To].Y = moves[l.To].X+dx*f, moves[l.To].Y+dy*f
		}
		heat := 0.1 * networkSize * (1 - float64(round)/forceRounds)
		for i, m := range moves {
			length := max(math.Hypot(m.X, m.Y), 1e-9)
			step := min(length, heat) / length
			places[i].X, places[i].Y = places[i].X+m.X*step, places[i].Y+m.Y*step
		}
	}
	return fitted(places)
}

// fitted scales places to the canvas.
func fitted(places []Point) []Point {
	least, most := places[0], places[0]
	for _, p := range places {
		least, most = Point{min(least.X, p.X), min(least.Y, p.Y)}, Point{max(most.X, p.X), max(most.Y, p.Y)}
	}
	scale := (networkSize - 40) / max(most.X-least.X, most.Y-least.Y, 1e-9)
	for i, p := range places {
		places[i] = Point{20 + (p.X-least.X)*scale, 20 + (p.Y-least.Y)*scale}
	}
	return places
}

func sortedByLoad(links []Link) []Link {
	sorted := slices.Clone(links)
	slices.SortStableFunc(sorted, func(a, b Link) int { return cmp.Compare(a.Load, b.Load) })
	return sorted
}

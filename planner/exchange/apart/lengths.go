package apart

import (
	"math"

	"github.com/lightpath-net/lightpath/lp"
)

// Lengths returns how long every turn of every plane sends if the last plane ends as early as
// possible, and the time when it ends. turns[k][i] lists the pairs for which turn i of plane k
// has a circuit, need is what each pair has to send in total, and busy is what the turns of
// each plane cost besides. Pairs may be divided among their turns at will. The time is infinite
// if a pair with something to send has no turn.
//
// This is a linear program: minimise T subject to
//
//	busy[k] + sum of the lengths of plane k's turns <= T       for all planes
//	sum of the lengths of the turns that have a pair >= need   for all pairs
//
// Of pairs with the same turns, only the one that needs the most is part of it.
func Lengths(turns [][][]int, need, busy []float64) (lengths [][]float64, end float64) {
	scale := 0.0 // the program's data should be near 1
	for _, list := range [][]float64{need, busy} {
		for _, time := range list {
			scale = max(scale, time)
		}
	}
	of := make([][]int, len(need)) // turns of a pair, through all planes
	columns := 0
	for _, list := range turns {
		for _, pairs := range list {
			for _, p := range pairs {
				of[p] = append(of[p], columns)
			}
			columns++
		}
	}
	cost := make([]float64, columns+1)
	cost[columns] = 1
	program := lp.NewCovering(cost)
	column := 0
	for k, list := range turns {
		terms := []lp.Term{{Column: columns, Value: 1}}
		for range list {
			terms = append(terms, lp.Term{Column: column, Value: -1})
			column++
		}
		program.Add(busy[k]/scale, terms...)
	}
	pairs := distinct(of, need)
	if pairs == nil {
		return nil, math.Inf(1)
	}
	for _, p := range pairs {
		terms := make([]lp.Term, len(of[p]))
		for i, c := range of[p] {
			terms[i] = lp.Term{Column: c, Value: 1}
		}
		program.Add(need[p]/scale, terms...)
	}
	x, ok := program.Solve()
	if !ok {
		return nil, math.Inf(1)
	}
	lengths = make([][]float64, len(turns))
	column = 0
	for k, list := range turns {
		at := busy[k]
		for range list {
			lengths[k] = append(lengths[k], x[column]*scale)
			at += x[column] * scale
			column++
		}
		end = max(end, at)
	}
	return lengths, end
}

// distinct returns, of every group of pairs with the same turns, the one that needs the most.
// It returns nil if a pair has something to send and no turn.
func distinct(of [][]int, need []float64) []int {
	pairs := []int{}
	seen := map[string]int{}
	var key []byte
	for p, turns := range of {
		if need[p] == 0 {
			continue
		}
		if len(turns) == 0 {
			return nil
		}
		key = key[:0]
		for _, t := range turns {
			key = append(key, byte(t), byte(t>>8), byte(t>>16), byte(t>>24))
		}
		at, ok := seen[string(key)]
		if !ok {
			seen[string(key)] = len(pairs)
			pairs = append(pairs, p)
		} else if need[p] > need[pairs[at]] {
			pairs[at] = p
		}
	}
	return pairs
}

// nothing is the fraction of the longest turn below which a turn sends nothing: lengths that
// small are rounding errors of the linear program.
const nothing = 1e-9

// Needed returns the turns that send something, with their lengths, and whether it has dropped
// any.
func Needed(turns [][]Turn, lengths [][]float64) (kept [][]Turn, sends [][]float64, fewer bool) {
	longest := 0.0
	for _, list := range lengths {
		for _, length := range list {
			longest = max(longest, length)
		}
	}
	kept, sends = make([][]Turn, len(turns)), make([][]float64, len(turns))
	for k, list := range turns {
		for i, t := range list {
			if lengths[k][i] <= nothing*longest {
				fewer = true
				continue
			}
			kept[k], sends[k] = append(kept[k], t), append(sends[k], lengths[k][i])
		}
	}
	return kept, sends, fewer
}

package apart

import (
	"math"

	"github.com/lightpath-net/lightpath/lp"
)

// Lengths returns how long every turn of every plane is to send, such that the plane that ends
// last ends as early as possible, and when that is: turns[k][i] are the pairs that turn i of
// plane k has a circuit for, need is what each pair has to send in total, and busy what the turns
// of each plane cost besides. Pairs may be divided among their turns at will. It returns infinity
// where a pair with something to send has no turn.
//
// This is a linear program: T is to be the least with
//
//	busy[k] + sum of the lengths of plane k's turns <= T       for all planes
//	sum of the lengths of the turns that have a pair >= need   for all pairs
//
// Of pairs with the same turns only the one that needs the most is looked at.
func Lengths(turns [][][]int, need, busy []float64) (lengths [][]float64, end float64) {
	scale := 0.0 // data are to be near 1
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

// distinct returns, of pairs with the same turns, those that need the most, or nil if one has
// something to send and no turn.
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

// nothing is the part of the longest turn below which one sends nothing: what a linear program
// leaves over is rounding.
const nothing = 1e-9

// Needed returns turns and their lengths without those that send nothing, and whether there are
// such.
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

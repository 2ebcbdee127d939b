package expand

import (
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Predict returns what the constructed schedule of an expression costs by the formulas of Cost,
// without building a graph. Predict calls base for the allgathers on the expressions that no
// operator takes apart, and on their Transpose if an operation or an operator needs that. The
// error wraps ErrNoFormula if the formulas do not apply.
//
// For an allreduce, steps and bandwidth are those of a reduce-scatter and an allgather
// together.
func Predict(e topology.Expr, op bfb.Op, base func(topology.Expr) (Cost, error)) (Cost, error) {
	checked, err := topology.ParseExpr(e.String())
	if err != nil {
		return Cost{}, err
	}
	switch op {
	case bfb.AllGather:
		return predict(checked, false, base)
	case bfb.ReduceScatter:
		return predict(checked, true, base)
	case bfb.AllReduce:
		return predictBoth(checked, base)
	}
	return Cost{}, fmt.Errorf("%w: unknown operation %d", ErrInput, int(op))
}

func predictBoth(e topology.Expr, base func(topology.Expr) (Cost, error)) (Cost, error) {
	scatter, err := predict(e, true, base)
	if err != nil {
		return Cost{}, err
	}
	both, err := predict(e, false, base)
	if err != nil {
		return Cost{}, err
	}
	both.Steps += scatter.Steps
	both.Bandwidth = new(big.Rat).Add(both.Bandwidth, scatter.Bandwidth)
	both.Bound = both.Bound || scatter.Bound
	both.BFB = both.BFB && scatter.BFB
	return both, nil
}

// predict predicts the allgather on the graph of an expression or, if reversed, on its
// transpose: the transpose of an operator's result is the operator on the transpose of its
// operand.
func predict(e topology.Expr, reversed bool, base func(topology.Expr) (Cost, error)) (Cost, error) {
	switch e.Family {
	case "Transpose":
		return predict(e.Graphs[0], !reversed, base)
	case "Product":
		return predictProduct(e, reversed, base)
	case "Line", "Degree", "Power", "Bidirect":
		c, err := predict(e.Graphs[0], reversed, base)
		if err != nil {
			return Cost{}, err
		}
		switch e.Family {
		case "Line":
			return c.Line(e.Numbers[0])
		case "Degree":
			return c.DegreeExpanded(e.Numbers[0])
		case "Power":
			return c.Power(e.Numbers[0])
		}
		return c.Bidirected()
	}
	if reversed {
		e = topology.Expr{Family: "Transpose", Graphs: []topology.Expr{e}}
	}
	return base(e)
}

func predictProduct(e topology.Expr, reversed bool, base func(topology.Expr) (Cost, error)) (Cost, error) {
	factors := make([]Cost, len(e.Graphs))
	for i, operand := range e.Graphs {
		c, err := predict(operand, reversed, base)
		if err != nil {
			return Cost{}, err
		}
		factors[i] = c
	}
	if allEqual(e.Graphs) {
		return factors[0].Power(len(factors))
	}
	return ProductCost(factors...)
}

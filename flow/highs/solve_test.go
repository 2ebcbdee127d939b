package highs

import (
	"fmt"
	"math"
	"slices"
	"time"

	solver "github.com/bartolsthoorn/gohighs/highs"

	"github.com/lightpath-net/lightpath/flow"
)

// Method is an algorithm of HiGHS, in the words of its option "solver".
type Method string

const (
	// InteriorPoint ends with a crossover to a vertex, so that it is as exact as the
	// simplex method.
	InteriorPoint Method = "ipm"
	// Simplex is the dual simplex method.
	Simplex Method = "simplex"
)

// Measurement is an optimum with the size of its program and the time of the solver.
type Measurement struct {
	Peak          float64
	Rows, Columns int           // of the linear program
	Time          time.Duration // inside HiGHS: without writing the program down
}

// Solve returns the smallest peak load of the problem, which flow.Solve returns as Load.Peak
// under the policy flow.Optimal. Errors wrap those of package flow, but do not name the demand
// that cannot be met.
func Solve(p flow.Problem, method Method) (peak float64, err error) {
	m, err := Measure(p, method)
	return m.Peak, err
}

// Measure is Solve with the size of the program and the time that HiGHS took.
func Measure(p flow.Problem, method Method) (Measurement, error) {
	lp, err := newProgram(p)
	if err != nil || len(p.Demands) == 0 {
		return Measurement{}, err
	}
	s, err := solver.NewSolver()
	if err != nil {
		return Measurement{}, err
	}
	defer s.Close()
	if err := lp.pass(s, method); err != nil {
		return Measurement{}, err
	}
	begin := time.Now()
	solution, err := s.Run()
	m := Measurement{Rows: len(lp.start), Columns: lp.columns, Time: time.Since(begin)}
	switch {
	case err != nil:
		return m, err
	case solution.IsInfeasible(): // L is free to grow and never negative
		return m, fmt.Errorf("%w: HiGHS finds no feasible flow", flow.ErrUnreachable)
	case !solution.IsOptimal():
		return m, fmt.Errorf("highs: status %s of the solver instead of an optimum", solution.Status)
	}
	m.Peak = solution.Objective * lp.scale
	return m, nil
}

// pass hands options and program to HiGHS. Neither method runs in parallel by default, so one
// thread loses nothing. All other options keep their defaults.
func (lp *program) pass(s *solver.Solver, method Method) error {
	if err := s.SetBoolOption("output_flag", false); err != nil {
		return err
	}
	if err := s.SetIntOption("threads", 1); err != nil {
		return err
	}
	if err := s.SetStringOption("solver", string(method)); err != nil {
		return fmt.Errorf("highs: method %q, want %q or %q: %w", method, InteriorPoint, Simplex, err)
	}
	cost, zero := make([]float64, lp.columns), make([]float64, lp.columns)
	cost[lp.columns-1] = 1
	infinite := slices.Repeat([]float64{math.Inf(1)}, lp.columns)
	return s.PassModel(lp.columns, len(lp.start), cost, zero, infinite, lp.lower, lp.upper,
		lp.start, lp.index, lp.coefficient, nil, false, 0)
}

package plannertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// clauses are the clauses of the contract. check returns what is wrong with the subject on a
// case, given the plan that it made for the case, or nil if it made none.
var clauses = []struct {
	name  string
	check func(ctx context.Context, s *Subject, c Case, made *plan.Plan) error
}{
	{"correct", correct},             // verify.Plan proves the plan, for the request that was made
	{"bounded", bounded},             // the bound is above 0 and not above the cost
	{"deterministic", deterministic}, // the same request gives the same bytes
	// Once its context is done, the subject stops and returns the context's error.
	{"cancelled", cancelled},
	// Subjects that it covers are never faster, and have no plan where it has none.
	{"covering", covering},
	{"delay", delay},       // never slower if a reconfiguration takes less
	{"overlap", overlap},   // never slower if something may go on during a reconfiguration
	{"effort", effort},     // never slower with more effort
	{"foretold", foretold}, // what it says about its time without a plan holds for the plan
	{"circuits", circuits}, // circuits depend on the delay as the planner says
	{"ports", ports},       // never slower with one more port, if the subject says so
}

// Clauses lists the clauses of the contract by name.
func Clauses() []string {
	names := make([]string, len(clauses))
	for i, c := range clauses {
		names[i] = c.name
	}
	return names
}

// Run checks a subject on some cases, each clause as a test of its own.
func Run(t *testing.T, s Subject, cases ...Case) {
	t.Helper()
	for _, c := range cases {
		t.Run(s.Name+"/"+c.Name, func(t *testing.T) {
			made, err := s.plan(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			for _, clause := range clauses {
				t.Run(clause.name, func(t *testing.T) {
					if err := clause.check(t.Context(), &s, c, made); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}

// Broken returns the names of the clauses that a subject breaks on a case. The error says why a
// plan could not be made.
func Broken(ctx context.Context, s Subject, c Case) ([]string, error) {
	made, err := s.plan(ctx, c)
	if err != nil {
		return nil, err
	}
	var broken []string
	for _, clause := range clauses {
		if clause.check(ctx, &s, c, made) != nil {
			broken = append(broken, clause.name)
		}
	}
	return broken, nil
}

// rounding is the relative difference of two totals that may be sums of the same numbers in
// different order.
const rounding = 1e-9

// plan makes a plan, or returns nil if there is none.
func (s *Subject) plan(ctx context.Context, c Case) (*plan.Plan, error) {
	p, err := s.Plan(ctx, c)
	switch {
	case errors.Is(err, planner.ErrInfeasible):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	case p == nil:
		return nil, fmt.Errorf("%s: neither a plan nor an error", s.Name)
	}
	return p, nil
}

func correct(ctx context.Context, s *Subject, c Case, p *plan.Plan) error {
	if p == nil {
		return nil
	}
	if !p.Fabric.Equal(c.Fabric) || p.Collective.Op != c.Op || p.Collective.Size != c.Size {
		return fmt.Errorf("the plan is for %s of %v on %+v", p.Collective.Op, p.Collective.Size, p.Fabric)
	}
	report, err := verify.Plan(ctx, p.With(s.Known))
	if err != nil {
		return err
	}
	if failed := report.First(); failed != nil {
		return fmt.Errorf("check %s: %s", failed.Name, failed.Detail)
	}
	return nil
}

func bounded(_ context.Context, _ *Subject, _ Case, p *plan.Plan) error {
	if p != nil && (p.Bound <= 0 || p.Bound > p.Cost.Total()*(1+rounding)) {
		return fmt.Errorf("the bound is %v, the cost %v", p.Bound, p.Cost.Total())
	}
	return nil
}

// foretold checks what a planner says about the time of its plan against the plan.
func foretold(ctx context.Context, s *Subject, c Case, made *plan.Plan) error {
	if s.Foretell == nil {
		return nil
	}
	told, err := s.Foretell(ctx, c)
	switch {
	case err != nil && made == nil && errors.Is(err, planner.ErrInfeasible):
		return nil
	case err != nil:
		return err
	case made == nil:
		return nil // a bound does not say whether there is a plan
	}
	took := made.Cost.Total()
	if told.Least > took*(1+rounding) || told.Most > 0 && told.Most < took*(1-rounding) {
		return fmt.Errorf("it says %v to %v, and takes %v", told.Least, told.Most, took)
	}
	if told.Time > 0 && math.Abs(float64(told.Time/took)-1) > rounding {
		return fmt.Errorf("it says %v, and takes %v", told.Time, took)
	}
	return nil
}

func deterministic(ctx context.Context, s *Subject, c Case, p *plan.Plan) error {
	again, err := s.plan(ctx, c)
	if err != nil {
		return err
	}
	if (again == nil) != (p == nil) {
		return errors.New("once there is a plan, and once there is none")
	}
	if p == nil {
		return nil
	}
	var first, second bytes.Buffer
	if err := errors.Join(p.Encode(&first), again.Encode(&second)); err != nil {
		return err
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		return errors.New("the same request gives two plans")
	}
	return nil
}

func covering(ctx context.Context, s *Subject, c Case, made *plan.Plan) error {
	for _, other := range s.Covers {
		p, err := other.plan(ctx, c)
		switch {
		case err != nil:
			return err
		case p == nil:
		case made == nil:
			return fmt.Errorf("there is no plan, but %s has one", other.Name)
		case p.Cost.Total() < made.Cost.Total()*(1-rounding):
			return fmt.Errorf("%v, but %s makes it in %v", made.Cost.Total(), other.Name, p.Cost.Total())
		}
	}
	return nil
}

// notSlower checks that the plan of a case is no slower than a plan that was made, and returns
// it.
func (s *Subject) notSlower(ctx context.Context, how string, c Case, made *plan.Plan) (*plan.Plan, error) {
	if made == nil {
		return nil, nil
	}
	p, err := s.plan(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return nil, fmt.Errorf("%s there is no plan", how)
	case p.Cost.Total() > made.Cost.Total()*(1+rounding):
		return nil, fmt.Errorf("%s it takes %v instead of %v", how, p.Cost.Total(), made.Cost.Total())
	}
	return p, nil
}

func delay(ctx context.Context, s *Subject, c Case, made *plan.Plan) error {
	for _, part := range []units.Duration{2, 10, 0} {
		less := c
		if part == 0 {
			less.Fabric.Reconfig = less.Fabric.Reconfig.Scaled(0, 1)
		} else {
			less.Fabric.Reconfig.Base /= part
		}
		var err error
		// Each delay is compared with the one before, which orders all of them.
		if made, err = s.notSlower(ctx, "with delay "+less.Fabric.Reconfig.String(), less, made); err != nil {
			return err
		}
	}
	return nil
}

func overlap(ctx context.Context, s *Subject, c Case, made *plan.Plan) error {
	if c.Fabric.Overlap.Kind != fabric.OverlapNone {
		return nil
	}
	for _, o := range []fabric.Overlap{
		{Kind: fabric.OverlapCompute, Compute: c.Fabric.Reconfig.Base / 3}, {Kind: fabric.OverlapPorts}, {Kind: fabric.OverlapCircuits}, {Kind: fabric.OverlapPlanes},
	} {
		while := c
		while.Fabric.Overlap = o
		if while.Fabric.Validate() != nil {
			continue
		}
		if _, err := s.notSlower(ctx, "with overlap "+o.String(), while, made); err != nil {
			return err
		}
	}
	return nil
}

func effort(ctx context.Context, s *Subject, c Case, made *plan.Plan) error {
	for _, more := range s.More {
		var err error
		if made, err = more.notSlower(ctx, "by "+more.Name+", with more effort,", c, made); err != nil {
			return err
		}
	}
	return nil
}

func ports(ctx context.Context, s *Subject, c Case, made *plan.Plan) error {
	if !s.Ports {
		return nil
	}
	c.Fabric.Ports++
	_, err := s.notSlower(ctx, "with a port more", c, made)
	return err
}

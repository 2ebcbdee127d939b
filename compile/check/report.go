package check

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// Report is the outcome of a check.
type Report struct {
	verify.Report
	Format string `json:"format"`
}

// Add appends the outcome of a check and reports whether it passed.
func (r *Report) Add(name, good string, err error) bool {
	check := verify.Check{Name: name, OK: err == nil, Detail: good}
	if err != nil {
		check.Detail = err.Error()
		r.OK = false
	}
	r.Checks = append(r.Checks, check)
	return err == nil
}

// Unreadable returns the report on a file that does not have its format.
func Unreadable(format string, err error) *Report {
	r := &Report{Format: format}
	r.Add("form", "", err)
	return r
}

// Programs checks one program, or several that follow one another on the same buffers. The
// checks, in order:
//
//	form         peers, operands and waits exist
//	bounds       every operand is inside its buffer
//	limits       the runtime can take it
//	connections  every connection has one owner at each end; sends and receives match
//	deadlock     it completes, with the slots that connections have
//	races        any two steps that touch a chunk are ordered, unless both read it
//	data         every chunk that is read was written
//	reductions   every contribution is reduced exactly once
//	result       at the end every rank holds what the collective promises
//
// It checks the program as the loader keeps it, after merging some reductions (program.Merges).
// If that changes the program, the first violation says where.
func Programs(format string, limits *program.Limits, programs ...*program.Program) *Report {
	report := NewReport(format)
	programs = slices.Clone(programs)
	stage := func(i int, err error) error {
		if err == nil || len(programs) == 1 {
			return err
		}
		return fmt.Errorf("stage %d: %w", i+1, err)
	}
	each := func(name, good string, check func(p *program.Program) error) bool {
		for i, p := range programs {
			if err := check(p); err != nil {
				return report.Add(name, "", stage(i, err))
			}
		}
		return report.Add(name, good, nil)
	}
	first := programs[0]
	blocks, steps := 0, 0
	for _, p := range programs {
		for r := range p.Ranks {
			blocks += len(p.Ranks[r].Blocks)
			for b := range p.Ranks[r].Blocks {
				steps += len(p.Ranks[r].Blocks[b].Ops)
			}
		}
	}
	ok := each("form", fmt.Sprintf("%s, ranks: %d, thread blocks: %d, steps: %d", first.Op, first.Nodes, blocks, steps), func(p *program.Program) error {
		if p.BufferMap != first.BufferMap {
			return fmt.Errorf("is for %v, the first for %v: buffers cannot live on", p.BufferMap, first.BufferMap)
		}
		return form(p)
	})
	if limits != nil {
		var uneven []program.Merge
		for i := range programs {
			var merged []program.Merge
			programs[i], merged = programs[i].Merged(limits.Fusion)
			uneven = append(uneven, merged...)
		}
		defer func() { report.blame(limits, uneven) }()
	}
	ok = ok && each("bounds", "every operand is inside its buffer", bounds)
	if limits != nil {
		each("limits", "within the limits of "+limits.Runtime, func(p *program.Program) error { return Limits(p, limits) })
	}
	if !ok {
		return report
	}
	graphs := make([]*Graph, len(programs))
	for i, p := range programs {
		var err error
		if graphs[i], err = NewGraph(p); err != nil {
			report.Add("connections", "", stage(i, err))
			return report
		}
	}
	report.Add("connections", "sends and receives match, one to one and in order", nil)
	report.graphs(graphs, stage)
	return report
}

// blame adds to the first violation that the loader's merges have changed the program.
func (r *Report) blame(limits *program.Limits, uneven []program.Merge) {
	for i := range r.Checks {
		if c := &r.Checks[i]; !c.OK && len(uneven) > 0 {
			c.Detail += fmt.Sprintf("; %s merges reductions whose cnt differ: %v", limits.Runtime, uneven[0])
			return
		}
	}
}

// Graphs checks graphs of programs that follow one another and have passed the form check. See
// Programs for the checks.
func (r *Report) Graphs(graphs ...*Graph) {
	r.graphs(graphs, func(i int, err error) error {
		if err == nil || len(graphs) == 1 {
			return err
		}
		return fmt.Errorf("stage %d: %w", i+1, err)
	})
}

// NewReport begins a report without violations.
func NewReport(format string) *Report {
	r := &Report{Format: format}
	r.OK = true
	return r
}

// graphs runs the checks that need the graphs of programs that follow one another.
func (r *Report) graphs(graphs []*Graph, stage func(int, error) error) {
	var most completion
	for i, g := range graphs {
		enough, err := g.deadlock()
		if err != nil {
			r.Add("deadlock", "", stage(i, err))
			return
		}
		if enough.worse(most) {
			most = enough
		}
	}
	r.Add("deadlock", most.String(), nil)
	var race error
	state := NewState(graphs[0].layout, graphs[0].scratch)
	var out outcome
	for i, g := range graphs {
		with := g.order
		if len(g.weak) > 0 {
			with = g.joined(g.slots)
		}
		order, _ := g.sort(&with)
		if err := g.races(order); err != nil && race == nil {
			race = stage(i, err)
		}
		found := state.run(g, order)
		if out.missing == nil {
			out.missing = stage(i, found.missing)
		}
		if out.counted == nil {
			out.counted = stage(i, found.counted)
		}
	}
	r.Add("races", "any two steps that touch a chunk are ordered, unless both read it", race)
	r.Add("data", "every chunk that is read was written", out.missing)
	good := "every contribution is reduced exactly once"
	l := &graphs[0].layout
	if !l.Op.Reduces() {
		good = "nothing is reduced in this operation"
	}
	r.Add("reductions", good, out.counted)
	r.Add("result", fmt.Sprintf("%s is complete on all %d ranks", l.Op, l.Nodes), state.result())
}

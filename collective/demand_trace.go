package collective

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/rows"
)

// DemandTrace has the demands of an all-to-all in successive steps, each among the same nodes.
type DemandTrace []Demand

// maxTraceSteps and maxTracePairs limit what is read.
const (
	maxTraceSteps = 100_000
	maxTracePairs = 1 << 26 // over all steps
)

// Check reports what is wrong with a trace.
func (t DemandTrace) Check() error {
	switch {
	case len(t) == 0:
		return errors.New("the trace has no step")
	case len(t) > maxTraceSteps:
		return fmt.Errorf("a trace of %d steps; want at most %d", len(t), maxTraceSteps)
	case len(t[0]) > maxDemandNodes || len(t)*len(t[0])*len(t[0]) > maxTracePairs:
		return fmt.Errorf("a trace of %d steps of %d nodes; want at most %d pairs in all", len(t), len(t[0]), maxTracePairs)
	}
	for i, d := range t {
		if err := d.Check(len(t[0])); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// ReadDemandTraceFile reads a trace from FILE.csv or FILE.json.
func ReadDemandTraceFile(name string) (DemandTrace, error) {
	return readByName(name, "a trace of demands", ReadDemandTraceCSV, ReadDemandTraceJSON)
}

// ReadDemandTraceJSON reads a trace as a list of demands, each a list of rows of integer bytes.
func ReadDemandTraceJSON(r io.Reader) (DemandTrace, error) {
	var t DemandTrace
	if err := readJSON(r, &t, "a list of demands, each a list of rows of whole bytes, [[[0,10],[20,0]],[[0,5],[25,0]]]"); err != nil {
		return nil, err
	}
	return t, t.Check()
}

// ReadDemandTraceCSV reads a trace as lines step,src,dst,bytes below that heading, with steps
// from 0 and in order. Unlisted pairs have no bytes.
func ReadDemandTraceCSV(r io.Reader) (DemandTrace, error) {
	lines := rows.New(r)
	lines.TrimLeadingSpace = true
	lines.Comment = '#'
	head := []string{"step", "src", "dst", "bytes"}
	var steps []*pairList
	nodes, begun := int64(0), false
	err := lines.Each(func(row []string) error {
		if !begun {
			begun = true
			if !slices.Equal(row, head) {
				return fmt.Errorf("the heading is %.80q; want %s", strings.Join(row, ","), strings.Join(head, ","))
			}
			return nil
		}
		numbers, err := wholeNumbers(row)
		switch {
		case err != nil:
			return err
		case len(numbers) != len(head):
			return fmt.Errorf("want %s", strings.Join(head, ","))
		case numbers[0] == int64(len(steps)) && len(steps) < maxTraceSteps:
			steps = append(steps, &pairList{bytes: map[[2]int64]int64{}})
		case numbers[0] != int64(len(steps)-1):
			return fmt.Errorf("step %d; want steps from 0 and in order, at most %d", numbers[0], maxTraceSteps)
		}
		last := steps[len(steps)-1]
		if err := last.add(numbers[1:]); err != nil {
			return err
		}
		nodes = max(nodes, last.nodes)
		if int64(len(steps))*nodes*nodes > maxTracePairs {
			return fmt.Errorf("a trace of more than %d pairs in all", maxTracePairs)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(steps) == 0:
		return nil, errors.New("the trace has no step")
	case nodes < MinNodes:
		return nil, errors.New("no pair of different nodes")
	}
	t := make(DemandTrace, len(steps))
	for i, pairs := range steps {
		pairs.nodes = nodes
		if t[i], err = pairs.demand(); err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
	}
	return t, t.Check()
}

// TraceSyntax describes what GenerateDemandTrace reads.
const TraceSyntax = "drift:STEPS:RATE (e.g. drift:20:0.1)"

// TraceValue is the trace in a request: its demands, or the name of a generator; the zero value
// is neither.
type TraceValue struct {
	Steps     DemandTrace
	Generator string
}

// IsZero reports whether the value has neither demands nor a generator.
func (t TraceValue) IsZero() bool { return t.Steps == nil && t.Generator == "" }

// MarshalJSON writes the list of demands or the name of the generator.
func (t TraceValue) MarshalJSON() ([]byte, error) {
	if t.Generator != "" {
		return json.Marshal(t.Generator)
	}
	return json.Marshal(t.Steps)
}

// UnmarshalJSON reads either form.
func (t *TraceValue) UnmarshalJSON(data []byte) error {
	return unmarshalEither(data, &t.Generator, &t.Steps, "a list of demands, or "+TraceSyntax)
}

// Check reports why the trace is invalid for the given number of nodes, without generating it.
func (t *TraceValue) Check(nodes int) error {
	if t.Generator != "" {
		_, err := readDrift(t.Generator, nodes)
		return err
	}
	if err := t.Steps.Check(); err != nil {
		return err
	}
	if len(t.Steps[0]) != nodes {
		return fmt.Errorf("its demands are of %d ranks; the groups of the all-to-alls have %d", len(t.Steps[0]), nodes)
	}
	return nil
}

// Of returns the trace for the given number of nodes.
func (t *TraceValue) Of(nodes int) (DemandTrace, error) {
	if t.Generator != "" {
		return GenerateDemandTrace(t.Generator, nodes, DefaultSeed)
	}
	return t.Steps, t.Check(nodes)
}

// drift holds the parameters of the trace generator.
type drift struct {
	steps int
	rate  float64
}

// readDrift reads drift:STEPS:RATE for n nodes.
func readDrift(spec string, n int) (d drift, err error) {
	parts := strings.Split(spec, ":")
	if len(parts) != 3 || parts[0] != "drift" {
		return d, fmt.Errorf("unknown trace %.40q; use FILE.csv, FILE.json or %s", spec, TraceSyntax)
	}
	d.steps, err = strconv.Atoi(parts[1])
	if err != nil || d.steps < 1 || d.steps > maxTraceSteps || d.steps*n*n > maxTracePairs {
		return d, fmt.Errorf("trace %.40q: %.20q is not a number of steps in 1..%d", spec, parts[1], min(maxTraceSteps, maxTracePairs/max(1, n*n)))
	}
	d.rate, err = strconv.ParseFloat(parts[2], 64)
	if err != nil || !(d.rate >= 0 && d.rate <= 1) {
		return d, fmt.Errorf("trace %.40q: %.20q is not a rate in 0..1", spec, parts[2])
	}
	if n < MinNodes || n > maxDemandNodes {
		return d, fmt.Errorf("a trace of %d nodes; want %d..%d", n, MinNodes, maxDemandNodes)
	}
	return d, nil
}

// GenerateDemandTrace makes the demand of experts whose popularity drifts: drift:STEPS:RATE.
// The logarithms of popularity, and of every node's preference, are normally distributed as in
// the generator moe. From step to step, each moves towards a new value by RATE, from 0 to 1:
// with 0 they stay as they are, and with 1 steps have nothing in common. All steps have the
// same total. The same seed gives the same trace.
func GenerateDemandTrace(spec string, n int, seed uint64) (DemandTrace, error) {
	d, err := readDrift(spec, n)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x6472696674))
	values := make([]float64, n+n*n) // popularity, then preferences
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	stays := math.Sqrt(1 - d.rate*d.rate)
	trace := make(DemandTrace, d.steps)
	for t := range trace {
		if t > 0 {
			for i := range values {
				values[i] = stays*values[i] + d.rate*rng.NormFloat64()
			}
		}
		trace[t] = scaled(eachPair(n, func(s, e int) float64 {
			return math.Exp(moePopularity*values[e] + moeTaste*values[n+s*n+e])
		}), traceUnit)
	}
	return trace, nil
}

// traceUnit is what a node has in a step of a generated trace, in which only the proportions
// matter.
const traceUnit = 1 << 20

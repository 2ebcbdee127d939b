package lightpath

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/units"
)

// FindSchema names the JSON form of what Find found and its version.
const FindSchema = "lightpath.find/v1"

// FindRequest asks for the best topologies of a size and degree.
type FindRequest struct {
	Nodes, Degree int
	Op            collective.Op // allgather, reducescatter or allreduce
	Bidirectional bool          // every circuit has one the other way
	Machine       finder.Machine
	// Loads are the sizes that the best topology is chosen for, each with its weight.
	Loads []finder.Weighted
	// Store, if not empty, is a file in which what was found is kept.
	Store    string
	Progress func(done, total int)
}

// Found is the topologies of which none has both fewer steps and less bandwidth than
// another.
type Found struct {
	Schema        string        `json:"schema"`
	Nodes         int           `json:"nodes"`
	Degree        int           `json:"degree"`
	Op            collective.Op `json:"op"`
	Bidirectional bool          `json:"bidirectional"`
	Frontier      []FoundPoint  `json:"frontier"`
	// Bound is what no topology can beat.
	Bound FoundPoint `json:"bound"`
	// Best is the point of the frontier that takes least time.
	Best FoundPoint `json:"best"`
}

// FoundPoint is one topology.
type FoundPoint struct {
	Expr      string     `json:"expr,omitempty"`
	Steps     int        `json:"steps"`
	Bandwidth string     `json:"bandwidth"` // "p/q" of M/B, exact
	TimeNs    units.Time `json:"time_ns"`   // of all loads together
	Method    string     `json:"method,omitempty"`
}

// Find finds them.
func Find(ctx context.Context, r FindRequest) (*Found, error) {
	op, ok := direct.Schedulable(r.Op)
	if !ok {
		return nil, fmt.Errorf("op: topologies are found for allgather, reducescatter or allreduce, not %s", r.Op)
	}
	options := finder.Options{Op: op, Bidirectional: r.Bidirectional}
	if r.Progress != nil {
		options.Progress = func(_ string, done, total int) { r.Progress(done, total) }
	}
	points, err := frontierOf(ctx, &r, options)
	if errors.Is(err, finder.ErrNone) {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	if err != nil {
		return nil, err
	}
	bound, err := finder.Bound(r.Nodes, r.Degree, options)
	if err != nil {
		return nil, err
	}
	answer := &Found{Schema: FindSchema, Nodes: r.Nodes, Degree: r.Degree, Op: r.Op, Bidirectional: r.Bidirectional}
	for _, p := range points {
		point, err := r.point(p)
		if err != nil {
			return nil, err
		}
		answer.Frontier = append(answer.Frontier, point)
	}
	if answer.Bound, err = r.point(finder.Point{Cost: bound}); err != nil {
		return nil, err
	}
	choice, err := r.Machine.Choose(points, r.Loads)
	if err != nil {
		return nil, err
	}
	answer.Best = answer.Frontier[choice.Index]
	return answer, nil
}

// frontierOf searches, or reads what was found before.
func frontierOf(ctx context.Context, r *FindRequest, options finder.Options) ([]finder.Point, error) {
	if r.Store == "" {
		return finder.New(r.Degree, options).Frontier(ctx, r.Nodes)
	}
	store, err := finder.Open(r.Store)
	if err != nil {
		return nil, err
	}
	points, err := store.Frontier(ctx, r.Nodes, r.Degree, options)
	if err == nil || errors.Is(err, finder.ErrNone) {
		if saveErr := store.Save(); saveErr != nil {
			return nil, saveErr
		}
	}
	return points, err
}

// point prices a topology for all loads.
func (r *FindRequest) point(p finder.Point) (FoundPoint, error) {
	choice, err := r.Machine.Choose([]finder.Point{p}, r.Loads)
	if err != nil {
		return FoundPoint{}, err
	}
	found := FoundPoint{Steps: p.Steps, Bandwidth: p.Bandwidth.RatString(), TimeNs: choice.Time, Method: string(p.Method)}
	if p.Method != "" {
		found.Expr = p.Expr.String()
	}
	return found, nil
}

// Filled says what a store holds after FillStore.
type Filled struct {
	Store string `json:"store"`
	Most  int    `json:"nodes"` // every size from 2 to it
}

// FillStore finds the topologies of every size from 2 to most. What was found when it is
// interrupted is kept.
func FillStore(ctx context.Context, r FindRequest, most int, progress func(done, total int)) (*Filled, error) {
	op, ok := direct.Schedulable(r.Op)
	switch {
	case !ok:
		return nil, fmt.Errorf("op: topologies are found for allgather, reducescatter or allreduce, not %s", r.Op)
	case r.Store == "":
		return nil, errors.New("store: needs a file to fill")
	case most < 2:
		return nil, fmt.Errorf("fill: sizes from 2 to %d", most)
	}
	store, err := finder.Open(r.Store)
	if err != nil {
		return nil, err
	}
	options := finder.Options{Op: op, Bidirectional: r.Bidirectional}
	err = store.Fill(ctx, most, r.Degree, options, func(n int) { progress(n, most) })
	if saveErr := store.Save(); saveErr != nil {
		return nil, saveErr
	}
	if err != nil {
		return nil, err
	}
	return &Filled{r.Store, most}, nil
}

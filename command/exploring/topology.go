// Package exploring implements the commands topology, schedule, find and collective, which
// examine graphs, schedules and algorithms without a plan, and the catalog of algorithms,
// planners and presets.
package exploring

import (
	"context"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/topology"
)

// TopologyRequest asks for the measures of a topology.
type TopologyRequest struct {
	Topology string `json:"topology"` // expression
}

// UnmarshalJSON reads the JSON form.
func (r *TopologyRequest) UnmarshalJSON(data []byte) error {
	type plain TopologyRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete reports an invalid expression.
func (r *TopologyRequest) Complete() error {
	_, err := topology.ParseExpr(r.Topology)
	return field.In("topology", err)
}

// Topology builds the graph of an expression and measures it.
func Topology(ctx context.Context, r TopologyRequest, options ...command.Option) (*topology.Metrics, error) {
	g, err := command.NewRun(options).Known.Families.Parse(r.Topology)
	if err != nil {
		return nil, field.In("topology", err)
	}
	m, err := g.Measure(ctx)
	if err != nil {
		return nil, err
	}
	return &m, nil
}

package server

import (
	"context"
	"net/http"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/topology/wiring"
)

// Wiring is the circuits of a topology, for a picture.
type Wiring struct {
	Expr string `json:"expr"`
	*wiring.Wiring
}

// wiring lists the circuits of the expression in the query.
func (s *Server) wiring(w http.ResponseWriter, r *http.Request) error {
	request := &lightpath.TopologyRequest{Topology: r.URL.Query().Get("topology")}
	if err := s.config.Limits.check(request); err != nil {
		return err
	}
	expr, err := topology.ParseExpr(request.Topology)
	if err != nil {
		return field.In("topology", err)
	}
	made, err := serveLarge(r.Context(), s, "wiring", expr.Nodes(), func(context.Context) (*Wiring, error) {
		g, err := expr.Build()
		if err != nil {
			return nil, field.In("topology", err)
		}
		if n := g.Circuits(); n > mostCircuits {
			return nil, field.Errorf("topology", "%d circuits; this service lists at most %d", n, mostCircuits)
		}
		return &Wiring{expr.String(), wiring.Of(g)}, nil
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, made)
}

// mostCircuits bounds a list of circuits: a picture cannot show more.
const mostCircuits = 500_000

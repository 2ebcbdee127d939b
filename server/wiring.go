package server

import (
	"net/http"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/topology/wiring"
)

// Wiring is the circuits of a topology, to be drawn.
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
	g, err := expr.Build()
	if err != nil {
		return field.In("topology", err)
	}
	return writeJSON(w, http.StatusOK, Wiring{expr.String(), wiring.Of(g)})
}

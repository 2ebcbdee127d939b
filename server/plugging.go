package server

import (
	"net/http"
	"strconv"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/field"
)

// Plugging says, for a picture, which port of which GPU is plugged into which switch.
type Plugging struct {
	Layout   string  `json:"layout"`
	Switches int     `json:"switches"`
	Radix    int     `json:"radix"` // the most ports plugged into one switch
	At       [][]int `json:"at"`    // by GPU and port; -1 where a port is not plugged in
}

// plugging lists where the ports of the layout in the query are plugged in.
func (s *Server) plugging(w http.ResponseWriter, r *http.Request) error {
	query, f := r.URL.Query(), fabric.Default()
	for name, into := range map[string]*int{"nodes": &f.Nodes, "ports": &f.Ports} {
		n, err := strconv.Atoi(query.Get(name))
		if err != nil || n < 1 {
			return field.Errorf(name, "%.40q is not a number above 0", query.Get(name))
		}
		*into = n
	}
	if err := s.config.Limits.check(&lightpath.PlanRequest{Fabric: f}); err != nil {
		return err
	}
	if f.Ports > mostCircuits/f.Nodes {
		return field.Errorf("ports", "%d GPUs with %d ports; this service lists at most %d ports", f.Nodes, f.Ports, mostCircuits)
	}
	p, err := plugged(query.Get("switches"), f)
	if err != nil {
		return field.In("switches", err)
	}
	made := &Plugging{Layout: query.Get("switches"), Switches: p.Switches(), Radix: p.Radix(), At: make([][]int, f.Nodes)}
	for u := range made.At {
		for port := range f.Ports {
			made.At[u] = append(made.At[u], p.Switch(u, port))
		}
	}
	return writeJSON(w, http.StatusOK, made)
}

func plugged(text string, f fabric.Fabric) (*layout.Plugging, error) {
	l, err := layout.Parse(text)
	if err != nil {
		return nil, err
	}
	if l.IsZero() {
		return layout.OneSwitch(f.Nodes, f.Ports)
	}
	return l.Plug(f.Nodes, f.Ports)
}

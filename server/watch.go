package server

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/ports"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/server/film"
	"github.com/lightpath-net/lightpath/units"
)

// film simulates a plan of the store and answers with the film.
func (s *Server) film(w http.ResponseWriter, r *http.Request) error {
	id, query := r.PathValue("id"), r.URL.Query()
	packet := units.Bytes(0)
	if text := query.Get("packet"); text != "" {
		var err error
		if packet, err = units.ParsePositiveBytes(text); err != nil {
			return field.In("packet", err)
		}
	}
	same := "film " + id + " " + packet.String()
	if a, ok := s.store.recent.get(same); ok {
		s.metrics.hits.Add(1)
		if unchanged(w, r, askAgain, s.version, same) {
			return nil
		}
		return writeAnswer(w, a)
	}
	p, err := s.store.Plan(r.Context(), id)
	if err != nil {
		return err
	}
	switch n := film.Links(p); {
	case p.Fabric.Forwarding == fabric.CutThrough && p.Fabric.Delta == 0:
		return field.Errorf("plan", "its fabric has a delta of 0ns, with which packets cannot cut through; use 1ps or more, or store-and-forward")
	case !p.Fabric.Links.IsZero():
		return field.Errorf("plan", "its circuits differ, and a film shows circuits that are alike; simulate it for the figures")
	case n > film.MostLinks:
		return field.Errorf("plan", "its steps use %d links, and at most %d can be shown; simulate it for the figures", n, film.MostLinks)
	}
	body, err := serveWork(r.Context(), s, "film "+id, func(ctx context.Context) ([]byte, error) {
		made, err := film.Make(ctx, p, packet)
		if err != nil {
			return nil, err
		}
		return json.Marshal(made)
	})
	if err != nil {
		return err
	}
	a := answer{plan: id, body: body}
	s.store.recent.put(same, a)
	if unchanged(w, r, askAgain, s.version, same) {
		return nil
	}
	return writeAnswer(w, a)
}

// Switches says when the switches of a plan are dark.
type Switches struct {
	// Model says what goes dark together: the circuits of one of several switches, or all
	// circuits that change.
	Model    string   `json:"model"`
	Switches []Switch `json:"switches"`
}

// Switch is one switch.
type Switch struct {
	Index int    `json:"index"` // from 0
	Dark  []Dark `json:"dark"`
}

// Dark is a time in which circuits are set.
type Dark struct {
	Stage    int        `json:"stage"` // whose circuits, from 1
	FromNs   units.Time `json:"from_ns"`
	UntilNs  units.Time `json:"until_ns"`
	Circuits int        `json:"circuits"` // new or changed circuits of the switch
}

// switches says when each switch of a plan is dark, by the plan's clock.
func (s *Server) switches(w http.ResponseWriter, r *http.Request) error {
	p, err := s.store.Plan(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	made, err := serveLarge(r.Context(), s, "switches", p.Fabric.Nodes, func(context.Context) (*Switches, error) {
		return switchesOf(p)
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, made)
}

func switchesOf(p *plan.Plan) (*Switches, error) {
	commands, err := p.Commands()
	if err != nil {
		return nil, err
	}
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	if up == nil {
		up = p.Stages[0].Topology // up from the start
	}
	k := ports.Switches(&p.Fabric) // one, or several shown as one
	made := &Switches{Model: p.Fabric.Reconfig.Model.String(), Switches: make([]Switch, k)}
	for i := range made.Switches {
		made.Switches[i] = Switch{Index: i, Dark: []Dark{}}
	}
	now := fabric.SwitchSettings(up, k)
	for _, c := range commands {
		next := place(now, fabric.SwitchSettings(p.Stages[c.Stage].Topology, k))
		for i := range next {
			if n := fresh(now[i], next[i]); n > 0 {
				made.Switches[i].Dark = append(made.Switches[i].Dark, Dark{c.Stage + 1, c.At, c.Over, n})
			}
		}
		now = next
	}
	return made, nil
}

// place assigns settings to switches. A setting that a switch already has stays there, as the
// delay of parallel switches assumes; the others go to the remaining switches, in order.
func place(now, wanted [][][2]int) [][][2]int {
	next, left := make([][][2]int, len(now)), [][][2]int{}
	taken := make([]bool, len(now))
	for _, w := range wanted {
		i := slices.IndexFunc(now, func(old [][2]int) bool { return slices.Equal(old, w) })
		for i >= 0 && taken[i] {
			if j := slices.IndexFunc(now[i+1:], func(old [][2]int) bool { return slices.Equal(old, w) }); j >= 0 {
				i += 1 + j
			} else {
				i = -1
			}
		}
		if i < 0 {
			left = append(left, w)
			continue
		}
		next[i], taken[i] = w, true
	}
	for i := range next {
		if !taken[i] {
			next[i], left = left[0], left[1:]
		}
	}
	return next
}

// fresh counts the circuits of a setting that another does not have.
func fresh(old, next [][2]int) int {
	have := map[[2]int]int{}
	for _, c := range old {
		have[c]++
	}
	n := 0
	for _, c := range next {
		if have[c]--; have[c] < 0 {
			n++
		}
	}
	return n
}

package sim

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/rows"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Scenario is traffic with optional priorities, routes and changes of circuits.
type Scenario struct {
	Flows []Flow
	Lines []int // of the file, by flow
	// Routes of each flow, nil for a flow without; nil if no flow has any.
	Routes    [][]flow.Route
	Rewirings []Rewiring // ascending in time
}

// Rewiring is a change of circuits: those that appear or disappear are dark for a time.
type Rewiring struct {
	At       units.Duration `json:"at_ns"`
	Dark     units.Duration `json:"dark_ns"`
	Topology string         `json:"topology"` // the circuits after it, an expression
}

// Change returns the rewiring with its circuits.
func (r *Rewiring) Change(nodes int) (Change, error) {
	g, err := topology.Parse(r.Topology)
	if err != nil {
		return Change{}, err
	}
	if g.Nodes() != nodes {
		return Change{}, fmt.Errorf("%s has %d nodes; want %d, as before", r.Topology, g.Nodes(), nodes)
	}
	return Change{At: r.At, Delay: r.Dark, Graph: g, Partial: true}, nil
}

// moreColumns are the optional columns of a file, after src, dst, bytes and start_ns.
var moreColumns = []string{"priority", "route", "rewire", "dark_ns"}

// ReadScenario reads flows between nodes 0 to nodes-1 from CSV. The first line is the heading
// src,dst,bytes,start_ns; a start may have decimals, down to a picosecond. Errors name the
// line. The heading may also have these columns, in any order:
//
//	priority   a whole number; the lowest goes first
//	route      0-3-5, the nodes of a route; several with shares as 0-3-5:0.7|0-4-5:0.3
//	rewire     a topology: the row is not a message and has no src, dst and bytes; from
//	           start_ns on, the circuits are those of the topology
//	dark_ns    how long circuits that appear or disappear are dark
func ReadScenario(r io.Reader, nodes int) (*Scenario, error) {
	in := rows.New(r)
	row, err := in.Heading("the header src,dst,bytes,start_ns")
	if err != nil {
		return nil, err
	}
	n := len(trafficHeader)
	if len(row) < n || !slices.Equal(row[:n], trafficHeader) {
		return nil, fmt.Errorf("line 1: header %q; want src,dst,bytes,start_ns and perhaps %s", row, strings.Join(moreColumns, ","))
	}
	more := slices.Clone(row[n:])
	for i, name := range more {
		if !slices.Contains(moreColumns, name) || slices.Contains(more[:i], name) {
			return nil, fmt.Errorf("line 1: column %q; want src,dst,bytes,start_ns and perhaps %s, each once", name, strings.Join(moreColumns, ","))
		}
	}
	s := &Scenario{}
	err = in.Each(func(row []string) error {
		before := len(s.Flows)
		err := s.row(row, more, nodes)
		if len(s.Flows) > before {
			s.Lines = append(s.Lines, in.Line())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// row adds a row.
func (s *Scenario) row(row, more []string, nodes int) error {
	n := len(trafficHeader)
	if len(row) != n+len(more) {
		return fmt.Errorf("%d fields; want %d", len(row), n+len(more))
	}
	value := func(name string) string {
		if i := slices.Index(more, name); i >= 0 {
			return row[n+i]
		}
		return ""
	}
	if value("rewire") != "" {
		return s.rewire(row, value("rewire"), value("dark_ns"), nodes)
	}
	if value("dark_ns") != "" {
		return fmt.Errorf("dark_ns %q; want it only with rewire", value("dark_ns"))
	}
	f, err := parseFlow(row[:n], nodes)
	if err != nil {
		return err
	}
	if text := value("priority"); text != "" {
		priority, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return fmt.Errorf("priority %q; want a whole number, the lowest goes first", text)
		}
		f.Priority = int32(priority)
	}
	var routes []flow.Route
	if text := value("route"); text != "" {
		if routes, err = parseRoutes(text); err == nil {
			_, err = checkRoutes(&f, routes)
		}
		if err != nil {
			return fmt.Errorf("route %q: %w", text, err)
		}
	}
	if routes != nil && s.Routes == nil {
		s.Routes = make([][]flow.Route, len(s.Flows))
	}
	if s.Routes != nil {
		s.Routes = append(s.Routes, routes)
	}
	s.Flows = append(s.Flows, f)
	return nil
}

// rewire adds a change of circuits.
func (s *Scenario) rewire(row []string, expr, dark string, nodes int) error {
	for i, text := range row[:3] {
		if text != "" {
			return fmt.Errorf("%s %q; want none with rewire", trafficHeader[i], text)
		}
	}
	r := Rewiring{Topology: expr}
	var err error
	if r.At, err = units.ParseDuration(row[3] + "ns"); err != nil {
		return fmt.Errorf("start_ns %q; want nanoseconds from 0 on with at most three decimals", row[3])
	}
	if dark != "" {
		if r.Dark, err = units.ParseDuration(dark + "ns"); err != nil {
			return fmt.Errorf("dark_ns %q; want nanoseconds from 0 on with at most three decimals", dark)
		}
	}
	if !inTime(r.At) || !inTime(r.Dark) {
		return fmt.Errorf("rewired at %d ps for %d ps", r.At, r.Dark)
	}
	if last := len(s.Rewirings) - 1; last >= 0 && r.At < s.Rewirings[last].At+s.Rewirings[last].Dark {
		return fmt.Errorf("start_ns %q; want it after the end of the rewiring before, %v", row[3], s.Rewirings[last].At+s.Rewirings[last].Dark)
	}
	if _, err := r.Change(nodes); err != nil {
		return fmt.Errorf("rewire: %w", err)
	}
	s.Rewirings = append(s.Rewirings, r)
	return nil
}

// parseRoutes reads 0-3-5:0.7|0-4-5:0.3. Without shares all are equal.
func parseRoutes(text string) ([]flow.Route, error) {
	var routes []flow.Route
	parts := strings.Split(text, "|")
	for _, part := range parts {
		nodes, share, shared := strings.Cut(part, ":")
		r := flow.Route{Share: 1 / float64(len(parts))}
		if shared {
			var err error
			if r.Share, err = strconv.ParseFloat(share, 64); err != nil {
				return nil, fmt.Errorf("share %q; want a number from 0 to 1", share)
			}
		}
		for node := range strings.SplitSeq(nodes, "-") {
			u, err := strconv.ParseInt(node, 10, 32)
			if err != nil || u < 0 {
				return nil, fmt.Errorf("node %q; want nodes as in 0-3-5", node)
			}
			if slices.Contains(r.Path, int32(u)) {
				return nil, fmt.Errorf("it visits node %d twice", u)
			}
			r.Path = append(r.Path, int32(u))
		}
		routes = append(routes, r)
	}
	return routes, nil
}

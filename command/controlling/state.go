package controlling

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"encoding/json"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// StateSchema names the form of a run's state file.
const StateSchema = "lightpath.control-state/v1"

// maxState bounds the size of a state file.
const maxState = 256 << 20

// state is what a run saves after every step. It replaces the whole file, so if a run is killed,
// the file has either the step before or the one after. The circuits may already be those of the
// next step. Its demand then comes again, because nobody was told that it had been handled, and
// the decision is the same.
type state struct {
	Schema  string                 `json:"schema"`
	Sum     string                 `json:"sum"` // of the request
	Stream  iterating.StreamMemory `json:"stream"`
	Last    *RanStep               `json:"last,omitempty"`
	Demand  string                 `json:"demand,omitempty"` // checksum of the last step's demand
	Rewired int                    `json:"rewired"`
	Feed    *Position              `json:"feed,omitempty"`
}

// status returns the status of a run, as far as its saved state has it.
func (s *state) status() Status {
	return Status{Steps: s.Stream.Step, Rewired: s.Rewired, Total: s.Stream.Player.Total, Static: s.Stream.Player.Home, Last: s.Last, Feed: s.Feed}
}

// readState reads the saved state of a run of the same request; nil if there is none.
func readState(name, sum string) (*state, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxState))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s, err := parseState(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if s.Sum != sum {
		return nil, fmt.Errorf("%s is of another workload, fabric, policy or port map; remove it to begin anew, or name another file", name)
	}
	return s, nil
}

// parseState parses a saved state.
func parseState(data []byte) (*state, error) {
	s := &state{}
	if err := strict.Unmarshal(data, s); err != nil {
		return nil, err
	}
	switch {
	case s.Schema != StateSchema:
		return nil, fmt.Errorf("schema %.40q; want %q", s.Schema, StateSchema)
	case (s.Last == nil) != (s.Stream.Step == 0), s.Last != nil && s.Last.Step != s.Stream.Step-1:
		return nil, fmt.Errorf("step %d comes next, but the last one is not that before it", s.Stream.Step)
	case s.Feed != nil && (s.Feed.Bytes < 0 || s.Feed.Line < 0):
		return nil, fmt.Errorf("the feed was read up to byte %d, line %d", s.Feed.Bytes, s.Feed.Line)
	}
	return s, nil
}

// save saves the decisions.
func (n *Runner) save() error {
	now := n.Status()
	s := &state{Schema: StateSchema, Sum: n.sum, Stream: n.stream.Memory(), Last: n.last, Demand: n.demand, Rewired: now.Rewired, Feed: now.Feed}
	err := files.Write(n.request.StateFile, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
	n.note(func(s *Status) {
		if s.Unsaved = ""; err != nil {
			s.Unsaved = err.Error()
		}
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsaved, err)
	}
	return nil
}

// ErrUnsaved means that a step was done but could not be saved: after a kill it would be done
// again.
var ErrUnsaved = errors.New("the step could not be written down")

package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode"

	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

// Layer is a layer as the simulation needs it.
type Layer struct {
	Name string `json:"name"`
	// Bytes is the size of the gradients that all GPUs add up; 0 for a layer without any.
	Bytes    units.Bytes    `json:"bytes"`
	Forward  units.Duration `json:"forward_ns"`  // computation in the forward pass
	Backward units.Duration `json:"backward_ns"` // and in the backward pass
	// Exchange is what every GPU sends in an all-to-all, including to itself: a layer of experts
	// receives its tokens with one and returns them with another, in the forward pass and again in
	// the backward pass. It is 0 for all other layers.
	Exchange units.Bytes `json:"alltoall_bytes,omitzero"`
}

// Trace is a model, given by its layers in the order of the forward pass.
type Trace struct {
	Name   string   `json:"name,omitempty"`
	About  []string `json:"about,omitempty"` // lines about its origin
	Layers []Layer  `json:"layers"`
}

// exchanges is the number of all-to-alls of a layer of experts: two in each pass.
const exchanges = 4

// Totals are the sums over the layers of a trace.
type Totals struct {
	Bytes             units.Bytes // of gradients
	Forward, Backward units.Duration
	Exchange          units.Bytes // sent by a GPU in all all-to-alls together
}

// Compute is the time of both passes without communication.
func (t *Totals) Compute() units.Duration { return t.Forward + t.Backward }

// Totals sums up the layers. The totals of a valid trace do not overflow.
func (t *Trace) Totals() Totals {
	var sum Totals
	for i := range t.Layers {
		sum.add(&t.Layers[i])
	}
	return sum
}

func (t *Totals) add(l *Layer) {
	t.Bytes += l.Bytes
	t.Forward += l.Forward
	t.Backward += l.Backward
	t.Exchange += exchanges * l.Exchange
}

// room reports why a layer cannot be added: the sums would overflow.
func (t *Totals) room(l *Layer) error {
	switch {
	case l.Bytes > math.MaxInt64-t.Bytes:
		return errors.New("bytes: the sum of all layers does not fit 64 bits")
	case l.Forward > math.MaxInt64-t.Compute(), l.Backward > math.MaxInt64-t.Compute()-l.Forward:
		return errors.New("forward_ns, backward_ns: the sum of all layers is more than 106 days")
	case l.Exchange > (math.MaxInt64-t.Exchange)/exchanges:
		return errors.New("alltoall_bytes: the sum of all layers does not fit 64 bits")
	}
	return nil
}

// Faster returns the trace for GPUs that compute faster by a factor, which must be above 0.
// Times are rounded to picoseconds, and none exceeds the largest Duration.
func (t *Trace) Faster(factor float64) *Trace {
	faster := &Trace{Name: t.Name, About: t.About, Layers: slices.Clone(t.Layers)}
	for i := range faster.Layers {
		l := &faster.Layers[i]
		l.Forward, l.Backward = divided(l.Forward, factor), divided(l.Backward, factor)
	}
	return faster
}

func divided(d units.Duration, by float64) units.Duration {
	x := math.Round(float64(d) / by)
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return units.Duration(x)
}

// Validate reports the first invalid layer.
func (t *Trace) Validate() error {
	if len(t.Layers) == 0 {
		return errors.New("a trace without layers")
	}
	var sum Totals
	for i := range t.Layers {
		l := &t.Layers[i]
		err := l.validate()
		if err == nil {
			err = sum.room(l)
		}
		if err != nil {
			return fmt.Errorf("layer %d: %w", i+1, err)
		}
		sum.add(l)
	}
	return nil
}

func (l *Layer) validate() error {
	if err := checkName(l.Name); err != nil {
		return err
	}
	if l.Bytes < 0 || l.Forward < 0 || l.Backward < 0 || l.Exchange < 0 {
		return errors.New("a size or time below 0")
	}
	return nil
}

// checkName keeps names readable in a table and in a CSV file, in which # begins a comment.
func checkName(name string) error {
	if name == "" || name[0] == '#' {
		return fmt.Errorf("name %q; want one that is not empty and does not begin with #", name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return fmt.Errorf("name %q; want printable characters", name)
		}
	}
	return nil
}

// UnmarshalJSON reads a trace as its layers, or as the name of a built-in one.
func (t *Trace) UnmarshalJSON(data []byte) error {
	var name string
	if json.Unmarshal(data, &name) == nil && data[0] == '"' {
		built, err := Builtin(name)
		if err == nil {
			*t = *built
		}
		return err
	}
	type plain Trace
	return strict.Unmarshal(data, (*plain)(t))
}

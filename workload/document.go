package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

// Schema names the JSON form of a workload and its version.
const Schema = "lightpath.workload/v1"

// Workload is one iteration of training.
type Workload struct {
	Schema string `json:"schema"`
	Name   string `json:"name,omitempty"`
	// About has lines on its origin and on assumptions.
	About []string `json:"about,omitempty"`
	Model *Facts   `json:"model,omitempty"` // facts about the model, if it was made from one
	Ranks int      `json:"ranks"`
	// Kinds are partitions of the ranks into groups, by name.
	Kinds map[string][][]int `json:"kinds"`
	// Blocks are lists of operations that programs and other blocks call.
	Blocks   map[string][]Op `json:"blocks,omitempty"`
	Programs []Program       `json:"programs"`
}

// Facts are facts about the model that a workload was made from.
type Facts struct {
	Name             string  `json:"name"`
	Parameters       int64   `json:"parameters"`
	ActiveParameters int64   `json:"active_parameters"` // used by a token
	Tokens           int64   `json:"tokens"`            // per iteration
	Flops            float64 `json:"flops"`             // per iteration, without recomputation
	HardwareFlops    float64 `json:"hardware_flops"`    // done by GPUs, including recomputation
	GPU              string  `json:"gpu"`
	PeakFlops        float64 `json:"peak_flops"` // of a GPU, per second
	Efficiency       float64 `json:"efficiency"` // fraction of the peak while it computes
	Microbatches     int     `json:"microbatches"`
	Schedule         string  `json:"schedule"`
}

// Program is what each rank of a class does.
type Program struct {
	Name  string  `json:"name,omitempty"`
	Ranks RankSet `json:"ranks"`
	Ops   []Op    `json:"ops"`
}

// Op is an operation: a computation, a collective, a send, a receive or the call of a block.
// Exactly one of Compute, Op, SendTo, Receive and Block determines which.
type Op struct {
	ID      string          `json:"id"`
	Compute *units.Duration `json:"compute_ns,omitempty"` // how long it computes
	// Op is a collective of the rank's group in Kind.
	Op     collective.Op `json:"op,omitempty"`
	SendTo *Peer         `json:"send_to,omitempty"`
	// Receive is the identifier of the send of rank From that the operation waits for.
	Receive string `json:"receive,omitempty"`
	From    *Peer  `json:"from,omitempty"`
	// Size is the size of a collective (see collective.Op) or of a send.
	Size units.Bytes `json:"size_bytes,omitzero"`
	// Skew says how an all-to-all's bytes differ from pair to pair (see Demand), with Size as the
	// mean of a rank. Empty: all pairs have the same.
	Skew string `json:"skew,omitempty"`
	// Kind is the kind of a collective's group. For a send or receive it says that the other end
	// is in the same group.
	Kind  string   `json:"kind,omitempty"`
	Block string   `json:"block,omitempty"` // the block that is called
	After []string `json:"after,omitempty"`
}

// Largest returns the size of the largest communication.
func (w *Workload) Largest() units.Bytes {
	most := units.Bytes(0)
	look := func(ops []Op) {
		for i := range ops {
			most = max(most, ops[i].Size)
		}
	}
	for _, ops := range w.Blocks {
		look(ops)
	}
	for i := range w.Programs {
		look(w.Programs[i].Ops)
	}
	return most
}

// These limit what is read, so that a small file cannot require much memory.
const (
	MaxRanks = 1 << 20
	// MaxOps limits the operations of all programs, with every call expanded.
	MaxOps = 1 << 23
)

// Read reads a workload strictly, and validates it.
func Read(r io.Reader) (*Workload, error) {
	d := strict.NewReader(units.SkipMark(r))
	type plain Workload
	w := &Workload{}
	err := d.Value((*plain)(w))
	if err == nil {
		err = d.End()
	}
	switch {
	case d.Empty():
		return nil, errors.New("the file is empty; want a workload")
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the file ends in the middle of the workload")
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", d.Line(), err)
	}
	if err := w.Validate(); err != nil {
		return nil, err
	}
	return w, nil
}

// ReadFile reads a workload from a file. Errors begin with its name.
func ReadFile(name string) (*Workload, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return w, nil
}

// UnmarshalJSON reads the JSON form without validating it.
func (w *Workload) UnmarshalJSON(data []byte) error {
	type plain Workload
	return strict.Unmarshal(data, (*plain)(w))
}

// MarshalJSON writes the JSON form.
func (w *Workload) MarshalJSON() ([]byte, error) {
	b := &bytes.Buffer{}
	err := w.Write(b)
	return b.Bytes(), err
}

// Write writes a workload for Read, one operation per line.
func (w *Workload) Write(to io.Writer) error {
	b := &bytes.Buffer{}
	type plain Workload
	head := plain(*w)
	head.Schema, head.Kinds, head.Blocks, head.Programs = Schema, nil, nil, nil
	text, err := compact(&head)
	if err != nil {
		return err
	}
	// The remaining members are written separately; the marshalled head ends with the empty ones.
	end := []byte(`,"kinds":null,"programs":null}`)
	if !bytes.HasSuffix(text, end) {
		return fmt.Errorf("workload: the head of the document is %s", text)
	}
	b.Write(bytes.TrimSuffix(text, end))
	b.WriteString(",\n\"kinds\":{")
	for i, name := range w.KindNames() {
		if err := member(b, i, name, w.Kinds[name]); err != nil {
			return err
		}
	}
	b.WriteString("}")
	if len(w.Blocks) > 0 {
		b.WriteString(",\n\"blocks\":{")
		for i, name := range w.blockNames() {
			if err := member(b, i, name, nil); err != nil {
				return err
			}
			if err := writeOps(b, w.Blocks[name]); err != nil {
				return err
			}
		}
		b.WriteString("}")
	}
	b.WriteString(",\n\"programs\":[")
	for i := range w.Programs {
		p := w.Programs[i]
		ops := p.Ops
		p.Ops = nil
		text, err := compact(&p)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n")
		b.Write(bytes.TrimSuffix(text, []byte("null}")))
		if err := writeOps(b, ops); err != nil {
			return err
		}
		b.WriteString("}")
		if _, err := b.WriteTo(to); err != nil {
			return err
		}
	}
	b.WriteString("]}\n")
	_, err = b.WriteTo(to)
	return err
}

// member begins the i-th member of an object, with its value unless that is nil.
func member(b *bytes.Buffer, i int, name string, value any) error {
	if i > 0 {
		b.WriteString(",")
	}
	text, err := compact(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n%s:", text)
	if value == nil {
		return nil
	}
	text, err = compact(value)
	b.Write(text)
	return err
}

func writeOps(b *bytes.Buffer, ops []Op) error {
	b.WriteString("[")
	for i := range ops {
		if i > 0 {
			b.WriteString(",")
		}
		text, err := compact(&ops[i])
		if err != nil {
			return err
		}
		b.WriteString("\n ")
		b.Write(text)
	}
	b.WriteString("]")
	return nil
}

// compact marshals without HTML escapes.
func compact(value any) ([]byte, error) {
	b := &bytes.Buffer{}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// KindNames lists the kinds in order.
func (w *Workload) KindNames() []string { return sorted(w.Kinds) }

func (w *Workload) blockNames() []string { return sorted(w.Blocks) }

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	names = slices.AppendSeq(names, maps.Keys(m))
	slices.Sort(names)
	return names
}

// Type is the type of an operation.
type Type int

// The types of operations.
const (
	Computation Type = iota
	Collective
	Send
	Receive
	Call
)

// what returns the type of an operation, by the field that is set.
func (o *Op) what() (Type, error) {
	found, count := Computation, 0
	for _, c := range []struct {
		is bool
		t  Type
	}{{o.Compute != nil, Computation}, {o.Op != "", Collective}, {o.SendTo != nil, Send}, {o.Receive != "", Receive}, {o.Block != "", Call}} {
		if c.is {
			found = c.t
			count++
		}
	}
	if count != 1 {
		return 0, field.Errorf("", "says %d of compute_ns, op, send_to, receive and block; want one", count)
	}
	return found, nil
}

package collective

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

// DefaultSize is the default size of an operation: that of a gradient bucket, large enough for
// bandwidth to matter and small enough for latency to matter, too.
const DefaultSize = 4 * units.MiB

// DefaultSeed is the default random seed.
const DefaultSeed = 1

// Auto stands for the fastest algorithm.
const Auto = "auto"

// Operation is a collective operation to carry out. Its JSON form is an object with the names
// of the flags as keys, or text for ParseOperation.
type Operation struct {
	Op        Op
	Size      units.Bytes // as the operation defines it; 0: DefaultSize
	Algorithm string      // a name, possibly with options such as swing:8x8; Auto or "": the fastest
	// GPUs take part, in this order; nil: all.
	GPUs Members
	// Demand gives every pair of an all-to-all its own bytes. Size is then not used.
	Demand Demand
	// Generator makes the demand if Demand is nil, with Size as the average and from Seed: see
	// GenerateDemand. "": all pairs have the same bytes.
	Generator string
	Seed      *uint64 // nil: DefaultSeed
}

// Members are the nodes that take part in an operation. In JSON they are a list of numbers, or
// text for ParseMembers.
type Members []int

// UnmarshalJSON reads either form.
func (m *Members) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil && data[0] == '"' {
		members, err := ParseMembers(text)
		if err == nil {
			*m = members
		}
		return err
	}
	return strict.Unmarshal(data, (*[]int)(m))
}

// Open reports whether the planner chooses the algorithm.
func (o *Operation) Open() bool { return o.Algorithm == "" || o.Algorithm == Auto }

// Complete fills in the defaults and reports the first field that is invalid on a fabric of the
// given number of nodes.
func (o *Operation) Complete(nodes int) error {
	if _, err := ParseOp(string(o.Op)); err != nil {
		return field.In("op", err)
	}
	o.Size = cmp.Or(o.Size, DefaultSize)
	if o.Size < 0 {
		return field.Errorf("size_bytes", "must be above 0B")
	}
	if o.GPUs != nil {
		if err := CheckMembers(o.GPUs, nodes); err != nil {
			return field.In("gpus", err)
		}
	}
	if _, s, _, err := ParseSpec(o.Algorithm); err == nil && int64(s.Parts) > int64(o.Size) {
		return field.Errorf("algorithm", "parts=%d: pieces of %v would be below 1B; want at most parts=%d", s.Parts, o.Size, o.Size)
	}
	if o.Seed != nil && o.Generator == "" {
		return field.Errorf("seed", "there is no demand that is drawn at random")
	}
	if o.Demand == nil && o.Generator == "" {
		return nil
	}
	switch {
	case o.Op != AllToAll:
		return field.Errorf("demand", "bytes per pair are for %s, not %s", AllToAll, o.Op)
	case o.Demand != nil && o.Generator != "":
		return field.Errorf("demand", "bytes of every pair and %s: want one of them", o.Generator)
	}
	return nil
}

// Bytes returns the bytes of every pair among n members, nil if all pairs have the same share
// of the size.
func (o *Operation) Bytes(members int) (Demand, error) {
	d := o.Demand
	if o.Generator != "" {
		seed := uint64(DefaultSeed)
		if o.Seed != nil {
			seed = *o.Seed
		}
		var err error
		if d, err = GenerateDemand(o.Generator, members, o.Size, seed); err != nil {
			return nil, field.In("demand", err)
		}
	}
	if d == nil {
		return nil, nil
	}
	if len(d) != members {
		return nil, field.Errorf("demand", "it is for %d GPUs, but %d take part", len(d), members)
	}
	err := d.Check(members)
	if errors.Is(err, errEmptyDemand) && o.Generator != "" {
		return nil, field.Errorf("size_bytes", "%v is too little for %s among %d GPUs: no pair gets a whole byte; want more", o.Size, o.Generator, members)
	}
	return d, field.In("demand", err)
}

// OperationSyntax describes what ParseOperation reads.
const OperationSyntax = "OP, or OP/SIZE/ALGORITHM/gpus=LIST with any of these left out"

// ParseOperation reads OP[/SIZE][/ALGORITHM][/gpus=LIST], the parts after the first in any
// order, e.g. allreduce/64MiB/swing:8x8 or alltoall/gpus=0-7.
func ParseOperation(text string) (Operation, error) {
	words := strings.Split(text, "/")
	op, err := ParseOp(words[0])
	if err != nil {
		return Operation{}, err
	}
	o := Operation{Op: op}
	for _, word := range words[1:] {
		if err := o.parseWord(word); err != nil {
			return Operation{}, fmt.Errorf("%q: %w", text, err)
		}
	}
	return o, nil
}

func (o *Operation) parseWord(word string) (err error) {
	switch list, isList := strings.CutPrefix(word, "gpus="); {
	case word == "":
		return errors.New("nothing between two /")
	case isList && o.GPUs != nil:
		return errors.New("two lists of GPUs")
	case isList:
		o.GPUs, err = ParseMembers(list)
	case strings.Contains("+-.0123456789", word[:1]) && o.Size != 0:
		return errors.New("two sizes")
	case strings.Contains("+-.0123456789", word[:1]):
		o.Size, err = units.ParsePositiveBytes(word)
	case o.Algorithm != "":
		return errors.New("two algorithms")
	default:
		o.Algorithm = word
	}
	return err
}

// String writes the operation for ParseOperation, without a demand, for which that has no
// syntax.
func (o Operation) String() string {
	text := string(o.Op)
	if o.Size != 0 {
		text += "/" + o.Size.String()
	}
	if o.Algorithm != "" {
		text += "/" + o.Algorithm
	}
	if o.GPUs != nil {
		text += "/gpus=" + FormatMembers(o.GPUs)
	}
	return text
}

// OperationFields are the fields of an operation in a request, in JSON and as flags.
type OperationFields struct {
	Op        Op          `json:"op"`
	Size      units.Bytes `json:"size_bytes,omitzero" help:"size of the collective, e.g. 16KiB" default:"4MiB"`
	Algorithm string      `json:"algorithm,omitempty" help:"algorithm ${NAME}, or auto: the fastest" default:"auto"`
	GPUs      Members     `json:"gpus,omitempty" help:"participating GPUs, ${LIST}, e.g. 0-7,16 or 0-62:2 (default: all)"`
	Demand    DemandValue `json:"demand,omitzero" help:"bytes of every pair of an all-to-all, ${WHAT}: uniform, random, zipf:S or moe:K, with the given size as the mean"`
	Seed      *uint64     `json:"seed,omitempty" help:"seed of the random demand" default:"1"`
}

// DemandValue is the demand in a request: bytes of every pair, or the name of a generator; the
// zero value is neither.
type DemandValue struct {
	Bytes     Demand
	Generator string
}

// IsZero reports whether the value has neither bytes nor a generator.
func (d DemandValue) IsZero() bool { return d.Bytes == nil && d.Generator == "" }

// MarshalJSON writes the list of rows or the name of the generator.
func (d DemandValue) MarshalJSON() ([]byte, error) {
	if d.Generator != "" {
		return json.Marshal(d.Generator)
	}
	return json.Marshal(d.Bytes)
}

// UnmarshalJSON reads either form.
func (d *DemandValue) UnmarshalJSON(data []byte) error {
	return unmarshalEither(data, &d.Generator, &d.Bytes, "bytes of every pair, or "+DemandSyntax)
}

// unmarshalEither reads the text of a generator or a list. want describes the valid forms.
func unmarshalEither(data []byte, generator *string, list any, want string) error {
	if json.Unmarshal(data, generator) == nil && data[0] == '"' {
		if *generator == "" {
			return errors.New("empty; want " + want)
		}
		return nil
	}
	return strict.Unmarshal(data, list)
}

// MarshalJSON writes the fields by the names of their flags.
func (o Operation) MarshalJSON() ([]byte, error) {
	return json.Marshal(OperationFields{o.Op, o.Size, o.Algorithm, o.GPUs, DemandValue{o.Demand, o.Generator}, o.Seed})
}

// UnmarshalJSON reads what MarshalJSON writes, or text for ParseOperation.
func (o *Operation) UnmarshalJSON(data []byte) error {
	var word string
	if json.Unmarshal(data, &word) == nil && data[0] == '"' {
		parsed, err := ParseOperation(word)
		if err == nil {
			*o = parsed
		}
		return err
	}
	var doc OperationFields
	if err := strict.Unmarshal(data, &doc); err != nil {
		return err
	}
	*o = Operation{doc.Op, doc.Size, doc.Algorithm, doc.GPUs, doc.Demand.Bytes, doc.Demand.Generator, doc.Seed}
	return nil
}

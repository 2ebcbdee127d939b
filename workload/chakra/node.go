package chakra

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// NodeType is what a node of a trace does.
type NodeType uint64

// These are the types, with their numbers in Chakra's schema.
const (
	Invalid    NodeType = 0
	Metadata   NodeType = 1
	MemLoad    NodeType = 2
	MemStore   NodeType = 3
	Comp       NodeType = 4
	CommSend   NodeType = 5
	CommRecv   NodeType = 6
	Collective NodeType = 7
)

// Attr is a named value of a node: a number, a flag or a text. Values of other types have only a
// name.
type Attr struct {
	Name string
	Int  int64 // a number; 0 or 1 for a flag
	Text string

	field protowire.Number // of the message that contains it
}

// Int returns an attribute with a number.
func Int(name string, v int64) Attr { return Attr{Name: name, Int: v, field: attrInt64} }

// Bool returns an attribute with a flag.
func Bool(name string, v bool) Attr {
	a := Attr{Name: name, field: attrBool}
	if v {
		a.Int = 1
	}
	return a
}

// Text returns an attribute with a text.
func Text(name, v string) Attr { return Attr{Name: name, Text: v, field: attrString} }

// IsText reports whether an attribute is a text.
func (a *Attr) IsText() bool { return a.field == attrString }

// IsInt reports whether an attribute is a number or a flag.
func (a *Attr) IsInt() bool { return a.field != 0 && a.field != attrString }

// Node is one node of a trace. It runs when the nodes in Deps and Ctrl have ended.
type Node struct {
	ID     uint64
	Name   string
	Type   NodeType
	Ctrl   []uint64 // control dependencies
	Deps   []uint64 // data dependencies
	Micros uint64   // duration
	Values string   // of its inputs, as text
	Attrs  []Attr
}

// Attr returns the attribute with a name, or nil.
func (n *Node) Attr(name string) *Attr {
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			return &n.Attrs[i]
		}
	}
	return nil
}

// Fields of Chakra's messages.
const (
	metadataVersion = 1

	nodeID       = 1
	nodeName     = 2
	nodeTypeOf   = 3
	nodeCtrlDeps = 4
	nodeDataDeps = 5
	nodeDuration = 7
	nodeInputs   = 8
	nodeAttr     = 10

	inputValues = 1

	attrName   = 1
	attrInt32  = 7
	attrInt64  = 9
	attrUint32 = 11
	attrUint64 = 13
	attrSint32 = 15
	attrSint64 = 17
	attrBool   = 27
	attrString = 29
)

// Writer writes a trace: records of a length and a message.
type Writer struct {
	w      *bufio.Writer
	record []byte
	part   []byte
}

// NewWriter begins a trace with the record for its version. That record must not be empty,
// because some readers take a length of 0 for the end.
func NewWriter(w io.Writer) (*Writer, error) {
	t := &Writer{w: bufio.NewWriterSize(w, 1<<16)}
	t.record = protowire.AppendTag(t.record[:0], metadataVersion, protowire.BytesType)
	t.record = protowire.AppendString(t.record, "0.0.4")
	return t, t.put()
}

func (t *Writer) put() error {
	if _, err := t.w.Write(protowire.AppendVarint(t.part[:0], uint64(len(t.record)))); err != nil {
		return err
	}
	_, err := t.w.Write(t.record)
	return err
}

func (t *Writer) varint(field protowire.Number, v uint64) {
	t.record = protowire.AppendVarint(protowire.AppendTag(t.record, field, protowire.VarintType), v)
}

func (t *Writer) bytes(field protowire.Number, data []byte) {
	t.record = protowire.AppendBytes(protowire.AppendTag(t.record, field, protowire.BytesType), data)
}

func (t *Writer) list(field protowire.Number, ids []uint64) {
	if len(ids) == 0 {
		return
	}
	t.part = t.part[:0]
	for _, id := range ids {
		t.part = protowire.AppendVarint(t.part, id)
	}
	t.bytes(field, t.part)
}

// Node writes one node. Members of a oneof are written even if they are 0.
func (t *Writer) Node(n *Node) error {
	t.record = t.record[:0]
	t.varint(nodeID, n.ID)
	t.bytes(nodeName, []byte(n.Name))
	t.varint(nodeTypeOf, uint64(n.Type))
	t.list(nodeCtrlDeps, n.Ctrl)
	t.list(nodeDataDeps, n.Deps)
	if n.Micros > 0 {
		t.varint(nodeDuration, n.Micros)
	}
	if n.Values != "" {
		t.part = protowire.AppendTag(t.part[:0], inputValues, protowire.BytesType)
		t.part = protowire.AppendString(t.part, n.Values)
		t.bytes(nodeInputs, t.part)
	}
	for i := range n.Attrs {
		a := &n.Attrs[i]
		t.part = protowire.AppendTag(t.part[:0], attrName, protowire.BytesType)
		t.part = protowire.AppendString(t.part, a.Name)
		switch {
		case a.IsText():
			t.part = protowire.AppendString(protowire.AppendTag(t.part, a.field, protowire.BytesType), a.Text)
		case a.IsInt():
			t.part = protowire.AppendTag(t.part, a.field, protowire.VarintType)
			v := uint64(a.Int)
			if a.field == attrSint32 || a.field == attrSint64 {
				v = protowire.EncodeZigZag(a.Int)
			}
			t.part = protowire.AppendVarint(t.part, v)
		}
		t.bytes(nodeAttr, t.part)
	}
	return t.put()
}

// Close flushes the writer.
func (t *Writer) Close() error { return t.w.Flush() }

// maxRecord limits a record: a node is a few kilobytes, the list of groups of thousands of
// ranks some megabytes.
const maxRecord = 1 << 28

// Read reads a trace. Errors say which record is wrong.
func Read(r io.Reader) ([]Node, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var nodes []Node
	for record := 0; ; record++ {
		length, err := binary.ReadUvarint(in)
		if errors.Is(err, io.EOF) && record > 0 {
			break
		}
		if err != nil || length > maxRecord {
			return nil, fmt.Errorf("record %d: no length of a Chakra record", record+1)
		}
		// The length may be wrong: grow with the actual data.
		data, err := io.ReadAll(io.LimitReader(in, int64(length)))
		if err == nil && uint64(len(data)) < length {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", record+1, err)
		}
		if record == 0 { // the version
			if err := each(data, func(field) error { return nil }); err != nil {
				return nil, fmt.Errorf("record 1: %w", err)
			}
			continue
		}
		var n Node
		if err := n.decode(data); err != nil {
			return nil, fmt.Errorf("record %d: %w", record+1, err)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// field is one field of a message: a number, or bytes.
type field struct {
	number protowire.Number
	wire   protowire.Type
	value  uint64
	data   []byte
}

// each visits the fields of a message.
func each(message []byte, visit func(field) error) error {
	for len(message) > 0 {
		number, wire, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errors.New("not a message of protocol buffers")
		}
		message = message[n:]
		f := field{number: number, wire: wire}
		switch wire {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			f.data, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, wire, message)
		}
		if n < 0 {
			return fmt.Errorf("field %d: not a message of protocol buffers", number)
		}
		message = message[n:]
		if err := visit(f); err != nil {
			return fmt.Errorf("field %d: %w", number, err)
		}
	}
	return nil
}

func (n *Node) decode(data []byte) error {
	return each(data, func(f field) error {
		switch f.number {
		case nodeID:
			n.ID = f.value
		case nodeName:
			n.Name = string(f.data)
		case nodeTypeOf:
			n.Type = NodeType(f.value)
		case nodeCtrlDeps:
			return ids(&n.Ctrl, f)
		case nodeDataDeps:
			return ids(&n.Deps, f)
		case nodeDuration:
			n.Micros = f.value
		case nodeInputs:
			return each(f.data, func(f field) error {
				if f.number == inputValues {
					n.Values = string(f.data)
				}
				return nil
			})
		case nodeAttr:
			var a Attr
			err := a.decode(f.data)
			n.Attrs = append(n.Attrs, a)
			return err
		}
		return nil
	})
}

// ids reads packed numbers, or a single one.
func ids(into *[]uint64, f field) error {
	if f.wire == protowire.VarintType {
		*into = append(*into, f.value)
		return nil
	}
	for data := f.data; len(data) > 0; {
		v, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return errors.New("not a list of numbers")
		}
		*into, data = append(*into, v), data[n:]
	}
	return nil
}

func (a *Attr) decode(data []byte) error {
	return each(data, func(f field) error {
		switch f.number {
		case attrName:
			a.Name = string(f.data)
		case attrInt32, attrInt64, attrUint32, attrUint64, attrBool:
			if f.value > math.MaxInt64 && f.number == attrUint64 {
				return fmt.Errorf("%s: %d does not fit 63 bits", a.Name, f.value)
			}
			a.field, a.Int = f.number, int64(f.value)
			if f.number == attrInt32 {
				a.Int = int64(int32(f.value))
			}
		case attrSint32, attrSint64:
			a.field, a.Int = f.number, protowire.DecodeZigZag(f.value)
		case attrString:
			a.field, a.Text = f.number, string(f.data)
		}
		return nil
	})
}

package astra

import (
	"encoding/binary"
	"io"
)

// NodeType is what a node of a trace does.
type NodeType uint64

// The types that are used, with their numbers in Chakra's schema.
const (
	Comp       NodeType = 4
	CommSend   NodeType = 5
	CommRecv   NodeType = 6
	Collective NodeType = 7
)

// Attr is a named number of a node, or a flag.
type Attr struct {
	Name  string
	Int   int64
	Bool  bool
	isBit bool
}

// Node is one node of a trace. It runs when those in Deps have ended.
type Node struct {
	ID     uint64
	Name   string
	Type   NodeType
	Deps   []uint64
	Micros uint64 // duration, of Comp
	Attrs  []Attr
}

// Fields of Chakra's messages.
const (
	metadataVersion = 1

	nodeID       = 1
	nodeName     = 2
	nodeTypeOf   = 3
	nodeDataDeps = 5
	nodeDuration = 7
	nodeAttr     = 10

	attrName  = 1
	attrInt64 = 9
	attrBool  = 27
)

// Wire types of protocol buffers.
const (
	wireVarint = 0
	wireBytes  = 2
)

func key(field, wire uint64) uint64 { return field<<3 | wire }

func appendVarint(b []byte, field, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, key(field, wireVarint)), v)
}

func appendBytes(b []byte, field uint64, data []byte) []byte {
	b = binary.AppendUvarint(b, key(field, wireBytes))
	b = binary.AppendUvarint(b, uint64(len(data)))
	return append(b, data...)
}

// traceWriter writes records: each a length and a message.
type traceWriter struct {
	w      io.Writer
	record []byte
	attr   []byte
	deps   []byte
	length []byte
}

func (t *traceWriter) put() error {
	t.length = binary.AppendUvarint(t.length[:0], uint64(len(t.record)))
	if _, err := t.w.Write(t.length); err != nil {
		return err
	}
	_, err := t.w.Write(t.record)
	return err
}

// metadata writes the first record. It must not be empty: some readers take a length of 0
// for the end.
func (t *traceWriter) metadata() error {
	t.record = appendBytes(t.record[:0], metadataVersion, []byte("0.0.4"))
	return t.put()
}

// node writes one node. Members of a oneof are written even if they are 0.
func (t *traceWriter) node(n *Node) error {
	b := t.record[:0]
	b = appendVarint(b, nodeID, n.ID)
	b = appendBytes(b, nodeName, []byte(n.Name))
	b = appendVarint(b, nodeTypeOf, uint64(n.Type))
	if len(n.Deps) > 0 {
		t.deps = t.deps[:0]
		for _, d := range n.Deps {
			t.deps = binary.AppendUvarint(t.deps, d)
		}
		b = appendBytes(b, nodeDataDeps, t.deps)
	}
	if n.Micros > 0 {
		b = appendVarint(b, nodeDuration, n.Micros)
	}
	for _, a := range n.Attrs {
		t.attr = appendBytes(t.attr[:0], attrName, []byte(a.Name))
		if a.isBit {
			bit := uint64(0)
			if a.Bool {
				bit = 1
			}
			t.attr = appendVarint(t.attr, attrBool, bit)
		} else {
			t.attr = appendVarint(t.attr, attrInt64, uint64(a.Int))
		}
		b = appendBytes(b, nodeAttr, t.attr)
	}
	t.record = b
	return t.put()
}

package collective

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

// The schemas of pattern files.
const (
	// PatternSchema is our own schema. It says where every chunk must end up, so a plan can be
	// checked on data. The chunks are either the pieces of a pattern, or those of an operation.
	PatternSchema = "lightpath.pattern/v1"
	// DemandPatternSchema is the schema of HARVEST's authors: bytes from node to node in every
	// step. Each entry is a chunk that must get from one node to the other.
	DemandPatternSchema = "collective_pattern/v1"
)

// PatternFile is a user-defined collective, read from a file.
type PatternFile struct {
	Sized
	Ports int // the ports it was made for; 0: not given

	name string // given in the file
}

// patternJSON is a file of either schema.
type patternJSON struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	Ports  int    `json:"ports"`

	// DemandPatternSchema
	N    int             `json:"n"`
	Dims json.RawMessage `json:"dims"`

	// PatternSchema
	Nodes     int             `json:"nodes"`
	Op        Op              `json:"op"`
	SizeBytes int64           `json:"size_bytes"`
	Chunks    json.RawMessage `json:"chunks"`

	Steps []patternStep `json:"steps"`
}

// patternStep is a step of either schema.
type patternStep struct {
	ID        json.RawMessage   `json:"id"`
	ChunkSize json.RawMessage   `json:"chunksize"`
	Demand    [][]float64       `json:"demand"`
	Transfers []patternTransfer `json:"transfers"`
}

type patternTransfer struct {
	Src    *int   `json:"src"`
	Dst    *int   `json:"dst"`
	Action Action `json:"action"`
	Part   Part   `json:"part,omitempty"`
	Sides  Sides  `json:"sides,omitempty"`
	Chunks Chunks `json:"chunks"`
}

// ReadPatternFile reads a pattern. It is named after the file unless the file gives a name.
func ReadPatternFile(name string) (*PatternFile, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := ReadPattern(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if p.name == "" {
		p.rename(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	}
	return p, nil
}

// rename gives the pattern a name. If it carries out an operation, the name of its algorithm
// says that it comes from a pattern, so it cannot be mistaken for a built-in one.
func (p *PatternFile) rename(name string) {
	p.name, p.Algorithm = name, name
	if p.Op != Pattern {
		p.Algorithm = "pattern:" + name
	}
}

// ReadPattern reads a pattern of either schema.
func ReadPattern(r io.Reader) (*PatternFile, error) {
	var doc patternJSON
	if err := readJSON(r, &doc, "a pattern"); err != nil {
		return nil, err
	}
	return doc.pattern()
}

// pattern interprets a document.
func (doc *patternJSON) pattern() (*PatternFile, error) {
	var c *Collective
	var err error
	switch doc.Schema {
	case PatternSchema:
		c, err = doc.chunked()
	case DemandPatternSchema:
		c, err = doc.demands()
	default:
		err = fmt.Errorf("schema is %q; want %q or %q", doc.Schema, PatternSchema, DemandPatternSchema)
	}
	if err != nil {
		return nil, err
	}
	if doc.Ports < 0 || doc.Ports > maxPatternNodes {
		return nil, fmt.Errorf("ports is %d", doc.Ports)
	}
	if len(doc.Name) > maxPatternName || strings.ContainsFunc(doc.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return nil, fmt.Errorf("name is %.40q; want one line of at most %d bytes", doc.Name, maxPatternName)
	}
	p := &PatternFile{Sized: Sized{c, units.Bytes(doc.SizeBytes)}, Ports: doc.Ports}
	p.rename(doc.Name)
	return p, nil
}

const (
	maxPatternNodes = 1 << 16 // the largest fabric
	maxPatternName  = 64
	// maxPatternMoves limits the total number of chunks that transfers name: that of an all-to-all
	// of 4096 nodes. A few bytes may stand for very many.
	maxPatternMoves = 1 << 24
)

// piecesSize returns the sum of the bytes of listed chunks, rounded up.
func (s *Space) piecesSize() (units.Bytes, error) {
	sum := each.SumBelow(len(s.Pieces), func(i int) float64 { return s.Pieces[i].Bytes })
	if !(sum > 0) || sum >= math.MaxInt64 {
		return 0, fmt.Errorf("the chunks have %v bytes in all", sum)
	}
	return units.Bytes(math.Ceil(sum)), nil
}

// demands reads the steps of the schema of HARVEST's authors.
func (doc *patternJSON) demands() (*Collective, error) {
	if doc.Nodes != 0 || doc.Op != "" || doc.SizeBytes != 0 || doc.Chunks != nil {
		return nil, fmt.Errorf("nodes, op, size_bytes and chunks are for %s", PatternSchema)
	}
	if err := doc.checkNodes("n", doc.N); err != nil {
		return nil, err
	}
	c := &Collective{Op: Pattern, Nodes: doc.N, Space: Space{Kind: Listed, Nodes: doc.N}}
	for i, s := range doc.Steps {
		var step Step
		for j, entry := range s.Demand {
			at := fmt.Sprintf("step %d, demand %d", i+1, j+1)
			if len(entry) != 3 {
				return nil, fmt.Errorf("%s: want [src,dst,bytes]", at)
			}
			src, dst, size := entry[0], entry[1], entry[2]
			if !isNode(src, doc.N) || !isNode(dst, doc.N) {
				return nil, fmt.Errorf("%s: %v -> %v is outside 0..%d", at, src, dst, doc.N-1)
			}
			if !(size >= 0) || size > maxPairBytes {
				return nil, fmt.Errorf("%s: %v bytes; want 0..%d", at, size, int64(maxPairBytes))
			}
			if src == dst || size == 0 {
				continue // takes no time
			}
			step.Base = append(step.Base, Transfer{
				Src: int(src), Dst: int(dst), Action: Copy, Chunks: Single(len(c.Space.Pieces)),
			})
			c.Space.Pieces = append(c.Space.Pieces, Piece{Bytes: size, From: []int{int(src)}, To: []int{int(dst)}})
		}
		if len(s.Transfers) > 0 {
			return nil, fmt.Errorf("step %d: transfers are for %s", i+1, PatternSchema)
		}
		if len(step.Base) > 0 {
			c.Steps = append(c.Steps, step)
		}
	}
	if len(c.Steps) == 0 {
		return nil, errors.New("no step sends anything")
	}
	size, err := c.Space.piecesSize()
	doc.SizeBytes = int64(size)
	return c, err
}

func isNode(x float64, nodes int) bool { return x >= 0 && x < float64(nodes) && x == math.Trunc(x) }

func (doc *patternJSON) checkNodes(field string, nodes int) error {
	if nodes < MinNodes || nodes > maxPatternNodes {
		return fmt.Errorf("%s is %d; want %d..%d", field, nodes, MinNodes, maxPatternNodes)
	}
	if len(doc.Steps) == 0 {
		return errors.New("no step")
	}
	return nil
}

// chunked reads the steps of our schema.
func (doc *patternJSON) chunked() (*Collective, error) {
	if doc.N != 0 || doc.Dims != nil {
		return nil, fmt.Errorf("n and dims are for %s; want nodes", DemandPatternSchema)
	}
	if err := doc.checkNodes("nodes", doc.Nodes); err != nil {
		return nil, err
	}
	doc.Op = cmp.Or(doc.Op, Pattern)
	if err := doc.Op.Known(); err != nil || doc.Op == Sequence {
		return nil, fmt.Errorf("op is %q; want %s or one of %s", doc.Op, Pattern, JoinOps(Ops(), ", "))
	}
	c := &Collective{Op: doc.Op, Nodes: doc.Nodes}
	if err := doc.space(&c.Space); err != nil {
		return nil, err
	}
	total, moves := c.Space.Chunks(), 0
	for i, s := range doc.Steps {
		if len(s.Transfers) == 0 || len(s.Demand) > 0 {
			return nil, fmt.Errorf("step %d: want transfers", i+1)
		}
		var step Step
		for j, t := range s.Transfers {
			at := fmt.Sprintf("step %d, transfer %d", i+1, j+1)
			switch {
			case t.Src == nil || t.Dst == nil:
				return nil, fmt.Errorf("%s: no src or no dst", at)
			case !isNode(float64(*t.Src), doc.Nodes) || !isNode(float64(*t.Dst), doc.Nodes) || *t.Src == *t.Dst:
				return nil, fmt.Errorf("%s: %d -> %d are not two nodes of 0..%d", at, *t.Src, *t.Dst, doc.Nodes-1)
			case t.Action == "":
				t.Action = Copy
			}
			if err := t.Action.Check(); err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
			if err := t.Part.Check(); err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
			if err := t.Sides.Check(t.Action); err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
			if err := t.Chunks.Check(total); err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
			if moves += min(t.Chunks.Len(), maxPatternMoves+1); moves > maxPatternMoves {
				return nil, fmt.Errorf("%s: more than %d chunks have been sent by then", at, maxPatternMoves)
			}
			step.Base = append(step.Base, Transfer{*t.Src, *t.Dst, t.Action, t.Part, t.Sides, t.Chunks})
		}
		c.Steps = append(c.Steps, step)
	}
	return c, nil
}

// space reads the chunks: a list of pieces for a pattern, {"kind","parts"} for an operation.
func (doc *patternJSON) space(into *Space) error {
	if len(doc.Chunks) == 0 {
		return errors.New("no chunks")
	}
	var target any = into
	if doc.Op == Pattern {
		into.Kind = Listed
		target = &into.Pieces
	}
	if err := strict.Unmarshal(doc.Chunks, target); err != nil {
		return field.In("chunks", err)
	}
	into.Nodes = doc.Nodes
	if doc.Op == Pattern && doc.SizeBytes == 0 {
		size, err := into.piecesSize()
		if err != nil {
			return err
		}
		doc.SizeBytes = int64(size)
	}
	if err := into.Check(doc.Op, units.Bytes(doc.SizeBytes)); err != nil {
		return fmt.Errorf("chunks: %w", err)
	}
	return nil
}

// Operation returns the operation that a pattern carries out, if it is one.
func (p *PatternFile) Operation() (Operation, bool) {
	return Operation{Op: p.Op, Size: p.Size, Demand: p.Space.Sizes}, p.Op != Pattern
}

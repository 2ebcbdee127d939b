package collective

import (
	"encoding/json"

	"github.com/lightpath-net/lightpath/internal/strict"
)

// MarshalJSON writes the pattern in our schema, even if it was read in the other.
func (p *PatternFile) MarshalJSON() ([]byte, error) {
	doc := patternOut{
		Schema: PatternSchema, Name: p.name, Ports: p.Ports, Nodes: p.Nodes, Op: p.Op, SizeBytes: int64(p.Size), Chunks: p.Space,
	}
	if p.Op == Pattern {
		doc.Chunks = p.Space.Pieces
	}
	for _, step := range p.Steps {
		var s patternOutStep
		for t := range step.All(p.Space) {
			s.Transfers = append(s.Transfers, patternTransfer{&t.Src, &t.Dst, t.Action, t.Part, t.Sides, t.Chunks})
		}
		doc.Steps = append(doc.Steps, s)
	}
	return json.Marshal(doc)
}

// patternOut is a file in our schema, without the fields of the other.
type patternOut struct {
	Schema    string           `json:"schema"`
	Name      string           `json:"name,omitempty"`
	Ports     int              `json:"ports,omitempty"`
	Nodes     int              `json:"nodes"`
	Op        Op               `json:"op"`
	SizeBytes int64            `json:"size_bytes"`
	Chunks    any              `json:"chunks"`
	Steps     []patternOutStep `json:"steps"`
}

type patternOutStep struct {
	Transfers []patternTransfer `json:"transfers"`
}

// UnmarshalJSON reads a pattern of either schema.
func (p *PatternFile) UnmarshalJSON(data []byte) error {
	var doc patternJSON
	if err := strict.Unmarshal(data, &doc); err != nil {
		return err
	}
	read, err := doc.pattern()
	if err == nil {
		*p = *read
	}
	return err
}

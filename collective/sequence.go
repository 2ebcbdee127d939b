package collective

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

// Sized is a collective with its size.
type Sized struct {
	*Collective
	Size units.Bytes
}

// InSequence joins collectives on the same nodes, one after another, into one that has the
// chunks of all of them. A single collective is returned unchanged.
func InSequence(parts ...Sized) (Sized, error) {
	if len(parts) == 0 {
		return Sized{}, fmt.Errorf("no operation")
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	c := &Collective{Op: Sequence, Nodes: parts[0].Nodes}
	c.Space = Space{Kind: Sections, Nodes: c.Nodes}
	var names []string
	total, first := units.Bytes(0), 0
	for _, p := range parts {
		if p.Nodes != c.Nodes {
			return Sized{}, fmt.Errorf("operations for %d and %d nodes in one sequence", c.Nodes, p.Nodes)
		}
		if p.Size > math.MaxInt64-total {
			return Sized{}, fmt.Errorf("the sizes add up to more than %v", units.Bytes(math.MaxInt64))
		}
		total += p.Size
		names = append(names, p.Algorithm)
		c.Space.Sections = append(c.Space.Sections, Section{p.Op, p.Algorithm, p.Size, p.Space})
		for _, step := range p.Steps {
			base := slices.Clone(step.Base)
			for i := range base {
				base[i].Chunks = base[i].Chunks.Shift(first)
			}
			c.Steps = append(c.Steps, Step{Group: step.Group, Base: base})
		}
		first += p.Space.Chunks()
	}
	c.Algorithm = strings.Join(names, " + ")
	return Sized{c, total}, nil
}

// SectionOf returns the number, from 0, of the section to which all of the chunks belong, or -1
// if they belong to several. A space without sections counts as one.
func (s *Space) SectionOf(chunks Chunks) int {
	if s.Kind != Sections {
		return 0
	}
	found := -1
	s.bySection(chunks, func(i int, local Chunks) {
		if local.Len() == chunks.Len() {
			found = i
		}
	})
	return found
}

// sectionJSON is a section in a file.
type sectionJSON struct {
	Op        Op     `json:"op"`
	Algorithm string `json:"algorithm"`
	SizeBytes int64  `json:"size_bytes"`
	Chunks    Space  `json:"chunks"`
}

// MarshalJSON writes the section with its size as a number of bytes.
func (s Section) MarshalJSON() ([]byte, error) {
	return json.Marshal(sectionJSON{s.Op, s.Algorithm, int64(s.Size), s.Space})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Section) UnmarshalJSON(data []byte) error {
	var doc sectionJSON
	if err := strict.Unmarshal(data, &doc); err != nil {
		return err
	}
	*s = Section{doc.Op, doc.Algorithm, units.Bytes(doc.SizeBytes), doc.Chunks}
	return nil
}

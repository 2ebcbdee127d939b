package collective

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Run is the chunks First, First+Stride, .., First+(Count-1)*Stride.
type Run struct {
	First, Count, Stride int
}

// Last returns the highest chunk of the run.
func (r Run) Last() int { return r.First + (r.Count-1)*r.Stride }

// Chunks is a set of chunks, as runs.
//
// Invariant: Count >= 1 and Stride >= 1 in every run, and no chunk is in it twice.
type Chunks []Run

// Single returns the set of one chunk.
func Single(c int) Chunks { return Chunks{{First: c, Count: 1, Stride: 1}} }

// Every returns the set First, First+stride, .. of count chunks.
func Every(first, stride, count int) Chunks {
	if count == 1 {
		stride = 1
	}
	return Chunks{{First: first, Count: count, Stride: stride}}
}

// Of packs chunk numbers, in any order and without repeats, into few runs.
func Of(ids []int) Chunks { return AppendOf(nil, slices.Clone(ids)) }

// AppendOf appends Of(ids) to packed. It sorts ids.
func AppendOf(packed Chunks, ids []int) Chunks {
	slices.Sort(ids)
	for i := 0; i < len(ids); {
		j, stride := i+1, 1
		if j < len(ids) {
			stride = ids[j] - ids[i]
			for j+1 < len(ids) && ids[j+1]-ids[j] == stride {
				j++
			}
			j++
		}
		// Two distant chunks are no pattern: the second may start a longer run.
		if j-i == 2 && stride > 1 {
			j, stride = i+1, 1
		}
		packed = append(packed, Run{First: ids[i], Count: j - i, Stride: stride})
		i = j
	}
	return packed
}

// Len returns the number of chunks.
func (c Chunks) Len() int {
	return each.Sum(c, func(r Run) int { return r.Count })
}

// All yields every chunk, run by run.
func (c Chunks) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, r := range c {
			for i := range r.Count {
				if !yield(r.First + i*r.Stride) {
					return
				}
			}
		}
	}
}

// Shift returns the set with by added to every chunk.
func (c Chunks) Shift(by int) Chunks {
	if by == 0 {
		return c
	}
	moved := slices.Clone(c)
	for i := range moved {
		moved[i].First += by
	}
	return moved
}

// Within returns the chunks in first..first+count-1, relative to first.
func (c Chunks) Within(first, count int) Chunks {
	var part Chunks
	for _, r := range c {
		skip := 0
		if r.First < first {
			skip = arithmetic.CeilDiv(first-r.First, r.Stride)
		}
		if skip >= r.Count || r.First+skip*r.Stride >= first+count {
			continue
		}
		start := r.First + skip*r.Stride - first
		part = append(part, RunOf(start, min(r.Count-skip, (count-1-start)/r.Stride+1), r.Stride))
	}
	return part
}

// Check reports whether the set is well formed within a space of total chunks.
func (c Chunks) Check(total int) error {
	if len(c) == 0 {
		return fmt.Errorf("no chunk")
	}
	count := 0
	for _, r := range c {
		if r.First < 0 || r.Count < 1 || r.Stride < 1 || r.First >= total ||
			(r.Count > 1 && r.Count-1 > (total-1-r.First)/r.Stride) {
			return fmt.Errorf("chunks [%d,%d,%d] are not within 0..%d", r.First, r.Count, r.Stride, total-1)
		}
		if count += r.Count; count > total {
			return fmt.Errorf("a chunk is named twice: more than %d in all", total)
		}
	}
	return nil
}

// MarshalJSON writes a single chunk as its number and a longer run as
// [first, count, stride].
func (c Chunks) MarshalJSON() ([]byte, error) {
	parts := make([]any, len(c))
	for i, r := range c {
		if r.Count == 1 {
			parts[i] = r.First
		} else {
			parts[i] = [3]int{r.First, r.Count, r.Stride}
		}
	}
	return json.Marshal(parts)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Chunks) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("chunks: want a list of numbers and [first,count,stride] triples: %w", err)
	}
	*c = make(Chunks, len(parts))
	for i, part := range parts {
		if len(part) > 0 && part[0] == '[' {
			var triple []int
			if err := json.Unmarshal(part, &triple); err != nil || len(triple) != 3 {
				return fmt.Errorf("chunks: %s is not [first,count,stride]", excerpt(part))
			}
			(*c)[i] = Run{triple[0], triple[1], triple[2]}
			continue
		}
		(*c)[i] = Run{Count: 1, Stride: 1}
		if err := json.Unmarshal(part, &(*c)[i].First); err != nil {
			return fmt.Errorf("chunks: %s is not a chunk number", excerpt(part))
		}
	}
	return nil
}

// excerpt returns the beginning of JSON text on one line.
func excerpt(text json.RawMessage) string {
	const most = 40
	line := strings.Join(strings.Fields(string(text)), " ")
	if len(line) > most {
		line = line[:most] + ".."
	}
	return line
}

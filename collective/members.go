package collective

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Member returns the node that is member i.
func (s *Space) Member(i int) int {
	if s.Members != nil {
		return s.Members[i]
	}
	return i
}

// CheckMembers reports what is wrong with a list of members; nil stands for all nodes.
func CheckMembers(members []int, nodes int) error {
	if members == nil {
		return nil
	}
	if len(members) < MinNodes {
		return fmt.Errorf("want %d or more GPUs, not %d", MinNodes, len(members))
	}
	sorted := slices.Sorted(slices.Values(members))
	if sorted[0] < 0 || sorted[len(sorted)-1] >= nodes {
		wrong := sorted[0]
		if wrong >= 0 {
			wrong = sorted[len(sorted)-1]
		}
		return fmt.Errorf("GPU %d: GPUs are numbered 0..%d", wrong, nodes-1)
	}
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return fmt.Errorf("GPU %d is listed twice", sorted[i])
		}
	}
	return nil
}

// maxMembers limits the numbers in a range before it is compared with the fabric.
const maxMembers = 1 << 20

// ParseMembers reads a list of nodes such as 0-7,16,20-30:2 (every second node of a range).
func ParseMembers(text string) ([]int, error) {
	const syntax = "write e.g. 0-7,16 or 0-62:2"
	var members []int
	for item := range strings.SplitSeq(text, ",") {
		span, every, stepped := strings.Cut(item, ":")
		first, last, ranged := strings.Cut(span, "-")
		if !ranged {
			last = first
		}
		step := 1
		low, err := strconv.Atoi(first)
		high, err2 := strconv.Atoi(last)
		var err3 error
		if stepped {
			step, err3 = strconv.Atoi(every)
		}
		if err != nil || err2 != nil || err3 != nil || low < 0 || high < low || step < 1 || stepped && !ranged {
			return nil, fmt.Errorf("%q is not a GPU or a range of them; %s", item, syntax)
		}
		if (high-low)/step >= maxMembers || len(members) >= maxMembers {
			return nil, fmt.Errorf("%q: more than %d GPUs", text, maxMembers)
		}
		for i := range (high-low)/step + 1 { // low+i*step is at most high: no overflow
			members = append(members, low+i*step)
		}
	}
	return members, nil
}

// FormatMembers writes a list of nodes for ParseMembers, with few ranges.
func FormatMembers(members []int) string {
	var items []string
	for i := 0; i < len(members); {
		j := i + 1
		for j < len(members) && members[j] == members[j-1]+1 {
			j++
		}
		if j-i > 2 {
			items = append(items, fmt.Sprintf("%d-%d", members[i], members[j-1]))
		} else {
			items = append(items, each.Of(members[i:j], strconv.Itoa)...)
		}
		i = j
	}
	return strings.Join(items, ",")
}

// On returns the collective performed by some of the nodes of a larger fabric: member i
// does what node i did. Its steps lose their symmetry, which belongs to the members, not to
// the fabric. If the members are all nodes in order, nothing changes.
func (c *Collective) On(members []int, nodes int) (*Collective, error) {
	if err := CheckMembers(members, nodes); err != nil {
		return nil, err
	}
	if members == nil {
		return c, nil
	}
	if len(members) != c.Nodes {
		return nil, fmt.Errorf("%d GPUs for a collective of %d", len(members), c.Nodes)
	}
	if len(members) == nodes && slices.IsSorted(members) {
		return c, nil
	}
	lifted := *c
	lifted.Nodes, lifted.Space.Nodes, lifted.Space.Members = nodes, nodes, members
	if c.Space.Kind == Listed {
		lifted.Space.Pieces = make([]Piece, len(c.Space.Pieces))
		for i, p := range c.Space.Pieces {
			lifted.Space.Pieces[i] = Piece{p.Bytes, relabel(p.From, members), relabel(p.To, members), p.Reduces}
		}
	}
	lifted.Steps = make([]Step, len(c.Steps))
	for i, step := range c.Steps {
		for t := range step.All(c.Space) {
			t.Src, t.Dst = members[t.Src], members[t.Dst]
			lifted.Steps[i].Base = append(lifted.Steps[i].Base, t)
		}
	}
	return &lifted, nil
}

func relabel(nodes, members []int) []int {
	return each.Of(nodes, func(u int) int { return members[u] })
}

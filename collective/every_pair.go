package collective

import "slices"

// EveryPair reports whether a step is exactly the exchange of every node with every other,
// stored as one transfer per orbit of pairs: each transfer carries everything that its source
// has for its destination, all with the same action. Such a step is invariant under any
// permutation of the nodes, so two such steps have the same transfers, whatever groups they are
// stored with.
func (s Step) EveryPair(space *Space) (Action, bool) {
	n := space.Nodes
	if space.Kind != Pairs || space.Members != nil || n < 2 || len(s.Base)*s.Group.Order() != n*(n-1) || s.Group.Order() != n || s.Group.Check(n) != nil {
		return "", false
	}
	seen := make([]bool, n)
	for _, t := range s.Base {
		k, _ := s.Group.Locate(t.Src) // the group can move any node to the first
		to := s.Group.Back(k, t.Dst)
		own := Every((t.Src*n+t.Dst)*space.Parts, 1, space.Parts)
		if t.Src == t.Dst || seen[to] || t.Action != s.Base[0].Action || t.Part != WholePart || t.Sides != 0 || !slices.Equal(t.Chunks, own) {
			return "", false
		}
		seen[to] = true
	}
	return s.Base[0].Action, true
}

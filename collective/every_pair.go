package collective

import "github.com/lightpath-net/lightpath/topology"

// EveryPair reports whether a step is exactly the exchange of every node with every other,
// stored as one transfer per orbit of pairs: each transfer carries everything that its source
// has for its destination, all with the same action. Such a step is invariant under any
// permutation of the nodes, so two such steps have the same transfers, whatever groups they are
// stored with.
func (s Step) EveryPair(space *Space) (Action, bool) {
	return EveryPairOf(space, s.Group, len(s.Base), func(i int) *Transfer { return &s.Base[i] })
}

// EveryPairOf is EveryPair for a step whose base has count transfers, those that at returns.
func EveryPairOf(space *Space, group topology.Translations, count int, at func(i int) *Transfer) (Action, bool) {
	n := space.Nodes
	if space.Kind != Pairs || space.Members != nil || n < 2 || count*group.Order() != n*(n-1) || group.Check(n) != nil {
		return "", false
	}
	action := at(0).Action
	seen := map[int][]bool{} // destinations of the nodes that stand for their orbits
	for i := range count {
		t := at(i)
		k, home := group.Locate(t.Src)
		if seen[home] == nil {
			seen[home] = make([]bool, n)
		}
		to := group.Back(k, t.Dst)
		own := Run{First: (t.Src*n + t.Dst) * space.Parts, Count: space.Parts, Stride: 1}
		if t.Src == t.Dst || seen[home][to] || t.Action != action || t.Part != WholePart || t.Sides != 0 || len(t.Chunks) != 1 || t.Chunks[0] != own {
			return "", false
		}
		seen[home][to] = true
	}
	return action, true
}

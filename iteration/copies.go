package iteration

// Circuits are up in one place at a time. Where a class has lanes for two sets of the same
// circuits, the second set is circuits of its own, with offers of its own, so two collectives may
// begin with the same topology at once, on different lanes.

// copies adds a second set of all circuits that fit twice, and the offers over these, after all
// others.
func (m *repertory) copies() {
	if len(m.program.Jobs) > mostCopied {
		return
	}
	of := make([]int, len(m.Circuits))
	for c := range of {
		of[c] = c
		twice := c != m.Shared && m.Circuits[c].Graph != nil
		for _, claim := range m.Circuits[c].Claims {
			twice = twice && 2*claim.Lanes <= m.Lines.Lanes(claim.Line)
		}
		if twice {
			of[c] = len(m.Circuits)
			m.Circuits, m.places = append(m.Circuits, m.Circuits[c]), append(m.places, m.places[c])
		}
	}
	for w := range m.Offers {
		for _, o := range m.Offers[w] {
			if o.First == NoCircuits || of[o.First] == o.First || of[o.Last] == o.Last {
				continue
			}
			o.First, o.Last, o.Copy = of[o.First], of[o.Last], true
			m.Offers[w] = append(m.Offers[w], o)
		}
	}
}

// mostCopied is the number of jobs up to which circuits are looked at twice.
const mostCopied = 2000

// copied returns the search among all offers, those over copies included; nil if there are none.
func (s *search) copied() *search {
	for _, offers := range s.of.Offers {
		for i := range offers {
			if offers[i].Copy {
				t := *s
				t.copies = true
				return &t
			}
		}
	}
	return nil
}

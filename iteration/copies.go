package iteration

import "math"

// Circuits are up in one place at a time. Where a class has lanes for several sets of the same
// circuits, every other set is circuits of its own, with offers of its own, so as many collectives
// may begin with the same topology at once, on different lanes.

// copies adds further sets of all circuits that fit more than once, and the offers over these,
// after all others.
func (m *repertory) copies() {
	if len(m.program.Jobs) > mostCopied {
		return
	}
	circuits, offers := len(m.Circuits), make([]int, len(m.Offers))
	for w := range offers {
		offers[w] = len(m.Offers[w])
	}
	for set := 2; ; set++ {
		of := map[int]int{} // circuits of this set
		for c := range circuits {
			if m.fitting(c) >= set {
				of[c] = len(m.Circuits)
				m.Circuits, m.places = append(m.Circuits, m.Circuits[c]), append(m.places, m.places[c])
			}
		}
		if len(of) == 0 {
			return
		}
		for w := range m.Offers {
			for k, o := range m.Offers[w][:offers[w]] {
				first, ok := of[o.First]
				last, too := of[o.Last]
				if ok && too {
					o.First, o.Last, o.Copy, o.copied = first, last, true, k
					m.Offers[w] = append(m.Offers[w], o)
				}
			}
		}
	}
}

// fitting is how many sets of circuits of a group fit.
func (m *repertory) fitting(c int) int {
	if c == m.Shared || m.Circuits[c].Graph == nil {
		return 1
	}
	sets := math.MaxInt
	for _, claim := range m.Circuits[c].Claims {
		sets = min(sets, m.Lines.Lanes(claim.Line)/claim.Lanes)
	}
	return sets
}

// withCopies lists an offer and those over copies of its circuits; an offer over copies is alone.
func withCopies(offers []Offer, k int) []int {
	list := []int{k}
	for i := range offers {
		if offers[i].Copy && offers[i].copied == k {
			list = append(list, i)
		}
	}
	return list
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

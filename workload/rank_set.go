package workload

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// RankSet is a set of ranks, written as text: "0-15", "0-1016:8" (every eighth), "3,5,9-12".
// Ranks are in ascending order.
type RankSet struct{ ranges []rankRange }

// rankRange is first, first+step, .., last.
type rankRange struct{ first, last, step int }

// NewRankSet makes a set from ranks in ascending order, with few ranges.
func NewRankSet(ranks []int) RankSet {
	var s RankSet
	for i := 0; i < len(ranks); {
		r := rankRange{ranks[i], ranks[i], 1}
		j := i + 1
		if j < len(ranks) {
			r.step = ranks[j] - ranks[i]
			for j < len(ranks) && ranks[j]-ranks[j-1] == r.step {
				j++
			}
		}
		if j == i+2 && r.step > 1 { // two ranks are not a range, and the second may begin one
			j, r.step = i+1, 1
		}
		r.last = ranks[j-1]
		s.ranges = append(s.ranges, r)
		i = j
	}
	return s
}

// ParseRankSet reads a set.
func ParseRankSet(text string) (RankSet, error) {
	var s RankSet
	at := -1
	for part := range strings.SplitSeq(text, ",") {
		r, err := parseRange(part)
		if err != nil {
			return RankSet{}, fmt.Errorf("%.40q: %w", text, err)
		}
		if r.first <= at {
			return RankSet{}, fmt.Errorf("%.40q: rank %d comes after rank %d; want them in ascending order, once each", text, r.first, at)
		}
		at = r.last
		s.ranges = append(s.ranges, r)
	}
	return s, nil
}

func parseRange(part string) (r rankRange, err error) {
	wrong := fmt.Errorf("%.20q; want ranks such as 0-15, 0-120:8 or 3,5", part)
	text, step, strided := strings.Cut(part, ":")
	first, last, ranged := strings.Cut(text, "-")
	if r.first, err = parseRank(first); err != nil {
		return r, wrong
	}
	r.last, r.step = r.first, 1
	if ranged {
		if r.last, err = parseRank(last); err != nil || r.last < r.first {
			return r, wrong
		}
	}
	if strided {
		if r.step, err = parseRank(step); err != nil || !ranged || r.step < 1 || (r.last-r.first)%r.step != 0 {
			return r, wrong
		}
	}
	return r, nil
}

// parseRank reads a rank, which must consist only of digits.
func parseRank(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n >= MaxRanks {
		return 0, fmt.Errorf("%.20q; want a rank from 0 on, below %d", text, MaxRanks)
	}
	return int(n), nil
}

// String writes the set for ParseRankSet.
func (s RankSet) String() string {
	var b strings.Builder
	for i, r := range s.ranges {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(r.first))
		if r.last > r.first {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(r.last))
		}
		if r.step > 1 && r.last > r.first {
			b.WriteByte(':')
			b.WriteString(strconv.Itoa(r.step))
		}
	}
	return b.String()
}

// MarshalText writes the set.
func (s RankSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the set.
func (s *RankSet) UnmarshalText(text []byte) (err error) {
	*s, err = ParseRankSet(string(text))
	return err
}

// Len returns the number of ranks.
func (s RankSet) Len() int {
	return each.Sum(s.ranges, func(r rankRange) int { return (r.last-r.first)/r.step + 1 })
}

// All yields the ranks in ascending order.
func (s RankSet) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, r := range s.ranges {
			for k := r.first; k <= r.last; k += r.step {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// First returns the lowest rank, -1 if the set is empty.
func (s RankSet) First() int {
	for k := range s.All() {
		return k
	}
	return -1
}

// List returns the ranks as numbers.
func (s RankSet) List() []int { return slices.Collect(s.All()) }

// Peer is the other end of a send: a rank, "7", or a distance to it, "+4" or "-4".
type Peer struct {
	Rank     int
	Relative bool // Rank is a distance
}

// Of returns the peer of a rank.
func (p Peer) Of(rank int) int {
	if p.Relative {
		return rank + p.Rank
	}
	return p.Rank
}

// String writes the peer for ParsePeer.
func (p Peer) String() string {
	if p.Relative {
		return fmt.Sprintf("%+d", p.Rank)
	}
	return strconv.Itoa(p.Rank)
}

// ParsePeer reads a peer.
func ParsePeer(text string) (Peer, error) {
	digits := strings.TrimPrefix(strings.TrimPrefix(text, "+"), "-")
	n, err := parseRank(digits)
	sign := text[:len(text)-len(digits)]
	if err != nil || len(sign) > 1 || sign != "" && n == 0 {
		return Peer{}, fmt.Errorf(`%.20q; want a rank such as "7" or a distance such as "+4" or "-4"`, text)
	}
	if sign == "-" {
		n = -n
	}
	return Peer{Rank: n, Relative: sign != ""}, nil
}

// MarshalText writes the peer.
func (p Peer) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the peer.
func (p *Peer) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePeer(string(text))
	return err
}

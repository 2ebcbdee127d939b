package pairing

import "github.com/lightpath-net/lightpath/internal/each"

// Message lists the shards that one point sends to another.
type Message struct {
	From, To int
	Shards   []int
}

// Round is a set of messages that are sent at the same time. If two points talk, each sends one.
type Round []Message

// Load returns the number of shards in the largest message.
func (r Round) Load() int {
	return each.Max(0, r, func(m Message) int { return len(m.Shards) })
}

// Windows are what points know in a gather among pairs for an even number of points (Knödel, New
// gossips and telephones, 1975). Points 2j and 2j+1 are pair j of h. A point knows a window of w
// pairs: point 2j knows the pairs from j on, j .. j+w-1, and point 2j+1 those up to j, j-w+1 ..
// j. In the first round the two points of a pair exchange their shards: w = 1. After that, the
// windows of points 2j and 2(j+t)+1 lie at either end of j .. j+t. If t < 2w, both know all of j
// .. j+t once they have talked. So windows double with every round, and the last round sends only
// what is missing: every point gets every shard once, in ceil(log2 n) rounds.
//
// With several ports, a point talks to several others at once: with r-1 of them, windows grow r
// times, by consecutive tiles.
type Windows struct {
	Pairs    int // h
	From, To int // w, before and after
	Values   int // r: From pairs and r-1 tiles make To
}

// Tile returns the number of pairs in the largest tile.
func (w Windows) Tile() int { return (w.To - w.From + w.Values - 2) / (w.Values - 1) }

// Jumps lists the t of the circuits, one for each nonempty tile.
func (w Windows) Jumps() []int {
	var all []int
	for at := w.From; at < w.To; at += w.Tile() {
		all = append(all, min(at+w.Tile(), w.To)-1)
	}
	return all
}

// Messages returns the messages to points 0 and 1; rotations by two points give those to all
// others. A window of no pairs is a point's own shard.
func (w Windows) Messages() Round {
	n := 2 * w.Pairs
	if w.From == 0 {
		return Round{{0, 1, []int{0}}, {1, 0, []int{1}}}
	}
	var r Round
	for at := w.From; at < w.To; at += w.Tile() {
		end := min(at+w.Tile(), w.To)
		up, down := Message{From: 2*(end-1) + 1, To: 0}, Message{From: (n - 2*(end-1)) % n, To: 1}
		for q := at; q < end; q++ {
			up.Shards = append(up.Shards, 2*q, 2*q+1)
			down.Shards = append(down.Shards, (n-2*q)%n, (n-2*q)%n+1)
		}
		r = append(r, up, down)
	}
	return r
}

// doublings returns the windows of a gather with one port.
func doublings(pairs int) []Windows {
	all := []Windows{{pairs, 0, 1, 2}}
	for w := 1; w < pairs; w *= 2 {
		all = append(all, Windows{pairs, w, min(2*w, pairs), 2})
	}
	return all
}

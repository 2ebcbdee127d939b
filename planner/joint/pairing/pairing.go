package pairing

// Message is the shards that one point sends to another.
type Message struct {
	From, To int
	Shards   []int
}

// Round is the messages that are sent at once. Of two points that talk, each sends one.
type Round []Message

// Load is the number of shards in the largest message.
func (r Round) Load() int {
	most := 0
	for _, m := range r {
		most = max(most, len(m.Shards))
	}
	return most
}

// Windows are what points know in a gather among pairs for an even number of points (Knödel, New
// gossips and telephones, 1975). Points 2j and 2j+1 are pair j of h. A window of w pairs is what
// the points know: 2j the pairs from j on, j .. j+w-1, and 2j+1 those up to j, j-w+1 .. j. At
// first the two points of a pair exchange their shards: w = 1. Then a point 2j and the point
// 2(j+t)+1 have windows of w pairs at either end of j .. j+t, which both know after they have
// talked, if t < 2w. So windows double with every round, and the last round sends no more than
// what is missing: every point gets every shard once, in as many rounds as n has binary digits.
//
// With several ports, a point talks to several at once: with r-1 of them windows grow r times,
// by tiles that follow one another.
type Windows struct {
	Pairs    int // h
	From, To int // w, before and after
	Values   int // r: From pairs and r-1 tiles are To
}

// Tile returns the pairs of the largest tile.
func (w Windows) Tile() int { return (w.To - w.From + w.Values - 2) / (w.Values - 1) }

// Jumps lists the t of the circuits, one for each tile that is not empty.
func (w Windows) Jumps() []int {
	var all []int
	for at := w.From; at < w.To; at += w.Tile() {
		all = append(all, min(at+w.Tile(), w.To)-1)
	}
	return all
}

// Messages returns what points 0 and 1 get; rotations by two points take that to what all get. A
// window of no pairs is the own shard of a point.
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

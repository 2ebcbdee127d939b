package lower

import "github.com/lightpath-net/lightpath/internal/arithmetic"

// link is one direction between two ranks in one stage.
type link struct {
	stage, from, to int32
}

// channels spreads the messages of every link over as many channels as the link has parallel
// circuits, or more if a thread block would have too many steps. Peers at different distances
// get different channels, perChannel distances to each, so that no channel of a rank has more
// than perChannel sending or receiving thread blocks. It returns the number of channels of each
// stage.
func channels(messages []message, nodes, stages, perChannel int, wide map[link]int) []int {
	groups := 1
	if perChannel > 0 {
		groups = max(1, arithmetic.CeilDiv(nodes-1, perChannel))
	}
	next := map[link]int{}
	count := make([]int, stages)
	for i := range messages {
		m := &messages[i]
		at := link{m.stage, m.from, m.to}
		width := max(int(m.circuits), wide[at])
		turn := next[at]
		next[at] = turn + 1
		group := 0
		if perChannel > 0 {
			group = (arithmetic.Offset(int(m.from), int(m.to), nodes) - 1) / perChannel
		}
		m.channel = int32(turn%width*groups + group)
		count[m.stage] = max(count[m.stage], int(m.channel)+1)
	}
	return count
}

package climb

import "math"

// pairs measures a step in which every node sends a shard to every other node.
type pairs struct {
	dist  []int32
	queue []int32
	load  []int64 // by node: what it receives for itself and for the nodes behind it
	loads []int64 // of one circuit of each orbit, by the slot in which it enters
	far   int     // the largest distance
}

// part is the number of units of load in a shard. The squared loads of up to 64 nodes add up to
// less than 1<<63.
const part = 1 << 16

func newPairs(nodes, slots int) *pairs {
	return &pairs{dist: make([]int32, nodes), queue: make([]int32, 0, nodes), load: make([]int64, nodes), loads: make([]int64, slots)}
}

// cost measures the present circuits. Its time is the root mean square of the loads of circuits if
// shards are divided evenly over the circuits of shortest paths. It grows with the distances
// between nodes and with the differences between loads. The load of the busiest circuit would guide
// a search less: it does not change while another circuit is as busy, and optimal routes may
// relieve that circuit.
func (p *pairs) cost(l *lift, diameter int) cost {
	var c cost
	clear(p.loads)
	p.far = 0
	for u := range int32(l.width) {
		c.missing += p.send(l, u, diameter)
	}
	squares := int64(0)
	for _, load := range p.loads {
		squares += load * load
	}
	c.time = int64(math.Sqrt(float64(squares)/float64(len(p.loads))) * shard / part)
	return c
}

// send adds the loads of what one node sends, and returns the number of nodes beyond the diameter.
func (p *pairs) send(l *lift, u int32, diameter int) int {
	for i := range p.dist {
		p.dist[i] = -1
	}
	p.dist[u] = 0
	p.queue = append(p.queue[:0], u)
	far := 0
	for i := 0; i < len(p.queue); i++ {
		v := p.queue[i]
		if int(p.dist[v]) > diameter {
			far++
		}
		for _, x := range l.out[int(v)*l.degree : int(v+1)*l.degree] {
			if x >= 0 && p.dist[x] < 0 {
				p.dist[x] = p.dist[v] + 1
				p.queue = append(p.queue, x)
			}
		}
	}
	far += len(p.dist) - len(p.queue)
	for _, v := range p.queue {
		p.load[v] = part
	}
	for i := len(p.queue) - 1; i > 0; i-- {
		v := p.queue[i]
		p.far = max(p.far, int(p.dist[v]))
		from := l.in[int(v)*l.degree : int(v+1)*l.degree]
		ways := int64(0)
		for _, x := range from {
			if x >= 0 && p.dist[x] == p.dist[v]-1 {
				ways++
			}
		}
		for slot, x := range from {
			if x >= 0 && p.dist[x] == p.dist[v]-1 {
				p.load[x] += p.load[v] / ways
				p.loads[int(v)%l.width*l.degree+slot] += p.load[v] / ways
			}
		}
	}
	return far
}

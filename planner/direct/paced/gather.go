package paced

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Gather is an allgather.
type Gather struct {
	// Paces holds, for each step, the number of shards that the busiest circuit carries.
	Paces []int
	net   *network
}

// Load is the sum of the paces.
func (g *Gather) Load() int { return arithmetic.Sum(g.Paces) }

// The paces to try, as multiples of what a circuit could carry on average in a step; +Inf means
// as much as the busiest circuit could carry. The best pace depends on how many nodes are late,
// and by how much: on line graphs of 4096 nodes with a node inserted, 1.1 is best with 2 ports,
// 1 with 4.
var paces = []float64{math.Inf(1), 1.1, 1, 1.25}

// enough ends the tries: no other pace is tried once the time is within this factor of the
// least time of any allgather with that number of steps.
const enough = 1.03

// Solve returns the fastest of the allgathers that it tries. step is the latency of a step, in
// units of the time that a shard takes over a circuit.
func Solve(ctx context.Context, g *topology.Graph, step float64) (*Gather, error) {
	net, err := newNetwork(g)
	if err != nil {
		return nil, err
	}
	w := net.newWalk(ctx)
	best := &Gather{net: net}
	least := math.Inf(1)
	for _, pace := range paces {
		found, time, err := w.paced(ctx, pace, step, least)
		if err != nil {
			return nil, err
		}
		if found != nil {
			best.Paces, least = found, time
		}
		ideal := step*float64(len(best.Paces)) + float64(net.nodes-1)/float64(g.Degree())
		if least <= enough*ideal {
			break
		}
	}
	return best, nil
}

// paced returns the paces and the time of the fastest allgather in which the pace of a step is
// the given multiple of the average, except for the last step, which delivers all that is left.
// It returns nil if the allgather takes no less than limit.
func (w *walk) paced(ctx context.Context, multiple, step, limit float64) (best []int, time float64, err error) {
	w.begin()
	var so []int
	sum, time := 0.0, limit
	for {
		out, err := w.look(ctx)
		if err != nil {
			return nil, 0, err
		}
		if out.all == 0 {
			if out.last { // a single node
				return so, sum, nil
			}
			return nil, 0, fmt.Errorf("%w: some node cannot reach another", ErrUnsuitable)
		}
		if ended := sum + step + float64(out.most); out.last && ended < time {
			best, time = append(so[:len(so):len(so)], out.most), ended
		}
		pace := out.most
		if average := multiple * float64(out.all) / float64(w.total); average < float64(pace) {
			pace = max(1, int(math.Ceil(average)))
		}
		if sum += step + float64(pace); sum >= time || out.last && pace == out.most {
			return best, time, nil
		}
		so = append(so, pace)
		if err := w.step(ctx, pace, nil); err != nil {
			return nil, 0, err
		}
	}
}

// Deliveries calls yield with what every node receives from each of its senders in every step:
// sets of shards, which yield must not keep. Steps count from 0. Several goroutines call yield,
// each with its own number below threads.Of(ctx), and never for two steps at once.
func (g *Gather) Deliveries(ctx context.Context, yield func(goroutine, step, to int, from []int32, shards [][]uint64)) error {
	w := g.net.newWalk(ctx)
	number := map[*room]int{}
	for i, r := range w.rooms {
		number[r] = i
	}
	w.begin()
	for i, pace := range g.Paces {
		if _, err := w.look(ctx); err != nil {
			return err
		}
		err := w.step(ctx, pace, func(u int, from []int32, got [][]uint64, r *room) { yield(number[r], i, u, from, got) })
		if err != nil {
			return err
		}
	}
	return nil
}

package fluid

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/sim/traffic"
	"github.com/lightpath-net/lightpath/topology"
)

// referee is the flow level with a filling by streams, without clusters.
type referee struct {
	*fluid
	filling *byStream
	left    []float64
	since   []float64
	ends    *endings
}

func (f *referee) rerate(s int32, rate float64) {
	f.left[s] = max(0, f.left[s]-f.filling.rate[s]*(f.now-f.since[s]))
	f.since[s] = f.now
	f.ends.set(s, f.now+f.left[s]/rate)
}

// run returns when every stream is complete.
func (f *referee) run(resizings []resizing) []int64 {
	starts := make([]int32, len(f.Streams))
	for i := range starts {
		starts[i] = int32(i)
		f.left[i] = float64(f.Streams[i].Bytes)
	}
	slices.SortStableFunc(starts, func(s, t int32) int { return cmp.Compare(f.Streams[s].Start, f.Streams[t].Start) })
	for f.drained < len(f.Streams) {
		fixed := math.Inf(1)
		if len(starts) > 0 {
			fixed = float64(f.Streams[starts[0]].Start)
		}
		if len(resizings) > 0 {
			fixed = min(fixed, float64(resizings[0].at))
		}
		f.now = max(f.now, min(fixed, f.ends.next()))
		for f.ends.next() <= f.now+slack(f.now) {
			at, s := f.ends.pop()
			f.now = max(f.now, at)
			f.filling.leave(s)
			f.done[s] = int64(math.Ceil(at-simultaneous)) + f.latency(s)
			f.drained++
		}
		for len(resizings) > 0 && float64(resizings[0].at) <= f.now+slack(f.now) {
			f.filling.resize(resizings[0].bundle, resizings[0].capacity)
			resizings = resizings[1:]
		}
		for len(starts) > 0 && float64(f.Streams[starts[0]].Start) <= f.now+slack(f.now) {
			f.filling.enter(starts[0])
			starts = starts[1:]
		}
		f.filling.settle()
		f.ends.settle()
	}
	return f.done
}

// message is a flow of the tests, over a shortest path.
type message struct {
	src, dst     int
	bytes, start int64
}

// laidOut returns the flow level for messages before it runs. Every bundle of the graph has a
// circuit that is always up, plus the given ones.
func laidOut(t *testing.T, g *topology.Graph, messages []message, more ...traffic.Uptime) (*fluid, []resizing) {
	t.Helper()
	s := &traffic.Traffic{Flows: []int32{0}, Images: 1}
	for e := range g.Edges() {
		s.From, s.To = append(s.From, int32(e.From)), append(s.To, int32(e.To))
	}
	s.Line = func(_ int, up []traffic.Uptime) (traffic.Line, []traffic.Uptime, error) {
		return traffic.Line{Bps: 800_000_000_000, Delay: 1000}, append(append(up, traffic.Uptime{Off: traffic.Never}), more...), nil
	}
	for _, m := range messages {
		path := shortestPath(g, m.src, m.dst)
		next := int32(traffic.Arrived)
		for h := len(path) - 1; h > 0; h-- {
			s.Hops = append(s.Hops, traffic.Hop{Bundle: int32(g.Find(path[h-1], path[h])), Next: next})
			next = int32(len(s.Hops) - 1)
		}
		s.Streams = append(s.Streams, traffic.Stream{Bytes: m.bytes, Start: m.start, First: next})
		s.Flows = append(s.Flows, int32(len(s.Streams)))
	}
	s.Number(func(e int) int { return e })
	s.Sort(true)
	f := &fluid{Traffic: s, options: Options{Packet: 4096}, done: make([]int64, len(s.Streams))}
	lines, capacity, resizings, err := f.capacities()
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Hops {
		s.Hops[i].Bundle = s.Class[s.Hops[i].Bundle]
	}
	f.lines = lines
	f.inOrder()
	f.rates = newLevels(f.Streams, s.Hops, capacity)
	return f, resizings
}

// shortestPath returns the first one that a breadth-first search finds.
func shortestPath(g *topology.Graph, src, dst int) []int {
	before := make([]int, g.Nodes())
	for u := range before {
		before[u] = -1
	}
	before[src] = src
	for queue := []int{src}; before[dst] < 0; queue = queue[1:] {
		to, _ := g.Row(queue[0])
		for _, v := range to {
			if before[v] < 0 {
				before[v] = queue[0]
				queue = append(queue, int(v))
			}
		}
	}
	path := []int{dst}
	for dst != src {
		dst = before[dst]
		path = append(path, dst)
	}
	slices.Reverse(path)
	return path
}

// randomMessages returns messages of a size between random nodes.
func randomMessages(r *rand.Rand, n, count int, bytes int64) []message {
	list := make([]message, count)
	for i := range list {
		src := r.IntN(n)
		list[i] = message{src: src, dst: (src + 1 + r.IntN(n-1)) % n, bytes: bytes}
	}
	return list
}

// TestClustersEqualStreams: rates kept by bundle give every flow the same time, to the
// picosecond, as rates kept by stream. Flows have equal and different sizes, start together and
// one after another, and bundles change.
func TestClustersEqualStreams(t *testing.T) {
	count := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		expr := []string{"Torus(4,4)", "BiRing(2,9)", "GenKautz(3,20)", "K(7)", "Torus(3,5)", "Torus(12,12)"}[seed%6]
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		messages := randomMessages(r, g.Nodes(), 20+r.IntN(400), 10_000)
		for i := range messages {
			if seed%3 > 0 {
				messages[i].bytes += int64(r.IntN(200_000))
			}
			if seed%4 > 1 {
				messages[i].start = int64(r.IntN(20)) * 137_000
			}
		}
		var second []traffic.Uptime // circuits
		if seed%6 == 5 {
			second = append(second, traffic.Uptime{On: 1_000_000, Off: 2_000_000})
		}
		f, resizings := laidOut(t, g, messages, second...)
		if err := f.run(t.Context(), slices.Clone(resizings), func(int64, int64, int64) {}); err != nil {
			t.Fatal(err)
		}
		old, _ := laidOut(t, g, messages, second...)
		x := &referee{fluid: old, left: make([]float64, len(old.Streams)), since: make([]float64, len(old.Streams)), ends: newEndings(len(old.Streams))}
		x.filling = newByStream(old.Streams, old.Hops, slices.Clone(old.rates.capacity), x.rerate)
		want := x.run(resizings)
		for i := range want {
			if count++; f.done[i] != want[i] {
				t.Fatalf("%s, seed %d: stream %d is complete at %d, not %d", expr, seed, i, f.done[i], want[i])
			}
		}
	}
	if count < 5000 {
		t.Errorf("only %d streams", count)
	}
}

// TestLevelsAreMaxMinFair: after any sequence of streams coming, going and capacities changing,
// every stream has a bundle on its route that is full and on which no other has a higher rate.
func TestLevelsAreMaxMinFair(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 12))
		g := topology.Torus(3+int(seed%2)*6, 4+int(seed%2)*3)
		f, _ := laidOut(t, g, randomMessages(r, g.Nodes(), 120, 1_000_000))
		l := f.rates
		var here []int32
		next, now := int32(0), 0.0
		for range 150 {
			for range r.IntN(4) {
				if int(next) < len(f.Streams) {
					l.enter(next)
					here = append(here, next)
					next++
				}
			}
			for range r.IntN(3) {
				if i := r.IntN(len(here) + 1); i < len(here) && !slices.Contains(l.coming, here[i]) {
					l.leave(here[i])
					here = slices.Delete(here, i, i+1)
				}
			}
			if r.IntN(5) == 0 {
				l.resize(int32(r.IntN(len(l.loads))), 0.1*float64(1+r.IntN(3)))
			}
			now++
			l.settle(now)
			if problem := unfair(l, here); problem != "" {
				t.Fatalf("seed %d: %s", seed, problem)
			}
		}
	}
}

// unfair names a stream that could have a higher rate.
func unfair(l *levels, here []int32) string {
	rate := l.rate
	used, most := make([]float64, len(l.loads)), make([]float64, len(l.loads))
	for _, s := range here {
		for _, b := range l.route(s) {
			used[b] += rate(s)
			most[b] = max(most[b], rate(s))
		}
	}
	for b := range used {
		if used[b] > l.capacity[b]*(1+1e-9) {
			return fmt.Sprintf("bundle %d carries %v of %v", b, used[b], l.capacity[b])
		}
	}
	for _, s := range here {
		if !slices.ContainsFunc(l.route(s), func(b int32) bool {
			return used[b] >= l.capacity[b]*(1-1e-9) && most[b] <= rate(s)*(1+1e-9)
		}) {
			return fmt.Sprintf("stream %d has %v and could have more", s, rate(s))
		}
	}
	return ""
}

// TestPlacesAndHorizonEqualPlainOnes: marks are found in ascending order, and next finds the
// first end, among many.
func TestPlacesAndHorizonEqualPlainOnes(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 700} {
		r := rand.New(rand.NewPCG(uint64(n), 13))
		marked, set := newPlaces(n), make([]bool, n)
		h := newHorizon(n)
		for range 300 {
			marked.mark(nowhere)
			if n > 0 {
				i, j := r.IntN(n), r.IntN(n)
				marked.mark(int32(i))
				set[i] = true
				if i != j {
					marked.move(int32(i), int32(j))
					set[i], set[j] = false, true
				}
				k := r.IntN(n)
				marked.clear(int32(k))
				set[k] = false
				h.set(int32(i), float64(r.IntN(2*n)))
				h.set(int32(j), math.Inf(1))
			}
			from := r.IntN(n + 1)
			want := slices.Index(set[from:], true)
			if want >= 0 {
				want += from
			}
			if got := marked.next(int32(from)); int(got) != want {
				t.Fatalf("%d: the next from %d on is %d, want %d", n, from, got, want)
			}
			least := math.Inf(1)
			for _, at := range h.at {
				least = min(least, at)
			}
			b, at := h.next()
			if at != least || b >= 0 && h.at[b] != at || b < 0 && !math.IsInf(at, 1) {
				t.Fatalf("%d: the first is %d at %v, want %v", n, b, at, least)
			}
		}
	}
}

// rate returns that of a stream.
func (l *levels) rate(s int32) float64 { return l.clusters[l.of[s]].level }

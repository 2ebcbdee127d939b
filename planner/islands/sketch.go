package islands

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// sketchTrust is how many times as long as the limit a sketch must be before a plan is given up:
// amounts in a sketch are divisible, chunks are not.
const sketchTrust = 1.05

// fewNodes is the number of nodes of a core up to which plans are lifted whatever the sketch
// says. That takes little time, and sketches of uneven pieces are sometimes too long.
const fewNodes = 8

// cuts say where the steps of a core are divided into parts that are sent one after another.
type cuts struct {
	pieces int
	ends   [][]int // by step of the core: the piece before which each part ends; nil: one part
}

// sketch estimates the time of a plan for any cuts, with divisible amounts in place of chunks.
type sketch struct {
	rate        float64 // bytes that a GPU sends in its island per nanosecond
	latency     float64 // of a step within islands
	again       float64 // of later parts of a step, if they use only circuits; 0: as the first
	first       float64 // time until the first circuits are up
	steps       []sketchStep
	homes       int
	collects    []bool
	delivers    []bool
	idleCollect []float64 // by home: bytes that no step needs before the end
	idleDeliver []float64 // by home: bytes that are complete from the start

	// Scratch space of time, reused from call to call.
	all                 []sketchPart
	load, room, longest []float64
}

// sketchStep is a step of the core.
type sketchStep struct {
	wait    float64 // for the change of circuits before it
	latency float64
	sends   float64   // time on circuits
	through []float64 // by home: bytes that a GPU sends in its island for the step's routes
	due     []float64 // by home: bytes to be collected before it
	ready   []float64 // by home: bytes that can be delivered after it
}

// sketch measures an undivided plan.
func (l *lifter) sketch() *sketch {
	f := l.fabric
	x := &sketch{
		rate: 1 / float64(f.Island.Bandwidth.Transmit(1)), latency: float64(f.IslandAlpha().Time() + f.IslandDelta().Time()),
		first: float64(l.core.Stages[0].Reconfiguration), homes: len(l.homes),
		idleCollect: make([]float64, len(l.homes)), idleDeliver: make([]float64, len(l.homes)),
	}
	number := make([]int, len(l.slots)) // the step in each slot
	wait := 0.0
	for i, s := range l.slots {
		if s.core == nil {
			number[i] = -1
			if i > 0 && i < len(l.slots)-1 {
				wait = float64(l.core.Stages[s.stage].Reconfiguration)
			}
			continue
		}
		through, _ := l.through(s)
		number[i] = len(x.steps)
		x.steps = append(x.steps, sketchStep{
			wait: wait, latency: l.latency(s), sends: float64(s.core.Cost.Transmission), through: through,
			due: make([]float64, x.homes), ready: make([]float64, x.homes),
		})
		wait = 0
	}
	items := l.items()
	for i, home := range l.homes {
		before, after := l.tasks(home)
		x.collects, x.delivers = append(x.collects, before != none), append(x.delivers, after != none)
		cost := l.cost(i)
		for _, one := range items[i] {
			if one.due < len(number) && number[one.due] >= 0 {
				x.steps[number[one.due]].due[i] += cost
			} else {
				x.idleCollect[i] += cost
			}
			if one.ready >= 0 && number[one.ready] >= 0 {
				x.steps[number[one.ready]].ready[i] += cost
			} else {
				x.idleDeliver[i] += cost
			}
		}
	}
	return x
}

// latency returns the start-up of a slot plus the delay of its longest route.
func (l *lifter) latency(s *slot) float64 {
	size := int32(l.shares.places)
	longest := units.Time(0)
	for i := range s.base[:s.sent] {
		for _, r := range s.base[i].Routes {
			delay := units.Time(0)
			for h := 1; h < len(r.Path); h++ {
				if l.sameGPU(int(r.Path[h-1]), int(r.Path[h])) {
					continue
				}
				if r.Path[h-1]/size == r.Path[h]/size {
					delay += l.fabric.IslandDelta().Time()
				} else {
					delay += l.fabric.Delta.Time()
				}
			}
			longest = max(longest, delay)
		}
	}
	return float64(max(l.fabric.Alpha, l.fabric.IslandAlpha()).Time() + longest)
}

// time returns the time of a plan with some cuts.
func (x *sketch) time(c cuts) units.Time {
	parts := x.parts(c)
	x.longest = zeros(x.longest, len(parts))
	total, longest := 0.0, x.longest
	before, after := 0.0, 0.0
	for home := range x.homes {
		loads := x.loads(parts, home)
		for i, load := range loads[1 : len(loads)-1] {
			longest[i] = max(longest[i], load)
		}
		before, after = max(before, loads[0]), max(after, loads[len(loads)-1])
	}
	for i, p := range parts {
		latency := p.latency
		if !p.begins && x.again > 0 {
			latency = x.again
		}
		total += latency + max(p.sends, longest[i]/x.rate)
		if p.begins {
			total += p.wait
		}
	}
	start := x.first
	if before > 0 {
		start = max(start, x.latency+before/x.rate)
	}
	if after > 0 {
		total += x.latency + after/x.rate
	}
	return units.Time(total + start)
}

// sketchPart is a part of a step.
type sketchPart struct {
	*sketchStep
	share  float64 // fraction of the step
	sends  float64
	begins bool // it is the first part of its step
}

// parts lists the parts of all steps in order. The result is valid until the next call.
func (x *sketch) parts(c cuts) []sketchPart {
	all := x.all[:0]
	for i := range x.steps {
		step := &x.steps[i]
		if c.ends == nil || c.ends[i] == nil {
			all = append(all, sketchPart{step, 1, step.sends, true})
			continue
		}
		from := 0
		for _, to := range c.ends[i] {
			share := float64(to-from) / float64(c.pieces)
			all = append(all, sketchPart{step, share, step.sends * share, from == 0})
			from = to
		}
	}
	x.all = all
	return all
}

// zeros returns count zeros, in the memory of list if it is large enough.
func zeros(list []float64, count int) []float64 {
	if cap(list) < count {
		return make([]float64, count)
	}
	list = list[:count]
	clear(list)
	return list
}

// loads returns the bytes that a GPU of a home sends in its island before the first part, in
// every part, and after the last. The result is valid until the next call.
func (x *sketch) loads(parts []sketchPart, home int) []float64 {
	x.load, x.room = zeros(x.load, len(parts)+2), zeros(x.room, len(parts)+2)
	load, room := x.load, x.room
	room[0] = max(0, x.first-x.latency) * x.rate
	for i, p := range parts {
		if p.begins || x.again == 0 {
			load[i+1] = p.through[home] * p.share
		}
		room[i+1] = max(0, p.sends*x.rate-load[i+1])
		if p.begins && p.wait > x.latency { // a step within the island while circuits change
			room[i] += (p.wait - x.latency) * x.rate
		}
	}
	take := func(at int, amount float64) {
		load[at] += amount
		room[at] = max(0, room[at]-amount)
	}
	if x.collects[home] {
		early := 0.0 // collected before it is due
		next := 0
		left := func(i int) float64 { return parts[i].due[home] * parts[i].share }
		for at := range parts {
			need := max(0, left(at)-early)
			early = max(0, early-left(at))
			take(at, need) // in the slot before the part
			next = max(next, at+1)
			for spare := room[at]; next < len(parts) && spare > 0; {
				more := left(next)
				if early > 0 { // early bytes count for the parts that follow
					break
				}
				some := min(spare, more)
				take(at, some)
				early += some
				spare -= some
				if some < more {
					break
				}
				next++
			}
		}
		rest := x.idleCollect[home]
		for at := 1; at <= len(parts) && rest > 0; at++ {
			some := min(rest, room[at])
			take(at, some)
			rest -= some
		}
		load[len(load)-1] += rest
	}
	if x.delivers[home] {
		waiting := x.idleDeliver[home]
		for at := range load {
			if at == len(load)-1 {
				load[at] += waiting
				break
			}
			some := min(waiting, room[at])
			take(at, some)
			waiting -= some
			if at > 0 {
				waiting += parts[at-1].ready[home] * parts[at-1].share
			}
		}
	}
	return load
}

// mostCut is the number of steps that are divided: those that send longest.
const mostCut = 6

// best searches for the cuts with the least time. The parts of a step are equal, or each is
// longer or shorter than the one before by some factor.
func (x *sketch) best(pieces int) cuts {
	c := cuts{pieces: pieces, ends: make([][]int, len(x.steps))}
	order := arithmetic.UpTo(len(x.steps))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(x.steps[b].sends, x.steps[a].sends)
	})
	least := x.time(c)
	for range 2 {
		before := least
		for _, i := range order[:min(mostCut, len(order))] {
			for _, parts := range []int{1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24} {
				for _, factor := range []float64{1, 0.9, 0.8, 0.7, 0.5, 1 / 0.9, 1 / 0.8, 1 / 0.7, 2} {
					if parts == 1 && factor != 1 || parts > pieces {
						continue
					}
					was := c.ends[i]
					c.ends[i] = geometric(pieces, parts, factor)
					if time := x.time(c); time < least {
						least = time
					} else {
						c.ends[i] = was
					}
				}
			}
		}
		if least == before {
			break
		}
	}
	return c
}

// geometric divides pieces into parts, each longer than the one before by a factor.
func geometric(pieces, parts int, factor float64) []int {
	sum, one := 0.0, 1.0
	for range parts {
		sum += one
		one *= factor
	}
	var ends []int
	at := 0.0
	one = 1.0
	for range parts {
		at += one / sum
		one *= factor
		if end := int(at*float64(pieces) + 0.5); len(ends) == 0 && end > 0 || len(ends) > 0 && end > ends[len(ends)-1] {
			ends = append(ends, end)
		}
	}
	ends[len(ends)-1] = pieces
	return ends
}

// reduced returns the cuts with no more pieces than they need.
func (c cuts) reduced() cuts {
	for c.pieces%2 == 0 {
		for _, ends := range c.ends {
			for _, end := range ends {
				if end%2 != 0 {
					return c
				}
			}
		}
		c.pieces /= 2
		for i := range c.ends {
			c.ends[i] = slices.Clone(c.ends[i])
			for k := range c.ends[i] {
				c.ends[i][k] /= 2
			}
		}
	}
	return c
}

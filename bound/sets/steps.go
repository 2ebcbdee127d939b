package sets

import "math"

// These limit the stages that fewLoad considers: with more steps or hops it proves little, and it
// takes the square of the hops.
const (
	maxFewSteps = 8
	maxFewHops  = 64
)

// fewLoad bounds the load of a shape step by step, which counts where there are few steps.
//
// Let a stage have a hops before a step and b after it. An input u is known by at most K GPUs when
// the stage begins, and an output v can be reached from at most R when it ends. With q = n/(KR),
// the pairs (u, v) that a+b+g hops can serve are at most n^2 (1+a+b+g)/q. For all others a message
// of more than g circuits in this step is on the way from a GPU x that knows u to a GPU y from
// which v can be reached, i <= a circuits behind x and j <= b circuits before y. With its own l
// these are more than a+b+g, and i and j determine x and y. So it serves KR = n/q pairs or fewer
// for each of the c(l-g) pairs of i and j with (a-i)+(b-j) < l-g. If m(l) messages of l circuits
// are sent, over n,
//
//	sum of m(l) c(l-g) >= q - (1+a+b+g)  for all g < h
//
// The load is the sum of l m(l). Weigh the constraints for g = 0, t, 2t, .. by some w such that the
// sum of w c(l-g) is at most l for all l: then the load is at least w times the right sides. A
// dynamic program divides the hops of the stage into steps.
func (l *Loads) fewLoad(s *Shape) float64 {
	reach := 1.0
	for _, t := range s.Stages[:s.Count] {
		reach *= float64(1 + t.hops())
	}
	sum := 0.0
	for i, t := range s.Stages[:s.Count] {
		if hops := t.hops(); t.Steps <= maxFewSteps && hops <= maxFewHops && !s.inner(i) {
			sum += l.fewSteps(t.Steps, hops, float64(l.nodes)/reach*float64(1+hops))
		}
	}
	return sum
}

// fewSteps returns the least load of the steps of a stage.
func (l *Loads) fewSteps(steps, hops int, q float64) float64 {
	least := make([]float64, hops+1)
	known := make([]float64, (hops+1)*(hops+1)) // 1 more than a step loads
	for y := range least {
		least[y] = math.Inf(1)
	}
	least[0] = 0
	for left := steps - 1; left >= 0; left-- {
		for y := hops; y > 0 && (left > 0 || y == hops); y-- {
			for x, sum := range least[:y] {
				if sum >= least[y] {
					continue
				}
				by := &known[y*(hops+1)+x]
				if *by == 0 {
					*by = 1 + l.step(x, hops-y, y-x, q)
				}
				least[y] = min(least[y], sum+*by-1)
			}
		}
	}
	return least[hops]
}

// step returns the least load of a step of so many hops, with others before and after it.
func (l *Loads) step(before, after, hops int, q float64) float64 {
	need := q - float64(1+before+after)
	if need <= 0 {
		return 0
	}
	best := 0.0
	for i, w := range l.weights(before, after, hops) {
		apart := i + 1
		count := min((hops-1)/apart, int(need)/apart) + 1
		best = max(best, w*(need*float64(count)-float64(apart*count*(count-1)/2)))
	}
	return best * (1 - loadSlack)
}

// place is a step of a stage: the hops before, after and of it.
type place struct{ before, after, hops int }

// weights returns the largest weights of the constraints that are 1, 2, .. apart.
func (l *Loads) weights(before, after, hops int) []float64 {
	at := place{min(before, after), max(before, after), hops}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.weight[at]; known != nil {
		return known
	}
	served := make([]int, hops+1) // c
	for x := 1; x <= hops; x++ {
		for i := 0; i <= min(at.before, x-1); i++ {
			served[x] += min(at.after+1, x-i)
		}
	}
	list := make([]float64, hops)
	for apart := 1; apart <= hops; apart++ {
		w := math.Inf(1)
		for length := 1; length <= hops; length++ {
			sum := 0
			for g := 0; g < length; g += apart {
				sum += served[length-g]
			}
			w = min(w, float64(length)/float64(sum))
		}
		list[apart-1] = w
	}
	l.weight[at] = list
	return list
}

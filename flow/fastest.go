package flow

import "context"

// Fastest returns the routes that take the least time, where time grows with each part of
// a load. With a policy other than Optimal these are those of the policy.
//
// A maximum concurrent flow may use long ways round for a little bandwidth, which small
// messages do not repay. So for each number of hops that could still win, the smallest
// peak within that many hops is found. Where Solve is exact and time does not depend on
// the dilation, the result is the fastest of all routings.
func Fastest(ctx context.Context, p Problem, policy Policy, time func(Load) float64) (*Result, error) {
	widest, err := Solve(ctx, p, policy)
	if err != nil {
		return nil, err
	}
	best, least, work := widest, time(widest.Load), widest.Work
	// Nothing has a smaller peak, nor fewer hops than one.
	if policy != Optimal || widest.Method == MethodUnique || time(Load{Peak: widest.Load.Peak, Hops: 1}) >= least {
		return best, nil
	}
	// Nor has anything fewer hops than shortest paths.
	shortestPaths := widest.Method == MethodShortest || widest.Method == MethodBalanced
	if shortestPaths && time(Load{Peak: widest.Load.Peak, Hops: widest.Load.Hops}) >= least {
		return best, nil
	}
	try := func(policy Policy) (*Result, error) {
		r, err := Solve(ctx, p, policy)
		if err != nil {
			return nil, err
		}
		work += r.Work
		if time(r.Load) < least {
			best, least = r, time(r.Load)
		}
		return r, nil
	}
	if _, err := try(ShortestSplit); err != nil {
		return nil, err
	}
	shortest, err := try(Shortest)
	if err != nil {
		return nil, err
	}
	for hops := shortest.Load.Hops; hops < widest.Load.Hops; hops++ {
		if time(Load{Peak: widest.Load.Peak, Hops: hops}) >= least {
			break // more hops can only be slower
		}
		p.MaxHops = hops
		if _, err := try(Optimal); err != nil {
			return nil, err
		}
	}
	best.Work = work
	return best, nil
}

package expand_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
)

func TestBadInputIsRefusedInOneLine(t *testing.T) {
	ring := broadcast(t, parse(t, "UniRing(1,4)"))
	k4 := broadcast(t, parse(t, "K(4)"))
	loop := broadcast(t, parse(t, "DeBruijn(2,2)"))
	wide := broadcast(t, parse(t, "UniRing(6000,2)"))
	single := broadcast(t, topology.New(1, "one", nil))
	cost := costOf(t, "K(4)")
	schedule := func(text string, opts expand.Options) error {
		_, err := expand.Solve(ctx, parseExpr(t, text), opts)
		return err
	}
	second := func(_ any, err error) error { return err }
	for name, c := range map[string]struct{ err, want error }{
		"Line 0":               {second(expand.Line(ctx, k4, 0)), expand.ErrInput},
		"Line of no circuits":  {second(expand.Line(ctx, single, 1)), expand.ErrInput},
		"Line of the most":     {second(expand.Line(ctx, k4, math.MaxInt)), expand.ErrTooLarge},
		"Given no nodes":       {second(expand.Given(ctx, topology.New(0, "none", nil), nil)), expand.ErrInput},
		"Line too large":       {second(expand.Line(ctx, wide, 1)), expand.ErrTooLarge},
		"Line much too large":  {second(expand.Line(ctx, k4, 1<<40)), expand.ErrTooLarge},
		"Degree 0":             {second(expand.Degree(k4, 0)), expand.ErrInput},
		"Degree with loops":    {second(expand.Degree(loop, 2)), expand.ErrInput},
		"Degree of one node":   {second(expand.Degree(single, 2)), expand.ErrInput},
		"Degree too large":     {second(expand.Degree(k4, 1<<18)), expand.ErrTooLarge},
		"Degree overflow":      {second(expand.Degree(k4, 1<<62)), expand.ErrTooLarge},
		"Power 0":              {second(expand.Power(k4, 0)), expand.ErrInput},
		"Power too large":      {second(expand.Power(k4, 12)), expand.ErrTooLarge},
		"Power overflow":       {second(expand.Power(k4, 1<<62)), expand.ErrTooLarge},
		"Power of one node":    {second(expand.Power(single, 1<<40)), expand.ErrTooLarge},
		"Bidirect of others":   {second(expand.Bidirect(ctx, ring, k4)), expand.ErrInput},
		"Bidirect not turned":  {second(expand.Bidirect(ctx, ring, ring)), expand.ErrInput},
		"Relabel short":        {second(expand.Relabel(ring, ring.Graph, []int{0, 1})), expand.ErrInput},
		"Relabel twice":        {second(expand.Relabel(ring, ring.Graph, []int{0, 1, 1, 2})), expand.ErrInput},
		"Relabel outside":      {second(expand.Relabel(ring, ring.Graph, []int{0, 1, 2, 4})), expand.ErrInput},
		"Relabel no circuit":   {second(expand.Relabel(ring, ring.Graph, []int{0, 2, 1, 3})), expand.ErrInput},
		"Perform unknown":      {second(expand.Perform(7, k4, k4)), expand.ErrInput},
		"Perform no forward":   {second(expand.Perform(bfb.AllGather, nil, k4)), expand.ErrInput},
		"Perform no backward":  {second(expand.Perform(bfb.AllReduce, k4, nil)), expand.ErrInput},
		"Perform not turned":   {second(expand.Perform(bfb.AllReduce, ring, ring)), expand.ErrInput},
		"BFB not connected":    {second(expand.BFB(ctx, parse(t, "DC(4;2)"))), bfb.ErrNotConnected},
		"Solve not connected":  {schedule("Line(DC(4;2),1)", expand.Options{}), bfb.ErrNotConnected},
		"Solve operation":      {schedule("K(4)", expand.Options{Op: -1}), expand.ErrInput},
		"Solve methods":        {schedule("K(4)", expand.Options{Methods: 3}), expand.ErrInput},
		"Solve step cost":      {schedule("K(4)", expand.Options{StepCost: big.NewRat(-1, 2)}), expand.ErrInput},
		"Solve chunks":         {schedule("K(4)", expand.Options{Chunks: 2, Methods: expand.OnlyConstruction}), expand.ErrInput},
		"Solve chunks below 0": {schedule("K(4)", expand.Options{Chunks: -1}), bfb.ErrOptions},
		"Cost Line 0":          {second(cost.Line(0)), expand.ErrInput},
		"Cost Line large":      {second(cost.Line(1 << 40)), expand.ErrTooLarge},
		"Cost Degree large":    {second(cost.DegreeExpanded(1 << 62)), expand.ErrTooLarge},
		"Cost Power large":     {second(cost.Power(1 << 62)), expand.ErrTooLarge},
		"Cost empty":           {second(expand.Cost{}.Power(2)), expand.ErrInput},
		"Cost too good":        {second(expand.Cost{Nodes: 4, Degree: 1, Steps: 1, Bandwidth: big.NewRat(1, 2)}.Line(1)), expand.ErrInput},
		"Cost huge":            {second(expand.Cost{Nodes: 1 << 62, Degree: 2, Steps: 1, Bandwidth: big.NewRat(1, 1)}.Line(1)), expand.ErrTooLarge},
		"Cost of many steps":   {second(expand.Cost{Nodes: 4, Degree: 2, Steps: 1 << 62, Bandwidth: big.NewRat(1, 1), BFB: true}.WholeChunks(1)), expand.ErrTooLarge},
		"Cost product of none": {second(expand.ProductCost()), expand.ErrInput},
		"Cost product large":   {second(expand.ProductCost(cost, cost, cost, cost, cost, cost, cost, cost, cost, cost, cost)), expand.ErrTooLarge},
		"Cost chunks":          {second(cost.WholeChunks(0)), expand.ErrInput},
		"Predict operation":    {second(expand.Predict(parseExpr(t, "K(4)"), 9, baseCost)), expand.ErrInput},
		"Predict product":      {second(expand.Predict(parseExpr(t, "Product(K(4),Kautz(2,1))"), bfb.AllGather, baseCost)), expand.ErrNoFormula},
		"Predict two-way":      {second(expand.Predict(parseExpr(t, "Line(Bidirect(GenKautz(3,11)),1)"), bfb.AllReduce, baseCost)), expand.ErrNoFormula},
	} {
		if c.err == nil || !errors.Is(c.err, c.want) || strings.Contains(c.err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line of %v", name, c.err, c.want)
		}
	}
	for _, e := range []topology.Expr{{}, {Family: "Line"}, {Family: "Power", Graphs: []topology.Expr{{Family: "K", Numbers: []int{3}}}, Numbers: []int{-1}}} {
		if _, err := expand.Solve(ctx, e, expand.Options{}); err == nil {
			t.Errorf("no error for %v", e)
		}
		if _, err := expand.Predict(e, bfb.AllGather, baseCost); err == nil {
			t.Errorf("no prediction error for %v", e)
		}
	}
}

// TestGivenSchedulesAreChecked changes a correct schedule in every way that makes it wrong.
func TestGivenSchedulesAreChecked(t *testing.T) {
	g := parse(t, "Ring(4)")
	right := func() [][]bfb.Transfer { return collect(broadcast(t, g)) }
	a := must[*expand.Allgather](t)(expand.Given(ctx, g, right()))
	if a.Steps != 2 || !a.BandwidthOptimal || a.Method != "given" {
		t.Errorf("%+v, want the figures of the ring", a.Figures)
	}
	checkAllgather(t, must[*expand.Allgather](t)(expand.Power(a, 2)))
	for name, change := range map[string]func(s [][]bfb.Transfer) [][]bfb.Transfer{
		"a step is missing":      func(s [][]bfb.Transfer) [][]bfb.Transfer { return s[:1] },
		"a transfer is missing":  func(s [][]bfb.Transfer) [][]bfb.Transfer { s[1] = s[1][1:]; return s },
		"steps are exchanged":    func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0], s[1] = s[1], s[0]; return s },
		"steps are merged":       func(s [][]bfb.Transfer) [][]bfb.Transfer { return [][]bfb.Transfer{append(s[0], s[1]...)} },
		"a transfer is repeated": func(s [][]bfb.Transfer) [][]bfb.Transfer { s[1] = append(s[1], s[1][0]); return s },
		"it comes again later":   func(s [][]bfb.Transfer) [][]bfb.Transfer { return append(s, s[0]) },
		"an interval is longer":  func(s [][]bfb.Transfer) [][]bfb.Transfer { s[1][0].To = bfb.Frac{Num: 3, Den: 4}; return s },
		"an interval is empty":   func(s [][]bfb.Transfer) [][]bfb.Transfer { s[1][0].To = s[1][0].From; return s },
		"past the shard":         func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0][0].To = bfb.Frac{Num: 2, Den: 1}; return s },
		"before the shard":       func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0][0].From = bfb.Frac{Num: -1, Den: 1}; return s },
		"not in lowest terms":    func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0][0].To = bfb.Frac{Num: 2, Den: 2}; return s },
		"a fraction of nothing":  func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0][0].To = bfb.Frac{}; return s },
		"an end too fine":        func(s [][]bfb.Transfer) [][]bfb.Transfer { s[1][0].To = bfb.Frac{Num: 1, Den: 1 << 40}; return s },
		"a reduction":            func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0][0].Reduce = true; return s },
		"no such node":           func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0][0].Dst = 4; return s },
		"no such shard":          func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0][0].Shard = -1; return s },
		"no such circuit":        func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0][0].Dst = (s[0][0].Src + 2) % 4; return s },
		"to itself":              func(s [][]bfb.Transfer) [][]bfb.Transfer { s[0][0].Dst = s[0][0].Src; return s },
	} {
		if _, err := expand.Given(ctx, g, change(right())); !errors.Is(err, expand.ErrInput) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestGivenSchedulesMayPassOnParts: a shard that arrives in parts may travel on in others,
// as long as the sender has them.
func TestGivenSchedulesMayPassOnParts(t *testing.T) {
	half, third := bfb.Frac{Num: 1, Den: 2}, bfb.Frac{Num: 1, Den: 3}
	zero, one := bfb.Frac{Num: 0, Den: 1}, bfb.Frac{Num: 1, Den: 1}
	var steps [][]bfb.Transfer
	for _, hop := range []struct {
		hops int
		ends []bfb.Frac
	}{{0, []bfb.Frac{half, one}}, {0, []bfb.Frac{zero, half}}, {1, []bfb.Frac{zero, third, one}}} {
		var step []bfb.Transfer
		for v := range 3 {
			for i := range hop.ends[1:] {
				step = append(step, bfb.Transfer{Shard: v, Src: (v + hop.hops) % 3, Dst: (v + hop.hops + 1) % 3, From: hop.ends[i], To: hop.ends[i+1]})
			}
		}
		steps = append(steps, step)
	}
	a := must[*expand.Allgather](t)(expand.Given(ctx, parse(t, "UniRing(1,3)"), steps))
	for i, want := range []string{"1/2", "1/2", "1/1"} {
		if a.PerStep[i].Cmp(rat(t, want)) != 0 {
			t.Errorf("step %d: %v, want %s", i+1, a.PerStep[i], want)
		}
	}
	checkAllgather(t, a)
	checkAllgather(t, must[*expand.Allgather](t)(expand.Line(ctx, a, 2)))
	checkAllgather(t, must[*expand.Allgather](t)(expand.Degree(a, 3)))
	checkAllgather(t, must[*expand.Allgather](t)(expand.Power(a, 2)))
}

// TestCutsThatAreTooFineAreRefused: intervals are kept in 64 bits, whatever is expanded.
func TestCutsThatAreTooFineAreRefused(t *testing.T) {
	const fine = 1<<31 - 1
	cut := bfb.Frac{Num: 1, Den: fine}
	zero, one := bfb.Frac{Num: 0, Den: 1}, bfb.Frac{Num: 1, Den: 1}
	var step []bfb.Transfer
	for u := range 2 {
		step = append(step, bfb.Transfer{Shard: u, Src: u, Dst: 1 - u, From: zero, To: cut}, bfb.Transfer{Shard: u, Src: u, Dst: 1 - u, From: cut, To: one})
	}
	a := must[*expand.Allgather](t)(expand.Given(ctx, parse(t, "UniRing(2,2)"), [][]bfb.Transfer{step}))
	checkAllgather(t, a)
	checkAllgather(t, must[*expand.Allgather](t)(expand.Degree(a, 2)))
	if _, err := expand.Power(a, 2); !errors.Is(err, expand.ErrTooLarge) {
		t.Errorf("Power: %v", err)
	}
	// A line graph has a node for each of the parallel circuits.
	if _, err := expand.Line(ctx, a, 1); !errors.Is(err, expand.ErrTooLarge) {
		t.Errorf("Line: %v", err)
	}
	step[0].To, step[1].From = bfb.Frac{Num: 1, Den: fine - 1}, bfb.Frac{Num: 1, Den: fine - 1}
	step = append(step[:1], append([]bfb.Transfer{{Shard: 0, Src: 0, Dst: 1, From: bfb.Frac{Num: 1, Den: fine - 1}, To: bfb.Frac{Num: 2, Den: fine}}}, step[1:]...)...)
	step[2].From = bfb.Frac{Num: 2, Den: fine}
	if _, err := expand.Given(ctx, parse(t, "UniRing(2,2)"), [][]bfb.Transfer{step}); !errors.Is(err, expand.ErrTooLarge) {
		t.Errorf("ends without a common denominator: %v", err)
	}
}

func TestNotReverseSymmetricGraphsAreNotMirrored(t *testing.T) {
	a := broadcast(t, parse(t, "GenKautz(3,11)"))
	if b, ok, err := expand.Mirror(ctx, a); b != nil || ok || err != nil {
		t.Errorf("mirrored: %v %v %v", b, ok, err)
	}
}

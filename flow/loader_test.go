package flow_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	counting "github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/topology"
)

// A loader that has seen other graphs and symmetries gives the same results and errors as a new
// one.
func TestALoaderRemembersOnlyTheSameCircuits(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 2))
	graphs := []*topology.Graph{topology.DirectedCirculant(12, 1), topology.DirectedCirculant(12, 1, 5), topology.DirectedCirculant(12, 1, 1, 3)}
	groups := []topology.Translations{{}, topology.Rotations(12, 1), topology.Rotations(12, 3), topology.Rotations(12, 5)}
	var loader flow.Loader
	refused := 0
	for range 300 {
		g, group := graphs[random.IntN(len(graphs))], groups[random.IntN(len(groups))]
		u := random.IntN(12)
		path := []int32{int32(u)}
		for range 1 + random.IntN(4) {
			path = append(path, (path[len(path)-1]+1)%12)
		}
		d := flow.Demand{Src: u, Dst: int(path[len(path)-1]), Amount: 1 + random.Float64()}
		routes := []flow.Route{{Path: path, Share: 1}}
		at := func(int) (flow.Demand, []flow.Route) { return d, routes }
		want, wrong := flow.LoadOf(g, group, []flow.Demand{d}, [][]flow.Route{routes})
		got, err := loader.Of(t.Context(), g, group, 1, at)
		if got != want || (err == nil) != (wrong == nil) {
			t.Fatalf("%s under %+v: %+v, %v instead of %+v, %v", g.Name(), group, got, err, want, wrong)
		}
		if err != nil {
			refused++
		}
	}
	if refused == 300 {
		t.Error("everything is refused")
	}
	ctx := counting.New(t.Context(), 3)
	count := 1 << 16
	_, err := loader.Of(ctx, graphs[0], groups[0], count, func(int) (flow.Demand, []flow.Route) {
		return flow.Demand{Src: 0, Dst: 1, Amount: 1}, []flow.Route{{Path: []int32{0, 1}, Share: 1}}
	})
	if !errors.Is(err, context.Canceled) || ctx.After() != 1 {
		t.Errorf("the context ended after 3 questions, and %d followed: %v", ctx.After(), err)
	}
}

package figure_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// Pictures of an iteration show where its time goes, by kind, and the times of its
// communications.
func TestPicturesOfIterations(t *testing.T) {
	llama, err := model.Named("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	f := small()
	f.Nodes = 8
	f.Ports = 2
	d, err := lightpath.Iterate(t.Context(), lightpath.IterateRequest{Model: llama, Config: parallel.Config{TP: 2, PP: 2, DP: 2, GlobalBatch: 4, Sequence: 512}, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	explained, err := lightpath.Explain(t.Context(), lightpath.ExplainRequest{Iteration: d, BudgetOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	simulated, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Iteration: d})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer any
		want   []string
	}{
		{d, []string{"What ranks do when", "phases-ahead", "ports change"}},
		{explained, []string{"critical path", "compute", "tp", "pp", "dp", "reconfiguring", "waits", "hidden reconfiguring"}},
		{simulated, []string{"in simulation", "tp allreduce", "pp send", "model"}},
	} {
		scene, err := lightpath.Render(c.answer).Picture()
		if err != nil {
			t.Fatal(err)
		}
		words := text(t, scene)
		for _, want := range c.want {
			if !strings.Contains(words, want) {
				t.Errorf("%T: no %q in %q", c.answer, want, words)
			}
		}
	}
}

package parallel_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

func named(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := model.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func graph(t testing.TB, m *model.Model, c parallel.Config) *workload.Graph {
	t.Helper()
	w, err := parallel.Make(m, c)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	g, err := w.Graph(context.Background())
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	return g
}

// even is a model whose layers all take the same time, with as good as no output.
func even(layers int) *model.Model {
	m := &model.Model{Name: "even", Layers: layers, Hidden: 4096, Heads: 32, FFN: 16384, Words: 1, Length: 1024}
	if err := m.Complete(); err != nil {
		panic(err)
	}
	return m
}

// The time for which a stage waits, over the time for which it computes, is (p-1)/m for GPipe and
// for one forward, one backward, and (p-1)/(v m) for interleaved stages (Narayanan et al., arXiv
// 2104.04473, §2.2).
func TestBubbles(t *testing.T) {
	const layers = 24
	for _, c := range []struct {
		schedule          string
		stages, micro, of int
	}{
		{"gpipe", 4, 8, 1}, {"gpipe", 3, 2, 1}, {"gpipe", 1, 3, 1},
		{"1f1b", 4, 8, 1}, {"1f1b", 8, 3, 1}, {"1f1b", 2, 1, 1}, {"1f1b", 1, 3, 1},
		{"interleaved:2", 4, 8, 2}, {"interleaved:3", 4, 4, 3}, {"interleaved:6", 2, 8, 6}, {"interleaved:1", 4, 8, 1},
	} {
		g := graph(t, even(layers), parallel.Config{PP: c.stages, GlobalBatch: c.micro, Schedule: c.schedule})
		_, last := g.Ends(workload.Free)
		busy := g.Busiest()
		want := float64(c.stages-1) / float64(c.of*c.micro)
		if got := float64(last/busy) - 1; math.Abs(got-want) > 1e-3 {
			t.Errorf("%s, %d stages, %d microbatches: waits %.4f of what it computes; want %.4f", c.schedule, c.stages, c.micro, got, want)
		}
	}
}

// All ranks together compute what the model requires, plus what is recomputed. Other memory
// traffic takes time, too, but the same at any efficiency: the difference of two efficiencies
// is only the work.
func TestRanksTogetherDoTheWorkOfTheModel(t *testing.T) {
	for _, c := range cases() {
		m := named(t, c.model)
		seconds := func(efficiency float64) (sum float64, facts *workload.Facts) {
			c.config.Efficiency = efficiency
			g := graph(t, m, c.config)
			for i := range g.Classes {
				class := &g.Classes[i]
				for k := range class.Tasks {
					if d := class.Tasks[k].Op.Compute; d != nil {
						sum += float64(*d) / float64(units.Second) * float64(class.Ranks.Len())
					}
				}
			}
			return sum, g.Workload.Model
		}
		whole, facts := seconds(1)
		half, _ := seconds(0.5)
		if got := (half - whole) * facts.PeakFlops; math.Abs(got/facts.HardwareFlops-1) > 1e-6 {
			t.Errorf("%s %+v: all ranks do %g operations; want %g", c.model, c.config, got, facts.HardwareFlops)
		}
	}
}

// The ranks of each stage are a class, and there are no others.
func TestClassesArePipelineStages(t *testing.T) {
	g := graph(t, named(t, "llama3-405b"), parallel.Config{TP: 8, PP: 16, DP: 128, SequenceParallel: true, Zero: 1})
	if len(g.Classes) != 16 || g.Workload.Ranks != 16384 || g.Workload.Model.Microbatches != 16 {
		t.Errorf("%d classes of %d ranks, %d microbatches", len(g.Classes), g.Workload.Ranks, g.Workload.Model.Microbatches)
	}
	for i := range g.Classes {
		if n := g.Classes[i].Ranks.Len(); n != 1024 {
			t.Errorf("class %d has %d ranks", i, n)
		}
	}
}

// Layers are divided as Llama 3 405B was: the first and the last stage have one less.
func TestTheFirstAndTheLastStageHaveLess(t *testing.T) {
	g := graph(t, named(t, "llama3-405b"), parallel.Config{TP: 8, PP: 16})
	for i := range g.Classes {
		layers := 0
		for _, task := range g.Classes[i].Tasks {
			if strings.HasPrefix(task.ID, "f0/") && strings.HasSuffix(task.ID, "/ffn") {
				layers++
			}
		}
		want := 8
		if first := g.Classes[i].Ranks.First(); first == 0 || first == 15*8 {
			want = 7
		}
		if layers != want {
			t.Errorf("class %d has %d layers, want %d", i, layers, want)
		}
	}
}

// The order says which ranks are neighbours.
func TestOrderOfRanks(t *testing.T) {
	c := parallel.Config{TP: 2, CP: 2, EP: 2, DP: 4, PP: 2, Order: "pp,dp,ep,cp,tp"}
	w, err := parallel.Make(named(t, "mixtral-8x7b"), c)
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{
		"pp": "[0 1]", "tp": "[0 16]", "cp": "[0 8]", "ep": "[0 4]", "edp": "[0 2 8 10]", "dp": "[0 2 4 6 8 10 12 14]",
	} {
		if got := fmt.Sprint(w.Kinds[kind][0]); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	if got := w.Programs[1].Ranks.String(); got != "1-31:2" {
		t.Error(got)
	}
	tied, err := parallel.Make(named(t, "megatron-22b"), parallel.Config{TP: 2, PP: 3})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(tied.Kinds["ends"]); got != "[[0 4] [1 5] [2] [3]]" {
		t.Error(got)
	}
}

func TestBadConfigurationsNameTheField(t *testing.T) {
	for _, c := range []struct {
		model  string
		config parallel.Config
		want   string
	}{
		{"llama3-8b", parallel.Config{TP: 3}, "tp: 3 does not divide the 32 heads"},
		{"llama3-8b", parallel.Config{TP: -1}, "tp: -1 is not in"},
		{"llama3-8b", parallel.Config{PP: 64}, "pp: 64 parts"},
		{"llama3-8b", parallel.Config{EP: 2, DP: 2}, "ep: llama3-8b has no experts"},
		{"mixtral-8x7b", parallel.Config{EP: 3, DP: 3}, "ep: 3 does not divide the 8 experts"},
		{"mixtral-8x7b", parallel.Config{EP: 4, DP: 2}, "ep: 4 does not divide dp, 2"},
		{"llama3-8b", parallel.Config{Zero: 4}, "zero: 4"},
		{"llama3-8b", parallel.Config{DP: 3, GlobalBatch: 8}, "global_batch: 8 sequences are not a multiple of 3"},
		{"llama3-8b", parallel.Config{PP: 4, GlobalBatch: 6, Schedule: "interleaved:2"}, "global_batch: 6 microbatches of a rank are not a multiple of 4"},
		{"llama3-8b", parallel.Config{Schedule: "interleaved:2"}, "schedule: interleaved: needs 2"},
		{"llama3-8b", parallel.Config{Schedule: "zigzag"}, `schedule: "zigzag"`},
		{"llama3-8b", parallel.Config{PP: 2, Schedule: "interleaved:0"}, "schedule"},
		{"llama3-8b", parallel.Config{CP: 3}, "sequence: 8192 tokens cannot be divided among 3"},
		{"llama3-8b", parallel.Config{Recompute: "some"}, "recompute"},
		{"llama3-8b", parallel.Config{Dtype: "fp4"}, "dtype"},
		{"llama3-8b", parallel.Config{Dtype: "fp8", GPU: "a100"}, "dtype: a100 does not multiply in fp8"},
		{"llama3-8b", parallel.Config{GradDtype: "fp8"}, "grad_dtype"},
		{"llama3-8b", parallel.Config{GPU: "tpu"}, "gpu: unknown GPU"},
		{"llama3-8b", parallel.Config{Efficiency: 2}, "efficiency: 2"},
		{"llama3-8b", parallel.Config{TP: 2, Order: "dp,pp"}, "order: \"dp,pp\" lacks tp"},
		{"llama3-8b", parallel.Config{Order: "tp,tp"}, "order"},
		{"llama3-8b", parallel.Config{DP: 1 << 20, TP: 8}, "dp: more than"},
		{"llama3-8b", parallel.Config{Attention: "linear"}, "attention"},
	} {
		if _, err := parallel.Make(named(t, c.model), c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want %q", c.config, err, c.want)
		}
	}
}

// Every model that has a name can be trained somehow, and its document is the same when it is read
// again.
func TestDocumentsOfModelsAreReadAgain(t *testing.T) {
	for _, name := range model.Names() {
		w, err := parallel.Make(named(t, name), parallel.Config{TP: 8, PP: 2, DP: 2, GlobalBatch: 8, SequenceParallel: true, Zero: 1})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := w.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := workload.Read(strings.NewReader(b.String()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var c strings.Builder
		if err := again.Write(&c); err != nil || c.String() != b.String() {
			t.Errorf("%s: %v, or the document changes", name, err)
		}
	}
}

func ExampleMake() {
	m, err := model.Named("llama3-405b")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := parallel.Make(m, parallel.Config{TP: 8, PP: 16, DP: 128, SequenceParallel: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	kinds := w.KindNames()
	slices.Sort(kinds)
	fmt.Println(w.Ranks, "ranks,", len(w.Programs), "programs, groups", kinds)
	// Output: 16384 ranks, 16 programs, groups [dp pp tp]
}

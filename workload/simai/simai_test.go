package simai_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/simai"
)

const small = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 2 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0
2
attention	-1	1000	ALLREDUCE	4096	2000	NONE	0	3000	ALLGATHER	8192	0
experts -1 500 ALLTOALL_EP 1024 600 ALLTOALL_EP 1024 700 REDUCESCATTER_DP_EP 512 10
`

func ExampleRead() {
	w, err := simai.Read(strings.NewReader(small))
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := w.Graph(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, compute := g.Ends(workload.Free)
	fmt.Println(w.Ranks, "ranks, groups", w.KindNames(), "computation", compute)
	for _, o := range w.Programs[0].Ops {
		fmt.Println(o.ID, o.Op, o.Kind, o.After)
	}
	// Output:
	// 8 ranks, groups [dp edp ep tp] computation 7.810us
	// f0.attention   []
	// f0.attention.sum allreduce tp [f0.attention]
	// f1.experts   [f0.attention.sum]
	// f1.experts.sum alltoall ep [f1.experts]
	// w1.experts   [f1.experts.sum]
	// w1.experts.sum reducescatter edp [w1.experts]
	// i1.experts   [w1.experts]
	// i1.experts.sum alltoall ep [i1.experts]
	// w0.attention   [i1.experts.sum]
	// w0.attention.sum allgather dp [w0.attention]
	// i0.attention   [w0.attention]
	// u1.experts   [i0.attention w1.experts.sum]
}

func TestGroups(t *testing.T) {
	w, err := simai.Read(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	want := "map[dp:[[0 2 4 6] [1 3 5 7]] edp:[[0 4] [1 5] [2 6] [3 7]] ep:[[0 2] [1 3] [4 6] [5 7]] tp:[[0 1] [2 3] [4 5] [6 7]]]"
	if got := fmt.Sprint(w.Kinds); got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

func TestBadTextNamesItsLine(t *testing.T) {
	for change, want := range map[string]string{
		"HYBRID_TRANSFORMER_FWD_IN_BCKWD -> MICRO": `line 1: "MICRO"`,
		"all_gpus: 8 -> all_gpus: 7":               "line 1: all_gpus 7 is not a multiple",
		"all_gpus: 8 -> all_gpus: many":            "line 1: all_gpus:",
		"checkpoints: 0 -> checkpoints: 3":         "line 1: checkpoints: 3",
		"\n2\n -> \n3\n":                           "row 3 of 3: the file ends here",
		"\n2\n -> \n1\n":                           "line 4: \"experts",
		"\n2\n -> \ntwo\n":                         "line 2: \"two\"",
		"ALLREDUCE -> ALLMEAN":                     `line 3: collective "ALLMEAN"`,
		"4096 -> -1":                               "line 3: size",
		"1000 -> soon":                             `line 3: time "soon"`,
		"512 10 -> 512":                            "line 4: 11 columns",
	} {
		from, to, _ := strings.Cut(change, " -> ")
		text := strings.Replace(small, from, to, 1)
		if text == small {
			t.Fatalf("%s changes nothing", change)
		}
		if _, err := simai.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %q", change, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		w, err := simai.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		if _, err := w.Graph(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

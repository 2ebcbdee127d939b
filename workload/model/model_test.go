package model_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/workload/model"
)

func named(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := model.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Counts to the last parameter are those of the published files of weights (the sum of all tensors
// as the hub of the models states it); rounded ones are those of the papers, to the digits printed.
func TestParametersArePublished(t *testing.T) {
	for _, c := range []struct {
		name   string
		exact  int64
		all    float64 // thousand millions, to the digits below
		digits int
		active float64 // thousand millions, whole
	}{
		{"llama3-8b", 8_030_261_248, 8, 0, 8},
		{"llama3-70b", 70_553_706_496, 70.6, 1, 71},
		{"llama3-405b", 405_853_388_800, 406, 0, 406},
		{"gpt3-175b", 0, 174.6, 1, 175},     // arXiv 2005.14165, table D.1: 174,600 million
		{"megatron-22b", 0, 22, 0, 22},      // arXiv 2205.05198, table 3
		{"megatron-175b", 0, 174.6, 1, 175}, // arXiv 2104.04473, table 1, this row and the next two
		{"megatron-530b", 0, 529.6, 1, 530},
		{"megatron-1t", 0, 1008.0, 1, 1008},
		{"mixtral-8x7b", 46_702_792_704, 46.7, 1, 13},    // arXiv 2401.04088, §1: 47B, 13B active
		{"mixtral-8x22b", 140_620_634_112, 140.6, 1, 39}, // 141B, 39B active
		{"deepseek-v3", 671_026_419_200, 671, 0, 38},     // arXiv 2412.19437: 671B; active: below
	} {
		m := named(t, c.name)
		all, active := m.Parameters()
		if c.exact > 0 && all != c.exact {
			t.Errorf("%s has %d parameters; published are %d", c.name, all, c.exact)
		}
		if got, want := fmt.Sprintf("%.*f", c.digits, float64(all)/1e9), fmt.Sprintf("%.*f", c.digits, c.all); got != want {
			t.Errorf("%s has %s thousand million parameters; published are %s", c.name, got, want)
		}
		if got := math.Round(float64(active) / 1e9); got != c.active {
			t.Errorf("%s: a token meets %v thousand million parameters; want %v", c.name, got, c.active)
		}
	}
	m := named(t, "deepseek-v3")
	table, _ := m.Table()
	if _, active := m.Parameters(); math.Round(float64(active-table)/1e9) != 37 {
		t.Errorf("DeepSeek-V3 without the table: %d", active-table)
	}
}

// The sum over layers is the closed form of the literature where that applies, and of iterations
// whose operations were published it is those.
func TestFlopsArePublished(t *testing.T) {
	for _, name := range []string{"gpt3-175b", "megatron-22b", "megatron-175b", "megatron-530b", "megatron-1t"} {
		m := named(t, name)
		b, s, l, h, v := 64.0, float64(m.Length), float64(m.Layers), float64(m.Hidden), float64(m.Words)
		closed := 72 * b * s * l * h * h * (1 + s/(6*h) + v/(12*l*h)) // arXiv 2104.04473, eq. 3, over 4/3
		if got := m.Flops(64, m.Length); math.Abs(got/closed-1) > 1e-12 {
			t.Errorf("%s: %g, closed form %g", name, got, closed)
		}
	}
	// Llama 3 405B was trained with 3.8e25 operations on 15.6e12 tokens (arXiv 2407.21783, §1),
	// which is 6 x parameters x tokens; attention comes on top of that.
	m := named(t, "llama3-405b")
	all, _ := m.Parameters()
	if six := 6 * float64(all) * 15.6e12; fmt.Sprintf("%.1e", six) != "3.8e+25" {
		t.Errorf("%g", six)
	}
	table, _ := m.Table()
	tokens := 8192.0
	attention := 12 * float64(m.Layers) * float64(m.Hidden) * tokens
	norms := float64(2*m.Layers+1) * float64(m.Hidden)
	if want := 6*(float64(all-table)-norms) + attention; math.Abs(m.Flops(1, 8192)/tokens/want-1) > 1e-12 {
		t.Errorf("%g a token, want %g", m.Flops(1, 8192)/tokens, want)
	}
	// 512 H100 reach 55.34% of their peak with 256 such sequences in 19.81 s (NVIDIA
	// dgxc-benchmarking).
	if share := m.Flops(256, 8192) / (512 * 989.4e12 * 19.81); math.Abs(share-0.5534) > 0.01 {
		t.Errorf("%.4f of the peak, published 0.5534", share)
	}
	// 175B with 64 sequences on 64 A100 takes 13.75 s at 51.4% of the peak; 1T with 512 on 512
	// 71.49 s at 56.3% (arXiv 2205.05198, table 5).
	for name, c := range map[string][4]float64{"megatron-22b": {4, 8, 1.10, 0.415}, "megatron-175b": {64, 64, 13.75, 0.514},
		"megatron-530b": {280, 280, 37.83, 0.560}, "megatron-1t": {512, 512, 71.49, 0.563}} {
		m := named(t, name)
		if share := m.Flops(int(c[0]), m.Length) / (c[1] * 312e12 * c[2]); math.Abs(share-c[3]) > 0.003 {
			t.Errorf("%s: %.4f of the peak, published %.3f", name, share, c[3])
		}
	}
}

// What the ranks of a group hold adds up to the layer, where everything can be divided.
func TestShardsAddUp(t *testing.T) {
	for _, name := range model.Names() {
		m := named(t, name)
		for _, tp := range []int{1, 2, 8} {
			s := &model.Shard{TP: tp, CP: 1, EP: 1}
			if m.Experts > 0 {
				s.EP = 4
			}
			for _, l := range []int{0, m.Layers - 1} {
				dense, experts := m.LayerParameters(l)
				held, own := m.Held(l, s)
				if experts != own*int64(tp)*int64(s.EP) && !m.Bias {
					t.Errorf("%s, tp %d, layer %d: %d of %d in experts", name, tp, l, own, experts)
				}
				if held*int64(tp) < dense || held > dense || tp == 1 && held != dense || m.Latent == nil && held*int64(tp) > dense+int64(tp)*64*int64(m.Hidden) {
					t.Errorf("%s, tp %d, layer %d: %d ranks hold %d each of %d", name, tp, l, tp, held, dense)
				}
			}
		}
	}
}

func TestAModelOfOnesOwn(t *testing.T) {
	const text = "name: mine\nlayers: 4\nhidden: 64\nheads: 4\nffn: 256\nvocabulary: 100\nsequence: 32\n"
	m, err := model.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if all, _ := m.Parameters(); all != 2*100*64+64+4*(4*64*64+2*64*256+2*64) {
		t.Errorf("%d parameters", all)
	}
	for change, want := range map[string]string{
		"layers: 4 -> layers: 0":                       "layers: 0 is not in 1..",
		"layers: 4 -> layer: 4":                        `line 2: no setting "layer"; want name, `,
		"heads: 4 -> heads: 5":                         "heads: 5 do not divide the width 64",
		"ffn: 256 -> ffn: many":                        `line 5: ffn: "many"; want a whole number`,
		"sequence: 32 -> top_k: 2":                     "sequence: 0 is not in",
		"layers: 4 -> layers: 4\nexperts: 4\ntop_k: 5": "top_k: 5 is not in 1..4",
		"layers: 4 -> layers: 4\nnorm: mean":           `norm: "mean"`,
		"layers: 4 -> layers: 4\nkv_heads: 3":          "kv_heads: 3 do not divide 4 heads",
	} {
		from, to, _ := strings.Cut(change, " -> ")
		if _, err := model.Parse([]byte(strings.Replace(text, from, to, 1))); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %q", change, err, want)
		}
	}
	var read model.Model
	if err := json.Unmarshal([]byte(`"llama3-8b"`), &read); err != nil || read.Layers != 32 {
		t.Errorf("%v, %+v", err, read)
	}
	if err := json.Unmarshal([]byte(`"llama4"`), &read); err == nil || !strings.Contains(err.Error(), "llama3-8b") {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("name: mine\nlayers: 4\nhidden: 64\nheads: 4\nffn: 256\nvocabulary: 100\nsequence: 32\n"))
	f.Add([]byte("layers: &a 4\nhidden: *a\nlatent: {query_rank: 3}\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := model.Parse(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is not one line", err)
			}
			return
		}
		if m.Layers < 1000 {
			if all, active := m.Parameters(); all < active {
				t.Errorf("%d of %d parameters are active", active, all)
			}
		}
	})
}

func ExampleNamed() {
	m, err := model.Named("mixtral-8x7b")
	if err != nil {
		fmt.Println(err)
		return
	}
	all, active := m.Parameters()
	fmt.Printf("%.1fB parameters; a token meets %.1fB\n", float64(all)/1e9, float64(active)/1e9)
	// Output: 46.7B parameters; a token meets 12.9B
}

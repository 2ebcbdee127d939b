package arch

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/train"
)

var rewrite = flag.Bool("rewrite", false, "write the traces")

// model returns the model of that name.
func model(t *testing.T, name string) Model {
	t.Helper()
	all := Models()
	i := slices.IndexFunc(all, func(m Model) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no model %s", name)
	}
	return all[i]
}

// Parameters as counted in the published implementations: num_params of the weights of
// torchvision; the checkpoints bert-base-uncased, bert-large-uncased and gpt2 of the
// Transformers library (BertModel, GPT2LMHeadModel).
func TestParametersAreThePublishedOnes(t *testing.T) {
	for name, want := range map[string]int64{
		"alexnet":            61_100_840,
		"inception_v3":       27_161_264,
		"resnet18":           11_689_512,
		"resnet50":           25_557_032,
		"resnext50_32x4d":    25_028_904,
		"shufflenet_v2_x2_0": 7_393_996,
		"squeezenet1_1":      1_235_496,
		"vgg16":              138_357_544,
		"vgg19":              143_667_240,
		"bert_base":          109_482_240,
		"bert_large":         335_141_888,
		"gpt2":               124_439_808,
	} {
		m := model(t, name)
		if got := m.Params(); got != want {
			t.Errorf("%s has %d parameters; published are %d", name, got, want)
		}
	}
}

// With one expert per layer and without routers, the model is T5-Base, whose checkpoint has
// 222,903,552 parameters. With 128 experts it has 7.4 billion (Fedus et al., Table 9).
func TestSwitchBaseIsT5BaseWithExperts(t *testing.T) {
	m := model(t, "switch_base_128")
	dense := int64(0)
	for _, l := range m.Layers {
		if !strings.HasSuffix(l.Name, "router") {
			dense += l.Params + l.Experts/switchExperts
		}
	}
	if dense != 222_903_552 {
		t.Errorf("T5-Base has %d parameters", dense)
	}
	if total := float64(m.Params()); math.Abs(total-7.4e9) > 0.05e9 {
		t.Errorf("%.3g parameters", total)
	}
}

// Multiply-adds of convolutions and full layers per image, in billions, as the weights of
// torchvision state them (_ops). That figure excludes the auxiliary classifier of Inception v3.
func TestMultiplyAddsAreThePublishedOnes(t *testing.T) {
	for name, want := range map[string]float64{
		"alexnet": 0.714, "inception_v3": 5.713, "resnet18": 1.814, "resnet50": 4.089, "resnext50_32x4d": 4.23,
		"shufflenet_v2_x2_0": 0.583, "squeezenet1_1": 0.349, "vgg16": 15.47, "vgg19": 19.632,
	} {
		m := model(t, name)
		sum := int64(0)
		for _, l := range m.Layers {
			if !strings.HasPrefix(l.Name, "AuxLogits") {
				sum += l.MACs
			}
		}
		if got := float64(sum) / float64(m.Batch) / 1e9; math.Abs(got-want) > 0.0006 {
			t.Errorf("%s takes %.4f; published are %v", name, got, want)
		}
	}
}

func TestTracesAreMadeFromTheArchitectures(t *testing.T) {
	var names []string
	for _, m := range Models() {
		names = append(names, m.Name)
		var text bytes.Buffer
		if err := train.WriteTrace(&text, m.Trace()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("..", "..", "traces", m.Name+".csv")
		if *rewrite {
			if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		had, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(had, text.Bytes()) {
			t.Errorf("%s is not what the architecture gives (go test ./train/internal/arch -rewrite)", file)
		}
	}
	if files := train.Names(); !slices.Equal(files, names) {
		t.Errorf("files %v, models %v", files, names)
	}
}

package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// Model is the shape of a decoder-only transformer.
type Model struct {
	Name   string `json:"name" yaml:"name"`
	Source string `json:"source,omitempty" yaml:"source"` // source of the numbers

	Layers  int    `json:"layers" yaml:"layers"`
	Hidden  int    `json:"hidden" yaml:"hidden"`                       // width of a token
	Heads   int    `json:"heads" yaml:"heads"`                         // of attention
	KVHeads int    `json:"kv_heads,omitempty" yaml:"kv_heads"`         // number of key heads; 0: Heads
	Head    int    `json:"head_size,omitempty" yaml:"head_size"`       // 0: hidden / heads
	FFN     int    `json:"ffn" yaml:"ffn"`                             // of feed-forward layers
	Gated   bool   `json:"gated,omitempty" yaml:"gated"`               // with three matrices, not two
	Words   int    `json:"vocabulary" yaml:"vocabulary"`               // number of different tokens
	Places  int    `json:"positions,omitempty" yaml:"positions"`       // learned positions
	Tied    bool   `json:"tied,omitempty" yaml:"tied"`                 // the output shares the table
	Bias    bool   `json:"bias,omitempty" yaml:"bias"`                 // matrices have a bias
	Norm    string `json:"norm,omitempty" yaml:"norm"`                 // "rms" or "layer"
	Length  int    `json:"sequence" yaml:"sequence"`                   // tokens per sequence
	Batch   int    `json:"global_batch,omitempty" yaml:"global_batch"` // sequences per iteration

	// A mixture of experts has Experts of width ExpertFFN, and Shared ones. Each token goes
	// through TopK experts and through all shared ones. The first Dense layers have a feed-forward
	// layer instead.
	Experts   int `json:"experts,omitempty" yaml:"experts"`
	TopK      int `json:"top_k,omitempty" yaml:"top_k"`
	ExpertFFN int `json:"expert_ffn,omitempty" yaml:"expert_ffn"`
	Shared    int `json:"shared_experts,omitempty" yaml:"shared_experts"`
	Dense     int `json:"dense_layers,omitempty" yaml:"dense_layers"`
	// RouterBias says whether the router has a bias for every expert.
	RouterBias bool `json:"router_bias,omitempty" yaml:"router_bias"`

	Latent *Latent `json:"latent,omitempty" yaml:"latent"` // for multi-head latent attention
}

// Latent is the shape of multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, §2.1):
// queries, and keys with values, go through narrow vectors, and a part of each key carries its
// position.
type Latent struct {
	Query int `json:"query_rank" yaml:"query_rank"`
	KV    int `json:"kv_rank" yaml:"kv_rank"`
	Key   int `json:"key_size" yaml:"key_size"`           // of a head, without position
	Rope  int `json:"position_size" yaml:"position_size"` // of a head
	Value int `json:"value_size" yaml:"value_size"`       // of a head
}

// most is the largest number in a shape.
const most = 1 << 24

// Complete fills in the defaults and reports the first invalid field.
func (m *Model) Complete() error {
	for _, f := range []struct {
		name  string
		value *int
		least int
		other int // the default
	}{
		{"layers", &m.Layers, 1, 0}, {"hidden", &m.Hidden, 1, 0}, {"heads", &m.Heads, 1, 0},
		{"kv_heads", &m.KVHeads, 1, m.Heads}, {"ffn", &m.FFN, 1, 0}, {"vocabulary", &m.Words, 1, 0}, {"sequence", &m.Length, 1, 0},
		{"positions", &m.Places, 0, 0}, {"global_batch", &m.Batch, 0, 0}, {"experts", &m.Experts, 0, 0}, {"shared_experts", &m.Shared, 0, 0},
		{"dense_layers", &m.Dense, 0, 0},
	} {
		*f.value = cmp.Or(*f.value, f.other)
		if *f.value < f.least || *f.value > most {
			return field.Errorf(f.name, "%d is not in %d..%d", *f.value, f.least, most)
		}
	}
	switch {
	case m.Heads%m.KVHeads != 0:
		return field.Errorf("kv_heads", "%d do not divide %d heads", m.KVHeads, m.Heads)
	case m.Head == 0 && m.Hidden%m.Heads != 0:
		return field.Errorf("heads", "%d do not divide the width %d; say the head_size", m.Heads, m.Hidden)
	case m.Head < 0 || m.Head > most:
		return field.Errorf("head_size", "%d is not in 1..%d", m.Head, most)
	}
	if m.Head == 0 {
		m.Head = m.Hidden / m.Heads
	}
	switch m.Norm {
	case "":
		m.Norm = "rms"
	case "rms", "layer":
	default:
		return field.Errorf("norm", "%.20q; want rms or layer", m.Norm)
	}
	if l := m.Latent; l != nil {
		for _, n := range []int{l.Query, l.KV, l.Key, l.Rope, l.Value} {
			if n < 1 || n > most {
				return field.Errorf("latent", "%d is not in 1..%d", n, most)
			}
		}
	}
	return m.completeExperts()
}

func (m *Model) completeExperts() error {
	if m.Experts == 0 {
		if m.TopK != 0 || m.ExpertFFN != 0 || m.Shared != 0 || m.Dense != 0 {
			return field.Errorf("experts", "missing, but other fields speak of them")
		}
		return nil
	}
	m.ExpertFFN = cmp.Or(m.ExpertFFN, m.FFN)
	switch {
	case m.TopK < 1 || m.TopK > m.Experts:
		return field.Errorf("top_k", "%d is not in 1..%d", m.TopK, m.Experts)
	case m.ExpertFFN < 1 || m.ExpertFFN > most:
		return field.Errorf("expert_ffn", "%d is not in 1..%d", m.ExpertFFN, most)
	case m.Dense > m.Layers:
		return field.Errorf("dense_layers", "%d of %d layers", m.Dense, m.Layers)
	}
	return nil
}

// UnmarshalJSON reads a shape, or the name of a published one.
func (m *Model) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var name string
		if err := json.Unmarshal(data, &name); err != nil {
			return err
		}
		known, err := Named(name)
		if err == nil {
			*m = *known
		}
		return err
	}
	type plain Model
	return strict.Unmarshal(data, (*plain)(m))
}

// Load returns a published model by its name, or reads a shape from a YAML file, whose name
// ends in .yaml or .yml.
func Load(name string) (*Model, error) {
	if lower := strings.ToLower(name); !strings.HasSuffix(lower, ".yaml") && !strings.HasSuffix(lower, ".yml") {
		m, err := Named(name)
		if err != nil {
			return nil, fmt.Errorf("%w, or a FILE.yaml", err)
		}
		return m, nil
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// maxFile limits the file of a shape, which has two dozen short lines.
const maxFile = 1 << 16

// Parse reads a shape from YAML.
func Parse(data []byte) (*Model, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("larger than %d bytes; a model is a short list of numbers", maxFile)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := d.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("empty; want a model such as layers: 32")
		}
		return nil, errors.New(strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " "))
	}
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("a second YAML document; want one")
	}
	if len(document.Content) != 1 {
		return nil, errors.New("want a list of settings such as layers: 32")
	}
	m := &Model{}
	if err := settings(document.Content[0], reflect.ValueOf(m).Elem()); err != nil {
		return nil, err
	}
	return m, m.Complete()
}

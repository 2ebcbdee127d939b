package model

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// published are the models known by name.
var published = []Model{
	llama("llama3-8b", 32, 4096, 32, 14336, 0),
	llama("llama3-70b", 80, 8192, 64, 28672, 0),
	// 16M tokens per iteration, in sequences of 8192 (§3.4.1).
	llama("llama3-405b", 126, 16384, 128, 53248, 2048),
	gpt3(),
	megatron("megatron-22b", 48, 6144, 64, 4),
	megatron("megatron-175b", 96, 12288, 96, 64),
	megatron("megatron-530b", 105, 20480, 128, 280),
	megatron("megatron-1t", 128, 25600, 160, 512),
	mixtral("mixtral-8x7b", 32, 4096, 32, 14336),
	mixtral("mixtral-8x22b", 56, 6144, 48, 16384),
	{
		Name: "deepseek-v3", Source: "DeepSeek-AI, arXiv 2412.19437, §4.2; without the module that predicts a second token",
		Layers: 61, Hidden: 7168, Heads: 128, Head: 128, FFN: 18432, Gated: true, Words: 129280, Length: 4096, Batch: 15360,
		Experts: 256, TopK: 8, ExpertFFN: 2048, Shared: 1, Dense: 3, RouterBias: true,
		Latent: &Latent{Query: 1536, KV: 512, Key: 128, Rope: 64, Value: 128},
	},
}

func llama(name string, layers, hidden, heads, ffn, batch int) Model {
	return Model{
		Name: name, Source: "Grattafiori et al., arXiv 2407.21783, table 3", Layers: layers, Hidden: hidden, Heads: heads, KVHeads: 8,
		FFN: ffn, Gated: true, Words: 128256, Length: 8192, Batch: batch,
	}
}

func megatron(name string, layers, hidden, heads, batch int) Model {
	return Model{
		Name: name, Source: "Korthikanti et al., arXiv 2205.05198, table 3", Layers: layers, Hidden: hidden, Heads: heads,
		FFN: 4 * hidden, Words: 51200, Places: 2048, Tied: true, Bias: true, Norm: "layer", Length: 2048, Batch: batch,
	}
}

// gpt3 has a vocabulary of its own, and the batch of Narayanan et al., arXiv 2104.04473, table 1.
func gpt3() Model {
	m := megatron("gpt3-175b", 96, 12288, 96, 1536)
	m.Source, m.Words = "Brown et al., arXiv 2005.14165, table 2.1", 50257
	return m
}

func mixtral(name string, layers, hidden, heads, ffn int) Model {
	return Model{
		Name: name, Source: "Jiang et al., arXiv 2401.04088, table 1, and the published configurations", Layers: layers, Hidden: hidden,
		Heads: heads, KVHeads: 8, FFN: ffn, Gated: true, Words: 32000, Length: 4096, Experts: 8, TopK: 2,
	}
}

// Names lists the models known by name.
func Names() []string {
	return each.Below(len(published), func(i int) string { return published[i].Name })
}

// Named returns a published model.
func Named(name string) (*Model, error) {
	for _, m := range published {
		if m.Name == name {
			return &m, m.Complete()
		}
	}
	return nil, fmt.Errorf("unknown model %.40q; use %s", name, strings.Join(Names(), ", "))
}

package model

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// GPU is the computing speed of a GPU.
type GPU struct {
	Name string `json:"name"`
	// Peak is in operations per second with dense 16-bit matrices, PeakFP8 with 8-bit ones; 0 if
	// it has no such peak.
	Peak    float64 `json:"peak_flops"`
	PeakFP8 float64 `json:"peak_fp8_flops,omitempty"`
	// Memory is the bandwidth of its memory, in bytes per second.
	Memory float64 `json:"memory_bytes_per_second"`
	// Efficiency is the fraction of the peak that matrix products reach. It is fitted to published
	// iteration times, one number for all of them.
	Efficiency float64 `json:"efficiency"`
	Source     string  `json:"source"`
}

// gpus are the GPUs known by name.
var gpus = []GPU{
	{"a100", 312e12, 0, 2039e9, 0.71, "data sheet; fitted to 8 iterations of Megatron, arXiv 2205.05198, table 5"},
	{"h100", 989.4e12, 1978.9e12, 3350e9, 0.65, "data sheet, SXM; fitted to Llama 3 405B on 512 of them, NVIDIA dgxc-benchmarking"},
	{"h800", 989.4e12, 1978.9e12, 3350e9, 0.65, "the chip of the H100 with slower links"},
	{"h200", 989.4e12, 1978.9e12, 4800e9, 0.65, "the chip of the H100 with more memory"},
	{"gb200", 2500e12, 5000e12, 8000e9, 0.52, "data sheet, NVL72 / 72; fitted to Llama 3 405B on 128 to 512 of them, NVIDIA dgxc-benchmarking"},
}

// GPUs lists the GPUs known by name.
func GPUs() []GPU { return append([]GPU(nil), gpus...) }

// GPUNames lists their names.
func GPUNames() []string {
	return each.Below(len(gpus), func(i int) string { return gpus[i].Name })
}

// NamedGPU returns the GPU with a name.
func NamedGPU(name string) (GPU, error) {
	for _, g := range gpus {
		if g.Name == name {
			return g, nil
		}
	}
	return GPU{}, fmt.Errorf("unknown GPU %.40q; use %s", name, strings.Join(GPUNames(), ", "))
}

// Dtypes lists the number types of matrix products.
func Dtypes() []string { return []string{"bf16", "fp16", "fp8"} }

// Dtype returns the peak of a GPU for a type, and the bytes of a number that is sent. The
// inputs of 8-bit products are sent in 16 bits.
func (g *GPU) Dtype(name string) (peak float64, number int, err error) {
	switch name {
	case "bf16", "fp16":
		return g.Peak, 2, nil
	case "fp8":
		if g.PeakFP8 == 0 {
			return 0, 0, fmt.Errorf("%s does not multiply in fp8", g.Name)
		}
		return g.PeakFP8, 2, nil
	}
	return 0, 0, fmt.Errorf("unknown type %.20q; use %s", name, strings.Join(Dtypes(), ", "))
}

// sustained is the fraction of the memory bandwidth that is reached, as for the traces of
// package train.
const sustained = 4. / 5

// Speed is how fast work is done.
type Speed struct {
	Flops  float64 // operations per second
	Memory float64 // bytes per second
}

// Speed returns what a GPU sustains, at an efficiency relative to a peak.
func (g *GPU) Speed(peak, efficiency float64) Speed {
	return Speed{peak * efficiency, sustained * g.Memory}
}

// Takes returns how long matrix products take, plus the other memory traffic.
func (s Speed) Takes(flops, moved float64) units.Duration {
	return units.Duration((flops/s.Flops + moved/s.Memory) * float64(units.Second))
}

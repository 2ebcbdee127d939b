package parallel

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
)

// Config says how a model is trained. Zero fields mean the defaults.
type Config struct {
	// These degrees of parallelism say how many ranks share matrices, form the pipeline, train on
	// different data, share sequences and share experts. EP divides DP.
	TP int `json:"tp,omitempty" help:"tensor-parallel ranks, which share matrices" default:"1"`
	PP int `json:"pp,omitempty" help:"pipeline stages" default:"1"`
	DP int `json:"dp,omitempty" help:"data-parallel ranks, which train on different data" default:"1"`
	CP int `json:"cp,omitempty" help:"context-parallel ranks, which share sequences" default:"1"`
	EP int `json:"ep,omitempty" help:"expert-parallel ranks, which share experts; divides ${dp}" default:"1"`
	// SequenceParallel splits activations between matrix products among the TP group, too.
	SequenceParallel bool `json:"sequence_parallel,omitempty" help:"split activations between matrix products among the ${tp} ranks, too"`
	// Zero says what data-parallel ranks shard: nothing, optimizer states, also gradients, also
	// parameters.
	Zero int `json:"zero,omitempty" help:"ZeRO ${STAGE}, what data-parallel ranks shard: 0 nothing | 1 optimizer states | 2 also gradients | 3 also parameters" default:"0"`
	// Microbatch and GlobalBatch are the sequences of a microbatch and of the iteration.
	Microbatch  int `json:"microbatch,omitempty" help:"sequences per microbatch" default:"1"`
	GlobalBatch int `json:"global_batch,omitempty" help:"sequences per iteration (default: as published, else one microbatch per stage)"`
	// Sequence is the number of tokens of a sequence.
	Sequence int `json:"sequence,omitempty" help:"tokens per sequence (default: as published)"`
	// Schedule is the schedule of the pipeline; an interleaved stage has several parts of the
	// model.
	Schedule string `json:"schedule,omitempty" placeholder:"NAME" help:"pipeline schedule: 1f1b | gpipe | interleaved:V (V parts of the model per stage)" default:"1f1b"`
	// Recompute says what the backward pass recomputes to save memory: the core of attention, or
	// all of a layer.
	Recompute string `json:"recompute,omitempty" help:"what the backward pass recomputes: none | selective (attention) | full" default:"none"`
	// Attention says where attention scores are kept: on the chip, or in memory.
	Attention string `json:"attention,omitempty" help:"where attention scores are kept: flash (on the chip) | plain (in memory)" default:"flash"`
	// Dtype is the number format of matrix products, GradDtype that of gradients on the network.
	Dtype     string `json:"dtype,omitempty" help:"number format of matrix products: bf16 | fp16 | fp8" default:"bf16"`
	GradDtype string `json:"grad_dtype,omitempty" help:"number format in which gradients are sent: bf16 | fp16 | fp32" default:"bf16"`
	// Skew is how much experts differ in popularity.
	Skew string `json:"skew,omitempty" help:"bytes of pairs in the all-to-alls of experts, ${WHAT}: moe:K (log-normal popularity, K experts per token) | zipf:S | random | uniform (default: every pair the same)"`
	GPU  string `json:"gpu,omitempty" placeholder:"NAME" help:"GPU model: a100 | h100 | h800 | h200 | gb200" default:"h100"`
	// Efficiency is the fraction of a GPU's peak that matrix products reach.
	Efficiency float64 `json:"efficiency,omitempty" help:"fraction of the GPU's peak that matrix products reach (default: as fitted)"`
	// Order lists the axes of the grid of ranks. Consecutive ranks differ in the first.
	Order string `json:"order,omitempty" placeholder:"AXES" help:"order of the grid's axes; consecutive ranks differ in the first" default:"tp,cp,ep,dp,pp"`
}

// First returns the JSON name of the first field that is set; "" if none is.
func (c *Config) First() string {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			return name
		}
	}
	return ""
}

// job is a complete configuration, with derived values.
type job struct {
	Config
	model  *model.Model
	shard  model.Shard
	axes   axes
	speed  model.Speed
	peak   float64
	chunks int // parts of the model per stage
	micro  int // microbatches per rank
	// hottest is how many times the mean number of tokens the rank with the most popular experts
	// gets.
	hottest float64
}

// hottest returns the largest sum that a rank receives in an all-to-all with a skew, relative
// to the mean.
func hottest(skew string, ranks int) (float64, error) {
	if skew == "" {
		return 1, nil
	}
	if err := collective.CheckGenerator(skew); err != nil {
		return 0, err
	}
	d, err := workload.Demand(skew, ranks, units.MiB)
	if err != nil {
		return 0, err
	}
	most, all := int64(0), int64(0)
	for to := range ranks {
		sum := each.SumBelow(ranks, func(from int) int64 { return d[from][to] })
		most, all = max(most, sum), all+sum
	}
	return float64(most) * float64(ranks) / float64(all), nil
}

// maxMicrobatches limits what a rank does in an iteration.
const maxMicrobatches = 1 << 14

// Complete fills in the defaults for a model and reports the first invalid field.
func (c *Config) Complete(m *model.Model) error {
	_, err := c.job(m)
	return err
}

// job fills in the defaults and derives the remaining values.
func (c *Config) job(m *model.Model) (*job, error) {
	for _, f := range []struct {
		name  string
		value *int
		other int
	}{
		{"tp", &c.TP, 1}, {"pp", &c.PP, 1}, {"dp", &c.DP, 1}, {"cp", &c.CP, 1}, {"ep", &c.EP, 1},
		{"microbatch", &c.Microbatch, 1}, {"sequence", &c.Sequence, m.Length},
	} {
		*f.value = cmp.Or(*f.value, f.other)
		if err := field.Range(*f.value, 1, workload.MaxRanks); err != nil {
			return nil, field.In(f.name, err)
		}
	}
	c.Schedule, c.Recompute, c.Dtype = cmp.Or(c.Schedule, "1f1b"), cmp.Or(c.Recompute, "none"), cmp.Or(c.Dtype, "bf16")
	c.Attention = cmp.Or(c.Attention, "flash")
	c.GradDtype, c.GPU, c.Order = cmp.Or(c.GradDtype, "bf16"), cmp.Or(c.GPU, "h100"), cmp.Or(c.Order, "tp,cp,ep,dp,pp")
	if err := c.check(m); err != nil {
		return nil, err
	}
	j := &job{model: m, chunks: 1}
	if err := j.readSchedule(c); err != nil {
		return nil, err
	}
	if err := c.completeBatch(m, j); err != nil {
		return nil, err
	}
	gpu, err := model.NamedGPU(c.GPU)
	if err != nil {
		return nil, field.In("gpu", err)
	}
	peak, number, err := gpu.Dtype(c.Dtype)
	if err != nil {
		return nil, field.In("dtype", err)
	}
	c.Efficiency = cmp.Or(c.Efficiency, gpu.Efficiency)
	if !(c.Efficiency > 0) || c.Efficiency > 1 {
		return nil, field.Errorf("efficiency", "%v is not above 0 and at most 1", c.Efficiency)
	}
	gradient := map[string]int{"bf16": 2, "fp16": 2, "fp32": 4}[c.GradDtype]
	if gradient == 0 {
		return nil, field.Errorf("grad_dtype", "%.20q; want bf16, fp16 or fp32", c.GradDtype)
	}
	if j.axes, err = c.layOut(); err != nil {
		return nil, field.In("order", err)
	}
	j.Config, j.peak, j.speed = *c, peak, gpu.Speed(peak, c.Efficiency)
	if j.hottest, err = hottest(c.Skew, c.EP); err != nil {
		return nil, field.In("skew", err)
	}
	j.shard = model.Shard{
		Batch: c.Microbatch, Sequence: c.Sequence, TP: c.TP, CP: c.CP, EP: c.EP,
		SequenceParallel: c.SequenceParallel && c.TP > 1, Number: number, Gradient: gradient,
	}
	return j, nil
}

// check checks that the model can be divided in this way.
func (c *Config) check(m *model.Model) error {
	ranks := 1
	for _, n := range []int{c.TP, c.PP, c.DP, c.CP} {
		if ranks > workload.MaxRanks/n {
			return field.Errorf("dp", "more than %d ranks", workload.MaxRanks)
		}
		ranks *= n
	}
	switch {
	case m.Heads%c.TP != 0:
		return field.Errorf("tp", "%d does not divide the %d heads of %s", c.TP, m.Heads, m.Name)
	case m.FFN%c.TP != 0 || m.Experts > 0 && m.ExpertFFN%c.TP != 0:
		return field.Errorf("tp", "%d does not divide the feed-forward layers of %s", c.TP, m.Name)
	case m.KVHeads%c.TP != 0 && c.TP%m.KVHeads != 0:
		return field.Errorf("tp", "%d ranks cannot share %d heads of keys evenly", c.TP, m.KVHeads)
	case c.EP > 1 && m.Experts == 0:
		return field.Errorf("ep", "%s has no experts", m.Name)
	case c.EP > 1 && m.Experts%c.EP != 0:
		return field.Errorf("ep", "%d does not divide the %d experts of %s", c.EP, m.Experts, m.Name)
	case c.Skew != "" && c.EP == 1:
		return field.Errorf("skew", "for experts on several ranks; ep is 1")
	case c.DP%c.EP != 0:
		return field.Errorf("ep", "%d does not divide dp, %d: experts are shared by ranks with different data", c.EP, c.DP)
	case c.Zero < 0 || c.Zero > 3:
		return field.Errorf("zero", "%d is not in 0..3", c.Zero)
	case !slices.Contains([]string{"none", "selective", "full"}, c.Recompute):
		return field.Errorf("recompute", "%.20q; want none, selective or full", c.Recompute)
	case c.Attention != "flash" && c.Attention != "plain":
		return field.Errorf("attention", "%.20q; want flash or plain", c.Attention)
	}
	divisor := c.CP
	if c.SequenceParallel {
		divisor *= c.TP
	}
	if c.Sequence%divisor != 0 {
		return field.Errorf("sequence", "%d tokens cannot be divided among %d ranks", c.Sequence, divisor)
	}
	return nil
}

// readSchedule reads the schedule of the pipeline.
func (j *job) readSchedule(c *Config) error {
	if parts, interleaved := strings.CutPrefix(c.Schedule, "interleaved:"); !interleaved {
		if c.Schedule != "1f1b" && c.Schedule != "gpipe" {
			return field.Errorf("schedule", "%.30q; want 1f1b, gpipe or interleaved:V", c.Schedule)
		}
	} else {
		v, err := strconv.Atoi(parts)
		if err != nil || v < 1 || v > j.model.Layers || strconv.Itoa(v) != parts {
			return field.Errorf("schedule", "%.30q; want interleaved:V with V from 1 to %d layers", c.Schedule, j.model.Layers)
		}
		if c.PP == 1 {
			return field.Errorf("schedule", "interleaved: needs 2 pipeline stages or more")
		}
		j.chunks = v
	}
	if c.PP*j.chunks > j.model.Layers {
		return field.Errorf("pp", "%d parts of the model, which has %d layers", c.PP*j.chunks, j.model.Layers)
	}
	return nil
}

// completeBatch determines the number of microbatches.
func (c *Config) completeBatch(m *model.Model, j *job) error {
	step := c.DP * c.Microbatch
	if c.GlobalBatch == 0 {
		micro := c.PP
		if m.Batch > 0 {
			micro = max(1, m.Batch/step)
		}
		if j.chunks > 1 {
			micro = max(1, micro/c.PP) * c.PP
		}
		c.GlobalBatch = micro * step
	}
	if c.GlobalBatch < 1 || c.GlobalBatch%step != 0 {
		return field.Errorf("global_batch", "%d sequences are not a multiple of %d, dp x microbatch", c.GlobalBatch, step)
	}
	j.micro = c.GlobalBatch / step
	if err := field.Range(j.micro, 1, maxMicrobatches); err != nil {
		return field.Errorf("global_batch", "microbatches of a rank: %w", err)
	}
	if j.chunks > 1 && j.micro%c.PP != 0 {
		return field.Errorf("global_batch", "%d microbatches of a rank are not a multiple of %d stages, as interleaving needs", j.micro, c.PP)
	}
	return nil
}

// ranks returns the number of ranks.
func (c *Config) ranks() int { return c.TP * c.PP * c.DP * c.CP }

// words describes the configuration in one line.
func (j *job) words() string {
	var parts []string
	for _, a := range []struct {
		name string
		size int
	}{{"tp", j.TP}, {"cp", j.CP}, {"ep", j.EP}, {"dp", j.DP}, {"pp", j.PP}} {
		if a.size > 1 {
			parts = append(parts, fmt.Sprintf("%s %d", a.name, a.size))
		}
	}
	if j.shard.SequenceParallel {
		parts = append(parts, "sequence parallel")
	}
	if j.Zero > 0 {
		parts = append(parts, fmt.Sprintf("zero %d", j.Zero))
	}
	if j.Recompute != "none" {
		parts = append(parts, j.Recompute+" recomputation")
	}
	if len(parts) == 0 {
		return "one rank"
	}
	return strings.Join(parts, ", ")
}

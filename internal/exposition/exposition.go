// Package exposition writes metrics in the format of Prometheus. The text format is simple
// enough to need no library: https://prometheus.io/docs/instrumenting/exposition_formats.
package exposition

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// ContentType is the content type of the format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// The kinds of metrics.
const (
	Counter = "counter"
	Gauge   = "gauge"
)

// About writes the description of a metric; its values follow.
func About(w io.Writer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// Value writes a value of a metric, with labels: names and values in turn.
func Value(w io.Writer, name string, value float64, labels ...string) {
	fmt.Fprintf(w, "%s%s %g\n", name, braces(labels), value)
}

// One writes a metric with a single value.
func One(w io.Writer, name, kind, help string, value float64) {
	About(w, name, kind, help)
	Value(w, name, value)
}

// braces writes labels.
func braces(labels []string) string {
	if len(labels) == 0 {
		return ""
	}
	var words []string
	for pair := range slices.Chunk(labels, 2) {
		words = append(words, fmt.Sprintf("%s=%q", pair[0], pair[1]))
	}
	return "{" + strings.Join(words, ",") + "}"
}

// Histogram counts durations by size.
type Histogram struct {
	Buckets []float64 // upper ends, in seconds, ascending
	counts  []int64
	sum     float64
}

// Observe adds a duration, in seconds.
func (h *Histogram) Observe(seconds float64) {
	if h.counts == nil {
		h.counts = make([]int64, len(h.Buckets)+1)
	}
	i, _ := slices.BinarySearch(h.Buckets, seconds)
	h.counts[i]++
	h.sum += seconds
}

// Write writes the buckets, the sum and the number of durations.
func (h *Histogram) Write(w io.Writer, name string, labels ...string) {
	total := int64(0)
	for i := range len(h.Buckets) + 1 {
		if h.counts != nil {
			total += h.counts[i]
		}
		le := "+Inf"
		if i < len(h.Buckets) {
			le = fmt.Sprint(h.Buckets[i])
		}
		fmt.Fprintf(w, "%s_bucket%s %d\n", name, braces(append(slices.Clone(labels), "le", le)), total)
	}
	fmt.Fprintf(w, "%s_sum%s %g\n%s_count%s %d\n", name, braces(labels), h.sum, name, braces(labels), total)
}

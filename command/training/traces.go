package training

import (
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// TracesSchema names the JSON form of the list of traces and its version.
const TracesSchema = "lightpath.traces/v1"

// TraceList is the traces that are built in.
type TraceList struct {
	Schema string      `json:"schema"`
	Traces []TraceInfo `json:"traces"`
}

// TraceInfo sums a trace up.
type TraceInfo struct {
	Name          string     `json:"name"`
	About         []string   `json:"about"` // lines on where it comes from
	Layers        int        `json:"layers"`
	GradientBytes int64      `json:"gradient_bytes"`
	AllToAllBytes int64      `json:"alltoall_bytes"` // that a GPU sends in a minibatch
	ForwardNs     units.Time `json:"forward_ns"`
	BackwardNs    units.Time `json:"backward_ns"`
}

// Traces lists the traces that are built in.
func Traces() (*TraceList, error) {
	list := &TraceList{Schema: TracesSchema}
	for _, name := range train.Names() {
		t, err := train.Builtin(name)
		if err != nil {
			return nil, err
		}
		totals := t.Totals()
		list.Traces = append(list.Traces, TraceInfo{
			Name: t.Name, About: t.About, Layers: len(t.Layers), GradientBytes: int64(totals.Bytes),
			AllToAllBytes: int64(totals.Exchange), ForwardNs: totals.Forward.Time(), BackwardNs: totals.Backward.Time(),
		})
	}
	return list, nil
}

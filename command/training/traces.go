package training

import (
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// TracesSchema names the JSON form of the list of traces and its version.
const TracesSchema = "lightpath.traces/v1"

// TraceList lists the built-in traces.
type TraceList struct {
	Schema string      `json:"schema"`
	Traces []TraceInfo `json:"traces"`
}

// TraceInfo summarizes a trace.
type TraceInfo struct {
	Name          string     `json:"name"`
	About         []string   `json:"about"` // lines about its origin
	Layers        int        `json:"layers"`
	GradientBytes int64      `json:"gradient_bytes"`
	AllToAllBytes int64      `json:"alltoall_bytes"` // sent by each GPU per minibatch
	ForwardNs     units.Time `json:"forward_ns"`
	BackwardNs    units.Time `json:"backward_ns"`
}

// Traces lists the built-in traces.
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

package workloads

import (
	"context"
	"errors"
	"io"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// Summary is a workload with its totals. Its JSON is that of the workload.
type Summary struct {
	Workload *workload.Workload
	Graph    *workload.Graph
	// Compute is the longest chain of computation, and Busiest the longest time that a rank
	// computes. The difference is how long ranks wait for one another.
	Compute, Busiest units.Time
	// Totals are the bytes that ranks send, by kind and operation.
	Totals []workload.Total
}

// WriteJSON writes the document.
func (i *Summary) WriteJSON(to io.Writer) error { return i.Workload.Write(to) }

// MarshalJSON returns the document.
func (i *Summary) MarshalJSON() ([]byte, error) { return i.Workload.MarshalJSON() }

// Workload makes the workload of a model, or checks an existing one.
func Workload(ctx context.Context, r WorkloadRequest, _ ...command.Option) (*Summary, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	made := r.Workload
	if made == nil {
		var err error
		if made, err = parallel.Make(r.Model, r.Config); err != nil {
			return nil, err
		}
	}
	g, err := made.Graph(ctx)
	if err != nil {
		var named *field.Error
		if errors.As(err, &named) {
			return nil, field.In("workload", err)
		}
		return nil, err
	}
	i := &Summary{Workload: made, Graph: g, Busiest: g.Busiest(), Totals: g.Totals()}
	_, i.Compute = g.Ends(workload.Free)
	return i, nil
}

// ModelsSchema names the JSON form of the list of models and its version.
const ModelsSchema = "lightpath.models/v1"

// ModelList is the models and GPUs that are known by name.
type ModelList struct {
	Schema string      `json:"schema"`
	Models []ModelInfo `json:"models"`
	GPUs   []model.GPU `json:"gpus"`
}

// ModelInfo summarizes a model.
type ModelInfo struct {
	Name             string `json:"name"`
	Parameters       int64  `json:"parameters"`
	ActiveParameters int64  `json:"active_parameters"` // that one token uses
	Layers           int    `json:"layers"`
	Hidden           int    `json:"hidden"`
	Experts          int    `json:"experts"`
	Sequence         int    `json:"sequence"`
	Source           string `json:"source"`
}

// Models lists the models and GPUs that are known by name.
func Models() (*ModelList, error) {
	list := &ModelList{Schema: ModelsSchema, GPUs: model.GPUs()}
	for _, name := range model.Names() {
		m, err := model.Named(name)
		if err != nil {
			return nil, err
		}
		all, active := m.Parameters()
		list.Models = append(list.Models, ModelInfo{
			Name: name, Parameters: all, ActiveParameters: active, Layers: m.Layers, Hidden: m.Hidden, Experts: m.Experts,
			Sequence: m.Length, Source: m.Source,
		})
	}
	return list, nil
}

package exploring

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
)

// Catalog lists the operations, algorithms, planners and presets that requests may name.
type Catalog struct {
	Operations []collective.Op `json:"operations"`
	Algorithms []AlgorithmInfo `json:"algorithms"`
	Planners   []PlannerInfo   `json:"planners"`
	Presets    []PresetInfo    `json:"presets"`
}

// AlgorithmInfo describes an algorithm.
type AlgorithmInfo struct {
	Name       string          `json:"name"`
	Operations []collective.Op `json:"operations"`
	Nodes      string          `json:"nodes"`
	Ports      string          `json:"ports"`
	Options    []string        `json:"options"`
	About      string          `json:"about"`
}

// PlannerInfo describes a planner.
type PlannerInfo struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// PresetInfo describes a preset of the fabric with the source of each figure.
type PresetInfo struct {
	Name     string            `json:"name"`
	About    string            `json:"about"`
	Settings map[string]string `json:"settings"`
	Sources  map[string]string `json:"sources"`
}

// List returns the catalog, including what the options WithRegistry and WithKnown add.
func List(options ...command.Option) *Catalog {
	e := command.NewRun(options)
	c := &Catalog{Operations: collective.Ops()}
	for _, a := range e.Known.Algorithms.Algorithms() {
		info := AlgorithmInfo{Name: a.Name, Operations: a.Ops, Nodes: a.Sizes, Ports: a.Ports, Options: []string{}, About: a.About}
		for _, o := range a.Options {
			info.Options = append(info.Options, string(o))
		}
		c.Algorithms = append(c.Algorithms, info)
	}
	for _, p := range e.Search.Planners() {
		c.Planners = append(c.Planners, PlannerInfo{p.Name(), p.About()})
	}
	for _, p := range fabric.Presets() {
		info := PresetInfo{p.Name, p.About, map[string]string{}, map[string]string{}}
		for _, v := range p.Values {
			info.Settings[v.Setting] = v.Value
		}
		for _, s := range p.Sources {
			info.Sources[s.Figure] = s.Text
		}
		c.Presets = append(c.Presets, info)
	}
	return c
}

// AlgorithmList is the type of Catalog.Algorithms.
type AlgorithmList struct {
	Algorithms []AlgorithmInfo `json:"algorithms"`
}

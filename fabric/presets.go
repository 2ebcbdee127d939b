package fabric

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/lightpath-net/lightpath/internal/each"
)

//go:embed presets.yaml
var presetData []byte

// Source says where a preset's figure comes from.
type Source struct {
	Figure string `yaml:"figure"`
	Text   string `yaml:"text"`
}

// Preset is a named fabric: a real technology or the setting of a paper. Settings that it does
// not give stay unchanged.
type Preset struct {
	Name    string
	About   string
	Values  []Value
	Sources []Source
}

// Value is one setting of a preset.
type Value struct{ Setting, Value string }

// Presets lists the presets in the order of their file.
var Presets = sync.OnceValue(func() []Preset {
	presets, err := parsePresets(presetData)
	if err != nil {
		panic("fabric: presets.yaml: " + err.Error())
	}
	return presets
})

// ApplyPreset applies the settings of the named preset.
func (f *Fabric) ApplyPreset(name string) error {
	i := slices.IndexFunc(Presets(), func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return fmt.Errorf("unknown preset %q; use %s", name, strings.Join(PresetNames(), ", "))
	}
	for _, v := range Presets()[i].Values {
		if err := f.Set(v.Setting, v.Value); err != nil {
			return fmt.Errorf("%s: %s: %w", name, v.Setting, err)
		}
	}
	return nil
}

// PresetNames lists the names of the presets.
func PresetNames() []string {
	return each.Of(Presets(), func(p Preset) string { return p.Name })
}

func parsePresets(data []byte) ([]Preset, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	var presets []Preset
	top := doc.Content[0]
	for i := 0; i+1 < len(top.Content); i += 2 {
		p := Preset{Name: top.Content[i].Value}
		body := top.Content[i+1]
		for j := 0; j+1 < len(body.Content); j += 2 {
			key, value := body.Content[j].Value, body.Content[j+1]
			switch key {
			case "about":
				p.About = value.Value
			case "sources":
				if err := value.Decode(&p.Sources); err != nil {
					return nil, fmt.Errorf("line %d: %w", value.Line, err)
				}
			default:
				p.Values = append(p.Values, Value{key, value.Value})
			}
		}
		presets = append(presets, p)
	}
	return presets, nil
}

package fabric

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// maxFile limits a fabric file, which has a dozen short lines.
const maxFile = 1 << 20

// maxValue limits a value, because error messages repeat it.
const maxValue = 1 << 12

// LoadFile applies the settings of a YAML file to f: a mapping of setting names to
// values, and optionally "preset: NAME", which is applied before the others. Errors
// name the file and line.
func (f *Fabric) LoadFile(name string) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxFile {
		return fmt.Errorf("%s: larger than %d bytes; a fabric file is a short list of settings", name, maxFile)
	}
	return f.Load(name, data)
}

// Load applies the settings of YAML text; name is for error messages.
func (f *Fabric) Load(name string, data []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		if err == io.EOF {
			return fmt.Errorf("%s: empty; want settings such as nodes: 64", name)
		}
		return fmt.Errorf("%s%s", name, strict.YAMLError(err))
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case err == nil:
		return fmt.Errorf("%s:%d: a second YAML document; want one", name, second.Line)
	case err != io.EOF:
		return fmt.Errorf("%s%s", name, strict.YAMLError(err))
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: want a mapping of settings such as nodes: 64", name, max(doc.Line, 1))
	}
	loaded := *f
	if err := loaded.apply(name, doc.Content[0]); err != nil {
		return err
	}
	*f = loaded
	return nil
}

func (f *Fabric) apply(name string, mapping *yaml.Node) error {
	seen := map[string]bool{}
	for pass, wantPreset := range []bool{true, false} {
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			key, value := mapping.Content[i], mapping.Content[i+1]
			at := fmt.Sprintf("%s:%d: %s", name, key.Line, label(key.Value))
			if pass == 0 {
				if seen[key.Value] {
					return fmt.Errorf("%s: set twice", at)
				}
				seen[key.Value] = true
				if value.Kind != yaml.ScalarNode {
					return fmt.Errorf("%s: want a single value", at)
				}
				if len(value.Value) > maxValue {
					return fmt.Errorf("%s: longer than %d bytes", at, maxValue)
				}
			}
			if (key.Value == "preset") != wantPreset {
				continue
			}
			set := f.Set
			if wantPreset {
				set = func(_, preset string) error { return f.ApplyPreset(preset) }
			}
			if err := set(key.Value, value.Value); err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
		}
	}
	return nil
}

// label returns a key for a message: on one line, and short.
func label(key string) string {
	const longest = 40
	if len(key) > longest {
		key = key[:longest] + "..."
	}
	if quoted := strconv.Quote(key); key == "" || quoted != `"`+key+`"` {
		return quoted
	}
	return key
}

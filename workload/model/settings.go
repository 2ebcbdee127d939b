package model

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// settings reads a YAML mapping into a struct, strictly: every key is a field and occurs once,
// and every value has the field's type. The YAML library would round 24.5 layers, and its
// errors would mention its own types.
func settings(node *yaml.Node, into reflect.Value) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want settings such as layers: 32", node.Line)
	}
	fields, names := map[string]reflect.Value{}, []string{}
	for i := range into.NumField() {
		name := into.Type().Field(i).Tag.Get("yaml")
		fields[name], names = into.Field(i), append(names, name)
	}
	set := map[string]int{} // the line
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		to, ok := fields[key.Value]
		switch before, twice := set[key.Value]; {
		case !ok:
			return fmt.Errorf("line %d: no setting %.40q; want %s", key.Line, key.Value, strings.Join(names, ", "))
		case twice:
			return fmt.Errorf("line %d: %s is set in line %d already", key.Line, key.Value, before)
		}
		set[key.Value] = key.Line
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			if err := settings(value, to.Elem()); err != nil {
				return err
			}
			continue
		}
		if err := setting(value, to); err != nil {
			return fmt.Errorf("line %d: %s: %w", value.Line, key.Value, err)
		}
	}
	return nil
}

// setting reads one value.
func setting(value *yaml.Node, to reflect.Value) error {
	text := value.Value
	if value.Kind != yaml.ScalarNode {
		return fmt.Errorf("a list or a mapping; want one value")
	}
	switch to.Kind() {
	case reflect.Int:
		n, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
		if err != nil || value.Tag != "!!int" {
			return fmt.Errorf("%.40q; want a whole number", text)
		}
		to.SetInt(int64(n))
	case reflect.Bool:
		if value.Tag != "!!bool" || text != "true" && text != "false" {
			return fmt.Errorf("%.40q; want true or false", text)
		}
		to.SetBool(text == "true")
	default:
		to.SetString(text)
	}
	return nil
}

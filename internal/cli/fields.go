package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// fieldsCommand is the command line of a command that has none of its own: a flag for every
// field of its request, by the rule that relates the two (flags are fields in kebab case,
// without the unit at their end). Flags become the JSON form of the request, so that they mean
// what that means. A field says what it is for in the tag `help`.
func (s *session) fieldsCommand(asked *lightpath.Command) *cobra.Command {
	c := &cobra.Command{
		Use: asked.Name, Short: asked.About, Long: asked.About + ".\n\nAs JSON: " + asked.Example,
		Example: "  lightpath " + asked.Name,
		Args:    cobra.NoArgs,
	}
	c.Flags().SortFlags = false
	fields := map[string]*fieldFlag{} // by flag
	var machine *fabricFlags
	for _, f := range reflect.VisibleFields(asked.Request) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous || name == "" || name == "-":
		case f.Type == reflect.TypeFor[fabric.Fabric]():
			machine = addFabricFlags(c)
		default:
			flag := newFieldFlag(name, f.Type)
			fields[flag.name()] = flag
			c.Flags().Var(flag, flag.name(), f.Tag.Get("help"))
			if f.Type.Kind() == reflect.Bool {
				c.Flags().Lookup(flag.name()).NoOptDefVal = "true"
			}
		}
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		doc := map[string]json.RawMessage{}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if flag := fields[name]; c.Flags().Changed(name) {
				value, err := flag.json()
				if err != nil {
					return fmt.Errorf("--%s: %w", name, err)
				}
				doc[flag.field] = value
			}
		}
		if machine != nil {
			made, err := machine.fabric(c)
			if err != nil {
				return err
			}
			if doc["fabric"], err = json.Marshal(made); err != nil {
				return err
			}
		}
		text, err := json.Marshal(doc)
		if err != nil {
			return err
		}
		request, err := asked.Read(text)
		if err != nil {
			return blame(c, err)
		}
		if err := s.asks(request); err != nil {
			return err
		}
		bar := s.progress(asked.Name)
		answer, err := asked.Ask(c.Context(), request, bar.options()...)
		bar.end()
		if err != nil {
			return blame(c, err)
		}
		return s.print(answer)
	}
	return c
}

// fieldFlag is a flag that fills a field of a request.
type fieldFlag struct {
	field string // the name in JSON, which may be spelt without its unit
	kind  reflect.Kind
	text  string
}

func newFieldFlag(name string, t reflect.Type) *fieldFlag {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	f := &fieldFlag{field: name, kind: t.Kind()}
	for _, unit := range strict.Units() {
		if short, ok := strings.CutSuffix(name, unit); ok { // then text with a unit will do
			f.field, f.kind = short, reflect.String
		}
	}
	return f
}

func (f *fieldFlag) name() string { return strings.ReplaceAll(f.field, "_", "-") }

// String, Set and Type implement pflag.Value.
func (f *fieldFlag) String() string     { return f.text }
func (f *fieldFlag) Set(s string) error { f.text = s; return nil }

func (f *fieldFlag) Type() string {
	switch f.kind {
	case reflect.Bool:
		return "bool"
	case reflect.String:
		return "TEXT"
	case reflect.Struct, reflect.Slice, reflect.Map:
		return "JSON"
	}
	return "N"
}

// json is the value as JSON has it.
func (f *fieldFlag) json() (json.RawMessage, error) {
	if f.kind == reflect.String {
		return json.Marshal(f.text)
	}
	if !json.Valid([]byte(f.text)) {
		if f.kind == reflect.Struct { // many have a form that is one word
			return json.Marshal(f.text)
		}
		return nil, fmt.Errorf("%q; want %s", f.text, f.Type())
	}
	return json.RawMessage(f.text), nil
}

package field

import (
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Options are fields that a part of the program adds to requests: a planner, a compile target.
// They are a pointer to a struct whose fields have the tags that Info describes; flags,
// requests, JSON and schemas are made from those.
type Options interface {
	// Complete fills in the defaults and reports the first invalid field.
	Complete() error
}

// Inline is the option of a tag, json:",inline", that makes the fields of a struct, or of the
// structs in a list, fields of the enclosing struct.
const Inline = "inline"

// Value is a field with its value.
type Value struct {
	Info
	Field reflect.StructField
	Value reflect.Value
}

// All yields the fields of a struct that are in its JSON form, in order, including those of
// embedded and inline structs. of is the struct or a pointer to it.
func All(of any) iter.Seq[Value] {
	return func(yield func(Value) bool) { all(reflect.ValueOf(of), yield) }
}

func all(v reflect.Value, yield func(Value) bool) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || all(v.Elem(), yield)
	case reflect.Slice:
		for i := range v.Len() {
			if !all(v.Index(i), yield) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			info := Describe(f)
			switch {
			case IsInline(f):
				if !all(v.Field(i), yield) {
					return false
				}
			case info.Name == "" || !f.IsExported():
			case !yield(Value{info, f, v.Field(i)}):
				return false
			}
		}
	}
	return true
}

// IsInline reports whether the fields of a field belong to the enclosing struct.
func IsInline(f reflect.StructField) bool {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name == "" && (f.Anonymous || slices.Contains(strings.Split(options, ","), Inline))
}

// Worded is a type of field that lists its possible values, for help and completion.
type Worded interface{ Words() []string }

// Check reports the first field of a struct whose number is below its least one (Info.Check).
func Check(of any) error {
	for f := range All(of) {
		if err := f.Check(f.Value); err != nil {
			return In(f.Name, err)
		}
	}
	return nil
}

// Changed returns the fields of a struct that differ from those of another struct of the same
// type.
func Changed(from, to any) []Value {
	before := slices.Collect(All(from))
	var changed []Value
	for f := range All(to) {
		if !reflect.DeepEqual(f.Value.Interface(), before[0].Value.Interface()) {
			changed = append(changed, f)
		}
		before = before[1:]
	}
	return changed
}

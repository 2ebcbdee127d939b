package field

import (
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Options are fields that a part of the program adds to requests: a planner, a compile target. They
// are a pointer to a struct whose fields say of themselves what Info tells; flags, requests, JSON
// and schemas are made from that.
type Options interface {
	// Complete fills in the defaults and reports the first field that makes no sense.
	Complete() error
}

// Inline is the option of a tag, json:",inline", that has the fields of a struct, or of the structs
// in a list, be those of the struct around it.
const Inline = "inline"

// Value is a field with its value.
type Value struct {
	Info
	Field reflect.StructField
	Value reflect.Value
}

// All yields the fields of a struct that its JSON form has, in their order: those of embedded
// structs and of inline ones included. The struct is given by itself or by a pointer.
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

// IsInline reports whether the fields of a field are those of the struct around it.
func IsInline(f reflect.StructField) bool {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name == "" && (f.Anonymous || slices.Contains(strings.Split(options, ","), Inline))
}

// Worded is a type of fields that lists the words that they may be, for help and completion.
type Worded interface{ Words() []string }

// Changed returns the fields of a struct that differ from those of another of its type.
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

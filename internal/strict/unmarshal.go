package strict

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/field"
)

// Unmarshal reads JSON into the value that a pointer points to, by the rules of encoding/json,
// with these differences:
//
//   - names must be exact, known and unique, and lists for arrays must have their length;
//   - null is allowed only for pointers, lists and maps;
//   - fields of a struct with the tag json:",inline" are read like those of an embedded struct,
//     because a type parameter cannot be embedded; so are the fields of the structs to which a
//     list with this tag points;
//   - a quantity whose name ends in its unit, such as size_bytes, may also be given as
//     text under the name without it: "size": "4MiB";
//   - a number must not be below the least one that the tag of its field gives (field.Info).
//
// Types with their own UnmarshalJSON use it. Errors are field.Errors.
func Unmarshal(data []byte, into any) error {
	d := NewReader(bytes.NewReader(data))
	if err := d.Value(into); err != nil {
		return err
	}
	return d.End()
}

// Value reads the next value as Unmarshal does.
func (d *Reader) Value(into any) error {
	err := d.value(reflect.ValueOf(into).Elem())
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (d *Reader) value(v reflect.Value) error {
	if own, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		return own.UnmarshalJSON(raw)
	}
	if own, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		text, err := d.Text()
		if err != nil {
			return err
		}
		return own.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if null, err := d.Null(); null || err != nil {
			v.SetZero()
			return err
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.value(v.Elem())
	case reflect.Struct:
		return d.structure(v)
	case reflect.Slice:
		return d.slice(v)
	case reflect.Array:
		return d.array(v)
	case reflect.Map:
		return d.mapping(v)
	case reflect.String:
		text, err := d.Text()
		v.SetString(text)
		return err
	case reflect.Bool:
		b, err := d.Bool()
		v.SetBool(b)
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := d.Int(v.Type().Bits())
		v.SetInt(n)
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return d.unsigned(v)
	case reflect.Float64, reflect.Float32:
		x, err := d.Float()
		v.SetFloat(x)
		return err
	}
	return fmt.Errorf("strict: no form for %v", v.Type())
}

func (d *Reader) unsigned(v reflect.Value) error {
	text, err := d.number()
	if err != nil {
		return err
	}
	n := uint64(0)
	if json.Unmarshal(text, &n) != nil || v.OverflowUint(n) {
		return fmt.Errorf("%s is not a whole number from 0 on that fits", short(text))
	}
	v.SetUint(n)
	return nil
}

func (d *Reader) slice(v reflect.Value) error {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	return d.List(func(i int) error {
		v.Grow(1)
		v.SetLen(i + 1)
		v.Index(i).SetZero()
		return at(fmt.Sprintf("[%d]", i), d.value(v.Index(i)))
	})
}

func (d *Reader) array(v reflect.Value) error {
	count := 0
	wrong := func(n string) error { return fmt.Errorf("want a list of %d, not of %s", v.Len(), n) }
	err := d.List(func(i int) error {
		if count++; i >= v.Len() {
			return wrong("more")
		}
		return at(fmt.Sprintf("[%d]", i), d.value(v.Index(i)))
	})
	if err == nil && count < v.Len() {
		err = wrong(fmt.Sprint(count))
	}
	return err
}

func (d *Reader) mapping(v reflect.Value) error {
	if v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("strict: no form for %v", v.Type())
	}
	v.Set(reflect.MakeMap(v.Type()))
	return d.Object(func(name string) error {
		element := reflect.New(v.Type().Elem()).Elem()
		if err := at(name, d.value(element)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), element)
		return nil
	})
}

// at adds to errors the place where they happened, except to the error that the text has ended.
func at(place string, err error) error {
	if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return field.In(place, err)
}

// structs caches information on the types that were read.
type structs map[reflect.Type]*structInfo

type structInfo struct {
	members map[string]member
	names   []string // in order, without second names
	listed  bool     // some members depend on the value: structs in a list
}

// member is the field for a name of an object.
type member struct {
	index []int // of fields, and of structs in a list
	kind  reflect.Type
	name  string      // its written name
	text  bool        // text under a second name
	least *field.Info // if its tag gives a least number
}

func (d *Reader) structure(v reflect.Value) error {
	info := d.known[v.Type()]
	if info == nil {
		if info = describe(v); !info.listed {
			d.known[v.Type()] = info
		}
	}
	var set nameSet
	return d.Object(func(name string) error {
		m, ok := info.members[name]
		if !ok {
			return field.In(shortName(name), info.unknown(name))
		}
		if !set.add(m.name) {
			return field.Errorf(name, "given twice, as %s too", m.name)
		}
		target := reach(v, m.index)
		if !m.text {
			err := d.value(target)
			if err == nil && m.least != nil {
				err = m.least.Check(target)
			}
			return at(name, err)
		}
		if target.Kind() == reflect.Pointer {
			target.Set(reflect.New(target.Type().Elem()))
			target = target.Elem()
		}
		text, err := d.Text()
		if err == nil {
			err = target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
		}
		return at(name, err)
	})
}

// reach follows an index, allocating embedded pointers and quantities.
func reach(v reflect.Value, index []int) reflect.Value {
	for i, x := range index {
		if v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		if v.Kind() == reflect.Slice {
			v = v.Index(x)
		} else {
			v = v.Field(x)
		}
	}
	return v
}

func shortName(name string) string {
	const most = 40
	if len(name) > most {
		return name[:most] + ".."
	}
	return name
}

// unknown returns the error for an unknown name, which lists the known ones.
func (info *structInfo) unknown(name string) error {
	for _, known := range info.names {
		if strings.EqualFold(known, name) {
			return fmt.Errorf("unknown; did you mean %s?", known)
		}
	}
	return fmt.Errorf("unknown; want %s", strings.Join(info.names, ", "))
}

// Units returns the endings of names that give a unit.
func Units() []string { return []string{"_bytes", "_ns", "_bps"} }

// describe lists the members of a struct, including those of embedded structs.
func describe(v reflect.Value) *structInfo {
	info := &structInfo{members: map[string]member{}}
	info.add(v.Type(), v, nil)
	for _, name := range slices.Clone(info.names) {
		m := info.members[name]
		if !isQuantity(m.kind) {
			continue
		}
		for _, unit := range Units() {
			second, ok := strings.CutSuffix(name, unit)
			if _, taken := info.members[second]; ok && !taken {
				info.members[second] = member{index: m.index, name: name, text: true}
			}
		}
	}
	return info
}

// isQuantity reports whether values of a type are numbers in JSON that can be read from
// text with a unit.
func isQuantity(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	return t.Kind() == reflect.Int64 && p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) &&
		p.Implements(reflect.TypeFor[json.Unmarshaler]())
}

// add adds the members of a struct. Its value is not valid if there is none yet.
func (info *structInfo) add(t reflect.Type, v reflect.Value, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		here := append(slices.Clone(index), i)
		switch {
		case name == "-":
		case field.IsInline(f):
			inner := reflect.Value{}
			if v.IsValid() {
				inner = v.Field(i)
			}
			info.addInline(f.Type, inner, here)
		case !f.IsExported():
		default:
			name = cmp.Or(name, f.Name)
			if _, taken := info.members[name]; !taken {
				m := member{index: here, kind: f.Type, name: name}
				if _, given := f.Tag.Lookup("least"); given {
					said := field.Describe(f)
					m.least = &said
				}
				info.members[name] = m
				info.names = append(info.names, name)
			}
		}
	}
}

// addInline adds the members of a struct, of the target of a pointer, or of the structs in a
// list.
func (info *structInfo) addInline(t reflect.Type, v reflect.Value, index []int) {
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsValid() {
			v = v.Elem()
		}
		info.addInline(t.Elem(), v, index)
	case reflect.Struct:
		info.add(t, v, index)
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Interface || !v.IsValid() {
			return
		}
		info.listed = true
		for i := range v.Len() {
			if one := v.Index(i).Elem(); one.IsValid() {
				info.addInline(one.Type(), one, append(slices.Clone(index), i))
			}
		}
	}
}

// Package bind turns the fields of requests into flags. Names, help, defaults and completion
// come from the tags of a field (field.Info), and the field's own type parses its value. A new
// field of a request becomes a flag without any other change.
package bind

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// Spelling describes fields on the command line, beyond their tags and types.
type Spelling struct {
	Name   string                         // JSON name of the fields; "": any
	Type   reflect.Type                   // of fields; nil: any
	Also   string                         // help for what else may be given, e.g. a file
	Words  func() []string                // for completion, if neither help nor the type lists them
	Listed bool                           // help lists the words
	Read   func(text string) (any, error) // nil: the type's own reader
}

// Binder binds fields, by the first spelling that fits.
type Binder struct {
	Spellings []Spelling
	// Prefix, if not nil, returns the beginning of a flag's help.
	Prefix func(flag string) string
}

// Flag returns the flag of a field: the one it names, or its own name.
func Flag(i *field.Info) string {
	if i.Flag != "" {
		return i.Flag
	}
	return Name(i.Name)
}

// Name turns a JSON name into a flag: without a unit at its end, in kebab case.
func Name(name string) string {
	for _, unit := range strict.Units() {
		name = strings.TrimSuffix(name, unit)
	}
	return strings.ReplaceAll(name, "_", "-")
}

// Spell replaces fields in a message by flags: those of the request may have flags of other names.
func Spell(request any, text string) string {
	return field.Spell(text, func(name string) string {
		for f := range field.All(request) {
			if f.Name == name && f.Flag != "" {
				return "--" + f.Flag
			}
		}
		return "--" + strings.ReplaceAll(name, "_", "-")
	})
}

// bound is a field and its flag.
type bound struct {
	field.Info
	Spelling
	flag  string
	value reflect.Value
}

// fields lists the fields of a request, given by a pointer, except for some JSON names.
func (b *Binder) fields(request any, except []string) (all []bound) {
	for f := range field.All(request) {
		if slices.Contains(except, f.Name) {
			continue
		}
		one := bound{Info: f.Info, flag: Flag(&f.Info), value: f.Value}
		if worded, ok := f.Value.Interface().(field.Worded); ok {
			one.Spelling = Spelling{Words: worded.Words, Listed: true}
		}
		for _, form := range b.Spellings {
			if (form.Name == "" || form.Name == f.Name) && (form.Type == nil || form.Type == f.Value.Type()) {
				one.Spelling = form
				break
			}
		}
		all = append(all, one)
	}
	return all
}

// Flags defines a flag for every field of a request, except some. It does not change flags that
// the command already has.
func (b *Binder) Flags(c *cobra.Command, request any, except ...string) {
	c.Flags().SortFlags = false
	for _, f := range b.fields(request, except) {
		if c.Flags().Lookup(f.flag) != nil {
			continue
		}
		usage := f.usage()
		if b.Prefix != nil {
			usage = b.Prefix(f.flag) + usage
		}
		holder := newText(f.value.Type(), f.Default)
		holder.named = cmp.Or(f.Placeholder, holder.named)
		flag := c.Flags().VarPF(holder, f.flag, "", usage)
		if holder.kind == switches {
			flag.NoOptDefVal = "true"
		}
		switch words := f.Info.Words(); {
		case f.Spelling.Words != nil:
			Offer(c, f.flag, f.Spelling.Words)
		case words != nil:
			Offer(c, f.flag, func() []string { return words })
		}
	}
}

// usage returns the help of a flag.
func (f *bound) usage() string {
	usage := f.Say(func(value string) string { return "`" + value + "`" }, func(name string) string { return "--" + Name(name) })
	if f.Also != "" {
		usage += ", or " + f.Also
	}
	if f.Listed {
		usage += ": " + strings.Join(f.Spelling.Words(), " | ")
	}
	return usage
}

// Fill fills the fields of a request whose flags were given. An error names the flag.
func (b *Binder) Fill(c *cobra.Command, request any, except ...string) error {
	for _, f := range b.fields(request, except) {
		flag := c.Flags().Lookup(f.flag)
		if flag == nil || !flag.Changed {
			continue
		}
		if err := f.fill(flag); err != nil {
			return fmt.Errorf("--%s: %w", f.flag, err)
		}
	}
	return nil
}

// Given lists the given flags of a request's fields, except for some fields.
func (b *Binder) Given(c *cobra.Command, request any, except ...string) (names []string) {
	for _, f := range b.fields(request, except) {
		if c.Flags().Changed(f.flag) {
			names = append(names, f.flag)
		}
	}
	return names
}

// fill reads the flag's values, given once or several times.
func (f *bound) fill(flag *pflag.Flag) error {
	holder, ok := flag.Value.(*Text)
	if !ok || holder.kind != lists {
		return f.readGiven(flag.Value.String())
	}
	for _, one := range holder.given {
		item := reflect.New(f.value.Type().Elem()).Elem()
		if err := read(item, one); err != nil {
			return err
		}
		f.value.Set(reflect.Append(f.value, item))
	}
	return nil
}

// readGiven reads a value. It refuses a zero unless that is the default, because a zero would
// mean that nothing was given.
func (f *bound) readGiven(given string) error {
	if f.Read != nil {
		value, err := f.Read(given)
		if err == nil {
			f.value.Set(reflect.ValueOf(value))
		}
		return err
	}
	standard := reflect.New(f.value.Type()).Elem()
	// A default that cannot be read is a word such as auto, which is zero.
	plain := f.Default == "" || read(standard, f.Default) == nil
	if !plain && given == f.Default {
		return nil
	}
	if err := read(f.value, given); err != nil {
		if isNumber(f.value) && !plain {
			err = fmt.Errorf("%w, or %s", err, f.Default)
		}
		return err
	}
	zeroMeant := plain && f.Default != "" && standard.IsZero()
	return aboveZero(f.value, &f.Info, zeroMeant)
}

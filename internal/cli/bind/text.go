package bind

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// kind is the form of a value, as far as it matters to flags.
type kind int

const (
	words kind = iota
	switches
	whole    // a number
	natural  // without a sign
	numbers  // with a fraction
	lists    // given several times
	document // JSON
)

// Text is a flag that keeps its text, to be read later.
type Text struct {
	kind  kind
	named string // default name of the value in help: SIZE, TIME
	shown string
	given []string
}

// NewText returns a flag with a default, whose value has a name in the help.
func NewText(standard, named string) *Text { return &Text{shown: standard, named: named} }

// newText returns a flag for values of a type.
func newText(t reflect.Type, standard string) *Text {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	made := &Text{kind: kindOf(t), shown: standard}
	if quantity, ok := reflect.New(t).Interface().(interface{ Type() string }); ok {
		made.named = strings.Replace(strings.ToUpper(quantity.Type()), "DURATION", "TIME", 1)
	}
	return made
}

// kindOf returns the form of values of a type.
func kindOf(t reflect.Type) kind {
	v := reflect.New(t)
	if _, own := v.Interface().(encoding.TextUnmarshaler); own {
		return words
	}
	switch e := v.Elem(); {
	case e.Kind() == reflect.Bool:
		return switches
	case e.CanInt():
		return whole
	case e.CanUint():
		return natural
	case e.CanFloat():
		return numbers
	case e.Kind() == reflect.Slice && reflect.PointerTo(t.Elem()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return lists
	case e.Kind() == reflect.Struct || e.Kind() == reflect.Slice || e.Kind() == reflect.Map:
		return document
	}
	return words
}

// String returns the last text given, or the default.
func (t *Text) String() string { return t.shown }

// Set keeps the text. For numbers, it refuses a text that is not a number.
func (t *Text) Set(given string) (err error) {
	switch t.kind {
	case switches:
		_, err = strconv.ParseBool(given)
	case whole:
		_, err = strconv.ParseInt(given, 0, 64)
	case natural:
		_, err = strconv.ParseUint(given, 0, 64)
	}
	t.shown, t.given = given, append(t.given, given)
	return err
}

// Type returns the name of the value in help.
func (t *Text) Type() string {
	switch {
	case t.named != "":
		return t.named
	case t.kind == switches:
		return "bool"
	case t.kind == whole || t.kind == natural || t.kind == numbers:
		return "N"
	case t.kind == document:
		return "JSON"
	}
	return "TEXT"
}

// called is a flag whose value has another name in the help.
type called struct {
	pflag.Value
	name string
}

// Type returns the name of the value in help.
func (c called) Type() string { return c.name }

// Call names the values of flags in the help, for flags of numbers and times whose texts do not.
func Call(set *pflag.FlagSet, value string, flags ...string) {
	for _, name := range flags {
		f := set.Lookup(name)
		if f.Value = (called{f.Value, value}); f.DefValue == "0" || f.DefValue == "0s" {
			f.DefValue = "" // as help leaves out the zeros of numbers and times
		}
	}
}

// Offer makes the shell complete a flag with one of some words.
func Offer(c *cobra.Command, flag string, list func() []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return Beginning(list(), typed), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // a missing or duplicate flag is a bug
	}
}

// Beginning returns the words that begin with what was typed.
func Beginning(list []string, typed string) (fit []string) {
	for _, w := range list {
		if strings.HasPrefix(w, typed) {
			fit = append(fit, w)
		}
	}
	return fit
}

package bind

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// kind is how a value is written, as far as flags differ in that.
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

// Text is a flag that keeps what was given, to be read later.
type Text struct {
	kind  kind
	named string // what help calls the value where it does not say it: SIZE, TIME
	shown string
	given []string
}

// NewText returns a flag with a default, whose value has a name in the help.
func NewText(standard, named string) *Text { return &Text{shown: standard, named: named} }

// newText is a flag for values of a type.
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

// kindOf says how values of a type are written.
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

// String is what was given last, or the default.
func (t *Text) String() string { return t.shown }

// Set keeps what is given. What is no number at all is refused at once.
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

// Type is what help calls the value.
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

// Offer has the shell complete a flag with one of some words.
func Offer(c *cobra.Command, flag string, list func() []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return Beginning(list(), typed), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // a flag that is not there, or twice: a slip in the program
	}
}

// Beginning returns the words that begin as what was typed.
func Beginning(list []string, typed string) (fit []string) {
	for _, w := range list {
		if strings.HasPrefix(w, typed) {
			fit = append(fit, w)
		}
	}
	return fit
}

// Package field describes the fields of requests and files. It has the error that names a wrong
// field, so that a caller can point at the place to correct (a flag, a line of a form, a member
// of a JSON object), what the tags of a field declare, and the options that planners and
// formats add.
package field

import (
	"fmt"
	"regexp"
	"strings"
)

// Error says what is wrong with a field.
type Error struct {
	// Path leads to the field, by the names of its JSON form: "fabric.reconfig",
	// "operations[0].size_bytes".
	Path string
	// Err says what is wrong with it and what would be right. It does not repeat the path.
	Err error
}

// Error returns the path and what is wrong.
func (e *Error) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an error for a field.
func Errorf(path, format string, args ...any) error {
	return &Error{Path: path, Err: fmt.Errorf(format, args...)}
}

// In adds a path to an error: the path of an Error is extended at the front, and any other
// error gets one. It returns nil for nil.
func In(path string, err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case *Error:
		return &Error{Path: Join(path, e.Path), Err: e.Err}
	}
	return &Error{Path: path, Err: err}
}

// Join joins two parts of a path.
func Join(outer, inner string) string {
	if outer == "" || inner == "" || strings.HasPrefix(inner, "[") {
		return outer + inner
	}
	return outer + "." + inner
}

// Index returns the path of an element of a list.
func Index(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// OutOfRange says that a number is not in a range. It is a separate type because a server of
// requests may accept a smaller range than the library does.
type OutOfRange struct{ Value, Least, Most int }

// Range returns an OutOfRange if a number is not in a range.
func Range(value, least, most int) error {
	if least <= value && value <= most {
		return nil
	}
	return &OutOfRange{value, least, most}
}

// Error returns the number and the range.
func (e *OutOfRange) Error() string {
	return fmt.Sprintf("%d is not in %d..%d", e.Value, e.Least, e.Most)
}

// mentioned matches how a message or a help text mentions a field: by its name in JSON, in
// backquotes.
var mentioned = regexp.MustCompile("`[a-z][a-z_]*`")

// Spell replaces the fields that a message mentions by other words: a command line uses flags,
// a form its labels. The library itself knows neither.
func Spell(text string, say func(name string) string) string {
	return mentioned.ReplaceAllStringFunc(text, func(m string) string { return say(strings.Trim(m, "`")) })
}

// Plain replaces the fields that a message mentions by their names, without backquotes.
func Plain(text string) string {
	return Spell(text, func(name string) string { return strings.ReplaceAll(name, "_", " ") })
}

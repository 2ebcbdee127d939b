package number

import (
	"fmt"
	"strings"
)

// Type is the type of the elements of a buffer. In memory and on the wire they are
// little-endian.
type Type string

// The types.
const (
	Float32  Type = "float32"
	Float64  Type = "float64"
	Int32    Type = "int32"
	BFloat16 Type = "bfloat16"
)

// Types lists the types.
func Types() []Type { return []Type{Float32, Float64, Int32, BFloat16} }

// Parse returns the type of that name.
func Parse(name string) (Type, error) {
	var names []string
	for _, t := range Types() {
		if string(t) == name {
			return t, nil
		}
		names = append(names, string(t))
	}
	return "", fmt.Errorf("unknown type %q; use %s", name, strings.Join(names, ", "))
}

// Size returns the bytes of one element.
func (t Type) Size() int {
	switch t {
	case Float64:
		return 8
	case BFloat16:
		return 2
	}
	return 4
}

// precision returns the bits of a float's significand, including the hidden bit; 0 for integers.
func (t Type) precision() int {
	switch t {
	case Float64:
		return 53
	case Float32:
		return 24
	case BFloat16:
		return 8
	}
	return 0
}

// Exact reports whether sums do not depend on the order of additions.
func (t Type) Exact() bool { return t.precision() == 0 }

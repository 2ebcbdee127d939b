package bind

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/lightpath-net/lightpath/field"
)

// read reads a value from text: by its type's own reader, by its kind, or as JSON.
func read(into reflect.Value, given string) error {
	if into.Kind() == reflect.Pointer {
		made := reflect.New(into.Type().Elem())
		if err := read(made.Elem(), given); err != nil {
			return err
		}
		into.Set(made)
		return nil
	}
	if own, ok := into.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return own.UnmarshalText([]byte(given))
	}
	switch {
	case into.Kind() == reflect.String:
		into.SetString(given)
	case into.Kind() == reflect.Bool:
		on, err := strconv.ParseBool(given)
		into.SetBool(on)
		return err
	case into.CanInt():
		n, err := strconv.ParseInt(given, 0, into.Type().Bits())
		into.SetInt(n)
		return err
	case into.CanUint():
		n, err := strconv.ParseUint(given, 0, into.Type().Bits())
		into.SetUint(n)
		return err
	case into.CanFloat():
		x, err := strconv.ParseFloat(given, into.Type().Bits())
		if err != nil || !(x > 0) {
			return fmt.Errorf("%.40q; want a number above 0", given)
		}
		into.SetFloat(x)
	default:
		return readJSON(into, given)
	}
	return nil
}

// readJSON reads a value that has no other text form. Many types also have a one-word form.
func readJSON(into reflect.Value, given string) error {
	data := []byte(given)
	if !json.Valid(data) {
		var err error
		if data, err = json.Marshal(given); err != nil {
			return err
		}
	}
	return json.Unmarshal(data, into.Addr().Interface())
}

func isNumber(v reflect.Value) bool { return v.CanInt() || v.CanUint() || v.CanFloat() }

// aboveZero refuses a number below the least one allowed, or a quantity of zero.
func aboveZero(v reflect.Value, of *field.Info, zeroMeant bool) error {
	switch {
	case v.CanInt() && v.Type().NumMethod() == 0:
		if v.Int() == 0 && (!zeroMeant || of.Least > 1) {
			return fmt.Errorf("0; want %d or more", of.Least)
		}
		return of.Check(v)
	case v.CanInt() && v.IsZero() && !zeroMeant: // a quantity
		return fmt.Errorf("must be above %v", v.Interface())
	}
	return nil
}

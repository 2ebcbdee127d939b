package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// Request is a question to a command: a plain value whose zero fields mean documented
// defaults, with a JSON form in which fields have the names of the flags.
type Request interface {
	// Complete fills in the defaults. It reports the first invalid field, as a
	// field.Error.
	Complete() error
}

// WriteRequest writes the JSON form of a request with inline fields, which package json does not
// support.
func WriteRequest(plain any) ([]byte, error) {
	whole := []byte("{}")
	for f := range field.All(plain) {
		alone := reflect.New(reflect.StructOf([]reflect.StructField{{Name: f.Field.Name, Type: f.Field.Type, Tag: f.Field.Tag}})).Elem()
		alone.Field(0).Set(f.Value)
		text, err := json.Marshal(alone.Interface())
		if err != nil {
			return nil, err
		}
		whole = Besides(whole, text)
	}
	return whole, nil
}

// ReadRequest reads the JSON form of a request into its plain type.
func ReadRequest(data []byte, into any) error {
	err := strict.Unmarshal(data, into)
	var named *field.Error
	if err == nil || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("not a request in JSON: %w", err)
}

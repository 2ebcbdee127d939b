package command

import (
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// Request is a question to a command: a plain value whose zero fields mean documented
// defaults, with a JSON form in which fields have the names of the flags.
type Request interface {
	// Complete fills in the defaults. It reports the first field that makes no sense, as a
	// field.Error.
	Complete() error
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

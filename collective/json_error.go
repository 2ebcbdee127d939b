package collective

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonError says what is wrong with JSON text in words that know nothing of Go; what is
// the thing that was wanted.
func jsonError(err error, what string) error {
	var kind *json.UnmarshalTypeError
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return fmt.Errorf("the file ends in the middle of %s", what)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("want %s, found a JSON %s", what, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: a JSON %s does not fit there", kind.Field, kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

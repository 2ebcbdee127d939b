package strict

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Decode reads one value that may have unknown fields, and nothing after it. Its errors name fields
// and kinds of JSON, not types of Go.
func Decode(r io.Reader, into any) error {
	decoder := json.NewDecoder(r)
	if err := decoder.Decode(into); err != nil {
		var kind *json.UnmarshalTypeError
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("empty")
		case errors.Is(err, io.ErrUnexpectedEOF):
			return errors.New("truncated: the JSON ends too early")
		case !errors.As(err, &kind):
			return err
		case kind.Field == "":
			return fmt.Errorf("JSON of another kind (%s)", kind.Value)
		}
		return fmt.Errorf("%s is of the wrong kind (%s)", kind.Field, kind.Value)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more after the end of the JSON")
	}
	return nil
}

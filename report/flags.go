package report

import (
	"strings"

	"github.com/lightpath-net/lightpath/field"
)

// InFlags has a message of the library mention flags where it mentions fields of a request.
func InFlags(text string) string {
	return field.Spell(text, func(name string) string {
		return "--" + strings.ReplaceAll(name, "_", "-")
	})
}

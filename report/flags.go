package report

import (
	"strings"

	"github.com/lightpath-net/lightpath/field"
)

// InFlags replaces fields of a request in a message of the library by flags.
func InFlags(text string) string {
	return field.Spell(text, func(name string) string {
		return "--" + strings.ReplaceAll(name, "_", "-")
	})
}

package report

import (
	"strings"

	"github.com/lightpath-net/lightpath/field"
)

// flags are those whose name is not that of their field.
var flags = map[string]string{"figures": "--html DIR"}

// InFlags has a message of the library mention flags where it mentions fields of a request.
func InFlags(text string) string {
	return field.Spell(text, func(name string) string {
		if flag, ok := flags[name]; ok {
			return flag
		}
		return "--" + strings.ReplaceAll(name, "_", "-")
	})
}

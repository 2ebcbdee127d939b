package strict

import "strings"

// YAMLError rewrites an error of the YAML library, "yaml: line 3: text" over one or more lines,
// in the form that follows the name of a file: ":3: text".
func YAMLError(err error) string {
	text := strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if line, rest, ok := strings.Cut(rest, ": "); ok {
			return ":" + line + ": " + rest
		}
	}
	return ": " + text
}

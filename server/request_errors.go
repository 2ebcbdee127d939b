package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath"
)

// several is an error of a request with the others that it has, so that a form can show all
// of them at once.
type several struct {
	error
	others []Problem
}

func (s *several) Unwrap() error { return s.error }

// mostOthers bounds what is said of one request.
const mostOthers = 8

// withOthers adds to an error what else is wrong with a request: what is said when the field
// that was said first has the value of the command's example, or none, and so on. check
// reads and completes a body.
func (c *command) withOthers(first error, body []byte, check func(body []byte) error) error {
	var wrong *lightpath.FieldError
	if len(body) > smallBody || !errors.As(first, &wrong) {
		return first
	}
	request, example := decoded(body), decoded([]byte(c.Example))
	seen, all := []string{wrong.Path}, &several{error: first}
	for range mostOthers {
		if !mend(request, example, wrong.Path) {
			break
		}
		next, err := json.Marshal(request)
		if err != nil {
			break
		}
		if err = check(next); err == nil || !errors.As(err, &wrong) || slices.Contains(seen, wrong.Path) {
			break
		}
		seen = append(seen, wrong.Path)
		all.others = append(all.others, problemOf(err))
	}
	if len(all.others) == 0 {
		return first
	}
	return all
}

// decoded reads JSON whose numbers stay as they are; nil if it is none.
func decoded(text []byte) (value any) {
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	if reader.Decode(&value) != nil {
		return nil
	}
	return value
}

// part of a path: a name, and an index if it is of a list.
var part = regexp.MustCompile(`^(\w+)(?:\[(\d+)\])?$`)

// spelt are the ends of names that people may leave away, together with the unit.
var spelt = regexp.MustCompile(`_(bytes|ns|bps)$`)

// mend gives a field of a request the value that an example has, or none. It reports whether
// there was something to mend.
func mend(request, example any, path string) bool {
	name, rest, _ := strings.Cut(path, ".")
	m := part.FindStringSubmatch(name)
	in, ok := request.(map[string]any)
	if m == nil || !ok {
		return false
	}
	like, _ := example.(map[string]any)
	key := m[1]
	if _, ok := in[key]; !ok {
		key = spelt.ReplaceAllString(key, "")
	}
	value, ok := in[key]
	if !ok {
		return rest == "" && withoutAxis(in, key)
	}
	if list, isList := value.([]any); isList && m[2] != "" {
		i, err := strconv.Atoi(m[2])
		if err != nil || i >= len(list) || rest == "" {
			return false
		}
		likes, _ := like[key].([]any)
		var likely any
		if len(likes) > 0 {
			likely = likes[0]
		}
		return mend(list[i], likely, rest)
	}
	if _, deeper := value.(map[string]any); deeper && rest != "" {
		return mend(value, like[key], rest)
	}
	if other, ok := like[key]; ok {
		in[key] = other
	} else {
		delete(in, key)
	}
	return true
}

// withoutAxis takes the axis of a sweep away whose name is said to be wrong.
func withoutAxis(request map[string]any, name string) bool {
	axes, ok := request["axes"].([]any)
	at := slices.IndexFunc(axes, func(a any) bool {
		axis, ok := a.(map[string]any)
		return ok && axis["name"] == name
	})
	if !ok || at < 0 {
		return false
	}
	request["axes"] = slices.Delete(slices.Clone(axes), at, at+1)
	return true
}

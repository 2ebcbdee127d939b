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

// several is an error of a request together with its other errors, so that a form can show all
// of them at once.
type several struct {
	error
	others []Problem
}

func (s *several) Unwrap() error { return s.error }

// mostOthers bounds the number of other errors of one request.
const mostOthers = 8

// withOthers adds the other errors of a request to the first one. To find the next error, it
// replaces the wrong field by the value of the command's example, or removes it, and checks
// again, and so on. check reads and completes a body.
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

// decoded reads JSON without converting numbers; nil if it is not JSON.
func decoded(text []byte) (value any) {
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	if reader.Decode(&value) != nil {
		return nil
	}
	return value
}

// part matches a part of a path: a name, and an index for a list.
var part = regexp.MustCompile(`^(\w+)(?:\[(\d+)\])?$`)

// spelt matches the ends of names that may be omitted if the value has a unit.
var spelt = regexp.MustCompile(`_(bytes|ns|bps)$`)

// mend gives a field of a request the value of an example, or removes it. It reports whether it
// changed anything.
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

// withoutAxis removes the axis of a sweep whose name is reported as wrong.
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

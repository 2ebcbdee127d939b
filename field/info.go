package field

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Info is what a field of a request says of itself in its tags. Flags, their completion, schemas
// and descriptions are made from it.
//
//	json:"size_bytes,omitzero"   its name, see Name
//	help:"size of a packet"      what it is for; a list of words such as packet | flow is what it
//	                             may be. ${LEVEL} is the value and ${traffic} another field: in a
//	                             tag ${..} stands for backquotes, which cannot be written there
//	default:"4KiB"               what it is if it is not given, as text
//	flag:"of"                    its flag, where that does not have its name
//	least:"2"                    of a number; the default is 1, as 0 means that it is not given
type Info struct {
	Name    string // in JSON
	Help    string // with values and fields between backquotes, as in messages (Spell)
	Default string
	Flag    string
	Least   int
}

// Describe reads the tags of a field. It has no name if it is not one of the JSON form.
func Describe(f reflect.StructField) Info {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	i := Info{Name: name, Help: quoted.ReplaceAllString(f.Tag.Get("help"), "`$1`"), Default: f.Tag.Get("default"), Flag: f.Tag.Get("flag"), Least: 1}
	if name == "-" {
		i.Name = ""
	}
	if least, err := strconv.Atoi(f.Tag.Get("least")); err == nil {
		i.Least = least
	}
	return i
}

// quoted is how a tag writes what stands between backquotes.
var quoted = regexp.MustCompile(`\$\{([^}]*)\}`)

// marked is what a help has between backquotes: a value or another field.
var marked = regexp.MustCompile("`[^`]*`")

// Say returns the help with its values and the fields that it mentions in other words.
func (i *Info) Say(value, mention func(name string) string) string {
	return marked.ReplaceAllStringFunc(i.Help, func(m string) string {
		if mentioned.MatchString(m) {
			return Spell(m, mention)
		}
		return value(strings.Trim(m, "`"))
	})
}

// Words returns what the help says that the field may be: "packet | flow".
func (i *Info) Words() []string { return Words(i.Help) }

// Words returns the words of a list in a text, a | b (what b means) | .., without what stands for
// something else, in capitals.
func Words(text string) []string {
	head, _, listed := strings.Cut(text, " | ")
	if !listed {
		return nil
	}
	from := strings.LastIndex(head, ": ")
	if from < 0 {
		return nil
	}
	var words []string
	for item := range strings.SplitSeq(text[from+2:], " | ") {
		word, _, _ := strings.Cut(item, " ")
		if at := strings.IndexFunc(word, func(r rune) bool { return 'A' <= r && r <= 'Z' }); at >= 0 {
			word = word[:at]
		}
		if word != "" {
			words = append(words, word)
		}
	}
	return words
}

package field

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Info is what the tags of a request's field declare. Flags, their completion, schemas and
// descriptions are made from it.
//
//	json:"size_bytes,omitzero"   its name, see Name
//	help:"size of a packet"      what it is for; a list of words such as packet | flow gives the
//	                             possible values. ${LEVEL} is the value, ${traffic} another field:
//	                             in a tag ${..} replaces backquotes, which cannot be written there
//	default:"4KiB"               its value if it is not given, as text
//	flag:"of"                    its flag, if that is not named after it
//	placeholder:"NAME"           what help calls its value, if its text does not, as in
//	                             "number format of gradients: bf16 | fp16"
//	least:"2"                    the least number; the default is 1, as 0 means not given
type Info struct {
	Name    string // in JSON
	Help    string // with values and fields in backquotes, as in messages (Spell)
	Default string
	Flag    string
	Least   int
	// Placeholder is what help calls a value, if the text does not.
	Placeholder string
}

// Describe reads the tags of a field. The name is empty if the field is not part of the JSON
// form.
func Describe(f reflect.StructField) Info {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	i := Info{Name: name, Help: quoted.ReplaceAllString(f.Tag.Get("help"), "`$1`"), Default: f.Tag.Get("default"), Flag: f.Tag.Get("flag"), Least: 1}
	i.Placeholder = f.Tag.Get("placeholder")
	if name == "-" {
		i.Name = ""
	}
	if least, err := strconv.Atoi(f.Tag.Get("least")); err == nil {
		i.Least = least
	}
	return i
}

// Check reports a whole number below the least one. Zero passes, as it means not given.
func (i *Info) Check(v reflect.Value) error {
	if i.Least > 1 && v.CanInt() && v.Int() != 0 && v.Int() < int64(i.Least) {
		return fmt.Errorf("%d; want %d or more", v.Int(), i.Least)
	}
	return nil
}

// quoted matches what replaces backquotes in a tag.
var quoted = regexp.MustCompile(`\$\{([^}]*)\}`)

// marked matches what is in backquotes in a help text: a value or another field.
var marked = regexp.MustCompile("`[^`]*`")

// Say returns the help text with its values and the fields that it mentions replaced.
func (i *Info) Say(value, mention func(name string) string) string {
	return marked.ReplaceAllStringFunc(i.Help, func(m string) string {
		if mentioned.MatchString(m) {
			return Spell(m, mention)
		}
		return value(strings.Trim(m, "`"))
	})
}

// Words returns the possible values of the field that the help text lists: "packet | flow".
func (i *Info) Words() []string { return Words(i.Help) }

// Words returns the words of a list in a text, a | b (what b means) | .., except placeholders,
// which are in capitals.
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

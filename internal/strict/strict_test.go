package strict_test

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

type inner struct {
	Path []int32 `json:"path"`
}

type document struct {
	Name  string             `json:"name"`
	Size  units.Bytes        `json:"size_bytes"`
	Delay units.Duration     `json:"delay_ns"`
	Ratio float64            `json:"ratio"`
	On    bool               `json:"on"`
	Pair  [2]int             `json:"pair"`
	List  []inner            `json:"list"`
	More  *inner             `json:"more"`
	Map   map[string]float64 `json:"map"`
	Seed  uint64             `json:"seed"`
	Extra
}

// Extra is embedded.
type Extra struct {
	Depth int `json:"depth"`
}

func TestAcceptedIsWhatTheStandardDecoderReads(t *testing.T) {
	for _, text := range []string{
		`{}`, ` { "name" : "a\u00e9\ud83d\ude00\n\"\\\/" , "ratio": -1.5e-3, "on": true, "pair": [1,2] } `,
		`{"list":[{"path":[1,2,3]},{"path":[]},{}],"more":{"path":null},"map":{"a":1,"b":2},"seed":18446744073709551615,"depth":-7}`,
		`{"size_bytes":4096,"delay_ns":1.5,"more":null}`,
	} {
		var got, want document
		if err := strict.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestQuantitiesAreAlsoReadAsText(t *testing.T) {
	var d document
	if err := strict.Unmarshal([]byte(`{"size":"4KiB","delay":"10us"}`), &d); err != nil || d.Size != 4*units.KiB || d.Delay != 10*units.Microsecond {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestRefusedWithItsPlace(t *testing.T) {
	for text, place := range map[string]string{
		`{"nmae":"x"}`:                           "nmae",
		`{"NAME":"x"}`:                           "NAME",
		`{"size_bytes":1,"size":"1B"}`:           "size",
		`{"size":"1"}`:                           "size",
		`{"size_bytes":"1B"}`:                    "size_bytes",
		`{"pair":[1]}`:                           "pair",
		`{"pair":[1,2,3]}`:                       "pair",
		`{"list":[{"path":[1]},{"path":[1.5]}]}`: "list[1].path[0]",
		`{"list":[{"path":[1,4294967296]}]}`:     "list[0].path[1]",
		`{"name":null}`:                          "name",
		`{"more":{"path":[1],"way":2}}`:          "more.way",
		`{"map":{"a":"b"}}`:                      "map.a",
		`{"seed":-1}`:                            "seed",
		`{"on":"true"}`:                          "on",
		`{"ratio":1e999}`:                        "ratio",
	} {
		var d document
		err := strict.Unmarshal([]byte(text), &d)
		var e *field.Error
		if !errors.As(err, &e) || e.Path != place {
			t.Errorf("%s: %v, want an error of %s", text, err, place)
		}
	}
	for _, text := range []string{
		``, `{`, `{"name"`, `{"name":"x"`, `{"name":"x",}`, `{"name":"x" "on":true}`, `[]`, `{"name":"x"}{`, `{"name":"` + "\xff" + `"}`,
		`{"name":"\ud800"}`, `{"name":"\x"}`, `{"name":"` + "\n" + `"}`, `{"ratio":01}`, `{"ratio":1.}`, `{"ratio":+1}`, `{"ratio":-}`,
		`{"on":truth}`, `{"name":"a","name":"b"}`, `{"list":[,]}`, `{"list":[{},]}`, strings.Repeat("[", 1000),
		`{"map":{"a":1,"a":2}}`, `{"map":{"` + strings.Repeat("[", 100) + `":1`,
	} {
		var d document
		if err := strict.Unmarshal([]byte(text), &d); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A reader looks at every byte once, whatever is between the tokens.
func TestBlanksTakeLinearTime(t *testing.T) {
	const blanks = 64 << 20
	counted := &counter{r: io.MultiReader(strings.NewReader(`{"name":"x"`), io.LimitReader(blank{}, blanks), strings.NewReader("\n}"))}
	d := strict.NewReader(counted)
	var doc document
	if err := d.Value(&doc); err != nil || doc.Name != "x" || d.Line() != 2 {
		t.Errorf("%v, %+v, line %d", err, doc, d.Line())
	}
	if counted.n != blanks+13 {
		t.Errorf("%d bytes were read", counted.n)
	}
}

type blank struct{}

func (blank) Read(buf []byte) (int, error) {
	for i := range buf {
		buf[i] = ' '
	}
	return len(buf), nil
}

type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(buf []byte) (int, error) {
	n, err := c.r.Read(buf)
	c.n += n
	return n, err
}

// Whatever is accepted, the standard decoder reads the same way.
func FuzzUnmarshal(f *testing.F) {
	f.Add(`{"name":"a","size":"1KiB","list":[{"path":[1]}],"map":{"x":1e5}}`)
	f.Add(`{"pair":[1,2],"more":{"path":null},"seed":3,"depth":0}`)
	f.Add("{\"name\":\"\\u00ff\\ud83d\\ude00\"}")
	f.Fuzz(func(t *testing.T, text string) {
		var got, want document
		if strict.Unmarshal([]byte(text), &got) != nil {
			return
		}
		if strings.Contains(text, `"size"`) || strings.Contains(text, `"delay"`) || strings.Contains(text, `\u`) {
			return // second names, which the standard decoder does not know, perhaps escaped
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, the standard decoder has %+v, %v", text, got, want, err)
		}
	})
}

// The fields of structs in an inline list are those of the object, whichever structs it holds.
func TestInlineListsAreFieldsOfTheObject(t *testing.T) {
	type sized struct {
		Size units.Bytes `json:"size_bytes"`
	}
	type around struct {
		Plan  string `json:"plan"`
		Parts []any  `json:",inline"`
		Last  int    `json:"last"`
	}
	read := func(text string, parts ...any) (around, error) {
		doc := around{Parts: parts}
		return doc, strict.Unmarshal([]byte(text), &doc)
	}
	extra, size := &Extra{}, &sized{}
	doc, err := read(`{"last": 2, "size": "4KiB", "depth": 7, "plan": "p"}`, extra, size)
	if err != nil || doc.Plan != "p" || doc.Last != 2 || extra.Depth != 7 || size.Size != 4*units.KiB {
		t.Errorf("%+v, %+v, %+v, %v", doc, extra, size, err)
	}
	if _, err := read(`{"depth": 7}`, &sized{}); err == nil || err.Error() != "depth: unknown; want plan, size_bytes, last" {
		t.Errorf("of another list: %v", err)
	}
	if _, err := read(`{"Parts": []}`); err == nil || err.Error() != "Parts: unknown; want plan, last" {
		t.Errorf("by its own name: %v", err)
	}
}

// Fields that are inline are as strict as the others, and known by their own names only.
func TestInlineFieldsAreThoseOfTheObject(t *testing.T) {
	type around[F any] struct {
		Plan   string `json:"plan"`
		Fields *F     `json:",inline"`
	}
	doc := around[Extra]{Fields: &Extra{}}
	if err := strict.Unmarshal([]byte(`{"depth": 7, "plan": "p"}`), &doc); err != nil || doc.Plan != "p" || doc.Fields.Depth != 7 {
		t.Errorf("%+v, %v", doc, err)
	}
	for text, want := range map[string]string{
		`{"Fields": {"depth": 7}}`: "Fields: unknown; want plan, depth",
		`{"depth": 7, "depth": 8}`: "\"depth\" is listed twice",
		`{"depth": "7"}`:           "depth:",
		`{"Depth": 7}`:             "did you mean depth?",
	} {
		if err := strict.Unmarshal([]byte(text), &around[Extra]{Fields: &Extra{}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A number below the least one of its field is refused where it is read.
func TestTheLeastNumberOfAFieldIsChecked(t *testing.T) {
	var into struct {
		Axes struct {
			Points int `json:"points,omitempty" least:"2"`
		} `json:"axes"`
	}
	for text, want := range map[string]string{
		`{"axes":{"points":2}}`: "", `{"axes":{"points":0}}`: "", `{"axes":{}}`: "",
		`{"axes":{"points":1}}`: "axes.points: 1; want 2 or more", `{"axes":{"points":-3}}`: "axes.points: -3; want 2 or more",
	} {
		got := ""
		if err := strict.Unmarshal([]byte(text), &into); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

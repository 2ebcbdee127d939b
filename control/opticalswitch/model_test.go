package opticalswitch_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

func TestTheSizeIsInTheNameOfTheModel(t *testing.T) {
	for model, want := range map[string]control.Size{
		"N-OST-24x24-LA1-DMHNS": {Ingress: 24, Egress: 24}, "I-VST-8x16": {Ingress: 8, Egress: 16}, opticalswitch.ModelOf(control.Size{Ingress: 3, Egress: 4}): {Ingress: 3, Egress: 4},
	} {
		if got, err := opticalswitch.SizeOf(model); err != nil || got != want {
			t.Errorf("%s: %v, %v", model, got, err)
		}
	}
	for _, model := range []string{"", "switch", "0x0", "99999x99999"} {
		if got, err := opticalswitch.SizeOf(model); err == nil {
			t.Errorf("%s: %v", model, got)
		}
	}
}

// FuzzDecode: a document in JSON or XML is a state that survives writing and reading, or a
// one-line error.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"optical-switch:cross-connects":{"pair":[{"ingress":1,"egress":13}]}}`, `{"pair":[{"ingress":"1","egress":2}]}`, `[]`, ``, `{"cross-connects":{}}`,
		`<cross-connects xmlns="http://www.polatis.com/yang/optical-switch"><pair><ingress>1</ingress><egress>2</egress></pair></cross-connects>`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if up, err := opticalswitch.DecodeJSON(text); err == nil {
			again, err := opticalswitch.EncodeJSON(up)
			if err != nil {
				t.Fatal(err)
			}
			if same, err := opticalswitch.DecodeJSON(again); err != nil || !same.Equal(up) {
				t.Fatalf("%q: %v, again %v, %v", text, up, same, err)
			}
		} else if strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("%q: %q", text, err)
		}
		var c opticalswitch.CrossConnects
		if xml.Unmarshal(text, &c) != nil {
			return
		}
		if up, err := c.State(); err == nil {
			again, err := xml.Marshal(opticalswitch.NewCrossConnects(up))
			if err != nil {
				t.Fatal(err)
			}
			var second opticalswitch.CrossConnects
			if err := xml.Unmarshal(again, &second); err != nil {
				t.Fatalf("%s: %v", again, err)
			}
			if same, err := second.State(); err != nil || !same.Equal(up) {
				t.Fatalf("%q: %v, again %v, %v", text, up, same, err)
			}
		}
	})
}

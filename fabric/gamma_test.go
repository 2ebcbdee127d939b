package fabric

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

func TestGammaIsReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"400us/GiB": "400us/GiB", "0.5ns/KiB": "500ps/KiB", "1ms/2GiB": "1ms/2GiB", "none": "none", "0ns/GiB": "none", "1ps/B": "1ps/B", "400us/1GiB": "400us/GiB",
	} {
		g, err := ParseGamma(text)
		if err != nil || g.String() != want {
			t.Errorf("%s: %v, %v; want %s", text, g, err, want)
		}
		if again, err := ParseGamma(g.String()); err != nil || again != g {
			t.Errorf("%s: read back as %v, %v", text, again, err)
		}
		f := Default()
		f.Gamma = g
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(data), "gamma"); has != (want != "none") {
			t.Errorf("%s: %s", text, data)
		}
		var back Fabric
		if err := json.Unmarshal(data, &back); err != nil || !back.Equal(f) {
			t.Errorf("%s: %v, %v", text, back.Gamma, err)
		}
	}
	for _, text := range []string{"", "1us", "1us/", "us/GiB", "-1us/GiB", "1us/0B", "1us/GiB/s", "1GiB/us", "1us/4000TiB"} {
		if g, err := ParseGamma(text); err == nil {
			t.Errorf("%q: %v", text, g)
		}
	}
	g := Gamma{Time: 400 * units.Microsecond, Per: units.GiB}
	if got := g.Of(float64(units.GiB) / 2); got != 200_000 {
		t.Errorf("half a GiB takes %v", got)
	}
	f := Default()
	f.Gamma = Gamma{Time: -1, Per: 1}
	if f.Validate() == nil {
		t.Error("a negative gamma")
	}
}

func FuzzParseGamma(f *testing.F) {
	for _, seed := range []string{"400us/GiB", "none", "1ps/B", "/", "1us/0B"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseGamma(text)
		if err != nil {
			return
		}
		if again, err := ParseGamma(g.String()); err != nil || again != g {
			t.Errorf("%q: %v is read back as %v, %v", text, g, again, err)
		}
	})
}

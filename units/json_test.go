package units_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

type quantities struct {
	Size  units.Bytes     `json:"size_bytes"`
	Rate  units.Bandwidth `json:"rate_bps"`
	Delay units.Duration  `json:"delay_ns"`
}

func TestJSONIsNumbersAndExact(t *testing.T) {
	data, err := json.Marshal(quantities{4 * units.MiB, 800 * units.Gbps, 1700 * units.Nanosecond / 1000})
	if err != nil || string(data) != `{"size_bytes":4194304,"rate_bps":800000000000,"delay_ns":1.7}` {
		t.Errorf("%s, %v", data, err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 2000 {
		draw := func() int64 { return rng.Int64N(1 << (1 + rng.IntN(62))) }
		q := quantities{units.Bytes(draw()), units.Bandwidth(draw()), units.Duration(draw())}
		if i == 0 {
			q = quantities{math.MaxInt64, math.MaxInt64, math.MaxInt64}
		}
		data, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		var again quantities
		if err := json.Unmarshal(data, &again); err != nil || again != q {
			t.Fatalf("%+v became %+v by %s: %v", q, again, data, err)
		}
	}
}

func TestJSONThatIsNoQuantityIsRefused(t *testing.T) {
	for _, bad := range []string{
		`{"size_bytes":-1}`, `{"size_bytes":1.5}`, `{"size_bytes":"1KiB"}`, `{"size_bytes":null}`,
		`{"rate_bps":-1}`, `{"rate_bps":1e30}`, `{"delay_ns":-1}`, `{"delay_ns":0.0001}`, `{"delay_ns":"5"}`,
		`{"delay_ns":1e300}`, `{"delay_ns":null}`, `{"delay_ns":[]}`,
	} {
		q := quantities{1, 2, 3}
		if err := json.Unmarshal([]byte(bad), &q); err == nil || q != (quantities{1, 2, 3}) {
			t.Errorf("%s: %v, %+v", bad, err, q)
		}
	}
	var q quantities
	if err := json.Unmarshal([]byte(`{"delay_ns":1e3}`), &q); err != nil || q.Delay != units.Microsecond {
		t.Errorf("%v, %v", q, err)
	}
}

package workload_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// What returns has the bytes of what came, reversed; without a skew there is no demand.
func TestSkewedDemandsReturn(t *testing.T) {
	there, err := workload.Demand("moe:2", 8, units.MiB)
	if err != nil {
		t.Fatal(err)
	}
	back, err := workload.Demand(workload.Back("moe:2"), 8, units.MiB)
	if err != nil {
		t.Fatal(err)
	}
	for i := range there {
		for j := range there {
			if there[i][j] != back[j][i] {
				t.Fatalf("%d to %d: %d bytes, back %d", i, j, there[i][j], back[j][i])
			}
		}
	}
	if none, err := workload.Demand(workload.Back(""), 8, units.MiB); none != nil || err != nil {
		t.Errorf("%v, %v", none, err)
	}
}

func TestSkewIsReadStrictly(t *testing.T) {
	for _, c := range []struct{ op, skew, want string }{
		{"alltoall", "moe:2", ""}, {"alltoall", "back:zipf:0.5", ""},
		{"alltoall", "moe", "unknown demand"}, {"alltoall", "zipf:-1", "is not an exponent"}, {"allreduce", "moe:2", "is for alltoall"},
	} {
		text := `{"schema":"lightpath.workload/v1","ranks":2,"kinds":{"ep":[[0,1]]},"programs":[{"ranks":"0-1","ops":[` +
			`{"id":"a","op":"` + c.op + `","size_bytes":64,"kind":"ep","skew":"` + c.skew + `"}]}]}`
		_, err := workload.Read(strings.NewReader(text))
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "skew")) {
			t.Errorf("%s of %s: %v, want %q", c.skew, c.op, err, c.want)
		}
	}
}

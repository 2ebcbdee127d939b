package msccl_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/msccl"
)

// ring3 is an allgather of three ranks that both loaders take.
func ring3(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/allgather_ring3.xml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestARingThatBothLoadersTakePassesEveryCheck(t *testing.T) {
	data := ring3(t)
	p, dialect, err := msccl.Read(context.Background(), bytes.NewReader(data), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []msccl.Dialect{dialect, msccl.RCCL} {
		report := check.Programs(string(d), d.Limits(), p)
		for _, c := range report.Checks {
			if !c.OK {
				t.Errorf("%s: %s: %s", d, c.Name, c.Detail)
			}
		}
	}
	if err := check.Interpret(1, p); err != nil {
		t.Error(err)
	}
	var again bytes.Buffer
	if err := msccl.Write(&again, p, dialect); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), data) {
		t.Errorf("writing what was read gives\n%s", again.Bytes())
	}
}

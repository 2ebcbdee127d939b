package train_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/train"
)

const heading = "name,bytes,forward_ns,backward_ns\n"

func TestReadTrace(t *testing.T) {
	got, err := train.ReadTrace(strings.NewReader("# a model\n#  of mine\n\nname,bytes,forward_ns,backward_ns,alltoall_bytes\n" +
		"conv,4096,10,20.5,0\n# not at the beginning\n\"a, b\",0,0,0.001,64\n"))
	want := &train.Trace{About: []string{"a model", "of mine"}, Layers: []train.Layer{
		{Name: "conv", Bytes: 4096, Forward: 10_000, Backward: 20_500},
		{Name: "a, b", Backward: 1, Exchange: 64},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = train.ReadTrace(strings.NewReader(heading + "x,1,2,3\n"))
	if err != nil || len(got.Layers) != 1 || got.Layers[0].Exchange != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// badTraces are files that are refused, and what the error says.
var badTraces = []struct{ text, want string }{
	{"", "line 1: empty"},
	{"# only this\n", "line 1: empty"},
	{"conv,1,2,3\n", "line 1: heading \"conv,1,2,3\"; want name,bytes"},
	{"#\n\nname,bytes\n", "line 3: heading"},
	{"name,bytes,forward_ns,backward_ns,alltoall_bytes,more\n", "line 1: heading"},
	{heading, "line 1: no layer"},
	{"# x\n" + heading + "# y\n", "line 2: no layer"},
	{heading + "x,1,2\n", "line 2: 3 fields; want name,bytes,forward_ns,backward_ns"},
	{heading + "x,1,2,3,4\n", "line 2: 5 fields"},
	{heading + "x,1,2,3\n# y\n\ny,-1,2,3\n", "line 5: bytes \"-1\""},
	{heading + "x,4KiB,2,3\n", "line 2: bytes \"4KiB\""},
	{heading + "x,1.5,2,3\n", "line 2: bytes"},
	{heading + "x,1,-2,3\n", "line 2: forward_ns \"-2\""},
	{heading + "x,1,2,3us\n", "line 2: backward_ns \"3us\""},
	{heading + "x,1,2,0.0001\n", "line 2: backward_ns"},
	{heading + "x,1,2,NaN\n", "line 2: backward_ns"},
	{heading + "x,1,2,10000000000000000\n", "line 2: backward_ns"},
	{heading + "x,1,10000000000000000,2\n", "line 2: forward_ns"},
	{heading + ",1,2,3\n", "line 2: name \"\""},
	{heading + "\"#x\",1,2,3\n", "line 2: name \"#x\""},
	{heading + "\"a\nb\",1,2,3\n", "line 2: name"},
	{heading + "\xff,1,2,3\n", "line 2: name"},
	{heading + "x,\"1,2,3\n", "line 2:"},
	{heading + "x,9223372036854775807,0,0\ny,1,0,0\n", "line 3: bytes: the sum"},
	{heading + "x,0,9000000000000000,0\ny,0,9000000000000000,0\n", "line 3: forward_ns, backward_ns: the sum"},
	{heading + "x,0,9000000000000000,9000000000000000\n", "line 2: forward_ns, backward_ns: the sum"},
	{heading + "x,0,9000000000000,9000000000000\ny,0,9223372036854775,0\n", "line 3: forward_ns, backward_ns: the sum"},
	{strings.TrimSpace(heading) + ",alltoall_bytes\nx,0,0,0,x\n", "line 2: alltoall_bytes \"x\""},
	{strings.TrimSpace(heading) + ",alltoall_bytes\nx,0,0,0,4611686018427387904\n", "line 2: alltoall_bytes: the sum"},
}

func TestReadTraceNamesTheLine(t *testing.T) {
	for _, bad := range badTraces {
		_, err := train.ReadTrace(strings.NewReader(bad.text))
		if err == nil || !strings.HasPrefix(err.Error(), bad.want) {
			t.Errorf("%q: %v; want %q", bad.text, err, bad.want)
		}
	}
}

// FuzzTrace: reading any text does not panic, an error is one line that names a line, and a
// trace that was read is valid and can be written and read again.
func FuzzTrace(f *testing.F) {
	for _, bad := range badTraces {
		f.Add([]byte(bad.text))
	}
	f.Add([]byte("# about\r\n" + heading + "x,1,2,3.5\r\n\" y\",4,0,0\r\n"))
	f.Add([]byte(strings.TrimSpace(heading) + ",alltoall_bytes\nx,0,0,0,7\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := train.ReadTrace(bytes.NewReader(data))
		if err != nil {
			if m := err.Error(); !strings.HasPrefix(m, "line ") || strings.ContainsAny(m, "\n\r") {
				t.Errorf("%q", m)
			}
			return
		}
		if err := trace.Validate(); err != nil {
			t.Errorf("read, but %v", err)
		}
		var text bytes.Buffer
		if err := train.WriteTrace(&text, trace); err != nil {
			t.Fatal(err)
		}
		again, err := train.ReadTrace(&text)
		if err != nil || !reflect.DeepEqual(again, trace) {
			t.Errorf("%+v, written and read %+v, %v", trace, again, err)
		}
	})
}

func TestLoadTakesNamesAndFiles(t *testing.T) {
	for _, name := range train.Names() {
		trace, err := train.Load(name)
		if err != nil || trace.Name != name || len(trace.About) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(file, []byte(heading+"x,1,2,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if trace, err := train.Load(file); err != nil || trace.Name != "mine" {
		t.Errorf("%+v, %v", trace, err)
	}
	if err := os.WriteFile(file, []byte(heading+"x,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Load(file); err == nil || !strings.Contains(err.Error(), "mine.csv: line 2:") {
		t.Errorf("%v", err)
	}
	if _, err := train.Load("none.csv"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := train.Load("resnet51"); err == nil || !strings.Contains(err.Error(), "resnet50") {
		t.Errorf("%v", err)
	}
}

type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, fs.ErrPermission
	}
	return len(p), nil
}

func TestWriteTraceReportsFailure(t *testing.T) {
	trace, err := train.Builtin("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 300, 1000} {
		if err := train.WriteTrace(&fullDisk{room}, trace); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("room for %d: %v", room, err)
		}
	}
}

func TestFasterDividesTimesOnly(t *testing.T) {
	trace := layers([4]int64{7, 10, 20, 5})
	got := trace.Faster(4).Layers[0]
	if got.Forward != 2500 || got.Backward != 5000 || got.Bytes != 7 || got.Exchange != 5 {
		t.Errorf("%+v", got)
	}
	if slow := trace.Faster(1e-300).Layers[0]; slow.Forward <= 0 || slow.Backward <= 0 {
		t.Errorf("%+v", slow)
	}
	if trace.Layers[0].Forward != 10_000 {
		t.Error("the trace itself has changed")
	}
}

// Callers that give a name in JSON have no files; callers on the command line do.
func TestAnUnknownTraceSaysWhatElseItCanBe(t *testing.T) {
	if _, err := train.Builtin("flat"); err == nil || !strings.HasSuffix(err.Error(), ", or layers of your own") {
		t.Error(err)
	}
	if _, err := train.Load("flat"); err == nil || !strings.HasSuffix(err.Error(), ", or a FILE.csv") {
		t.Error(err)
	}
}

package msccl_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/msccl"
)

// The loaders use their own scanner. Text that they would refuse or misread is refused with the
// line and the reason.
func TestWhatTheLoadersCannotReadIsRefused(t *testing.T) {
	good := string(ring3(t))
	swap := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, text, says string }{
		{"declaration", "<?xml version=\"1.0\"?>\n" + good, "line 1: an XML declaration"},
		{"doctype", "<!DOCTYPE lolz [<!ENTITY a \"b\">]>\n" + good, "line 1: a declaration such as DOCTYPE or ENTITY"},
		{"entity", swap(`name="ag_ring3"`, `name="&lol9;"`), "line 1: an entity"},
		{"tab", swap("\n<tb", "\n\t<tb"), "line 3: a tab between elements"},
		{"text", swap("\n<tb", "\nhello<tb"), "text 'h' between elements"},
		{"line break in a tag", swap(` coll=`, "\ncoll="), "a line break or tab inside a tag"},
		{"single quotes", swap(`proto="Simple"`, `proto='Simple'`), "double quotes only"},
		{"no value", swap(`proto="Simple"`, `proto`), "an attribute without a value"},
		{"too many attributes", swap(`name="ag_ring3"`, `name="x" a="" b="" c="" d="" e="" f="" g=""`), "more than 16 attributes"},
		{"long value", swap("ag_ring3", strings.Repeat("x", 255)), "more than 254 bytes"},
		{"octal", swap(`nchunksperloop="3"`, `nchunksperloop="03"`), "takes a leading zero for octal"[6:]},
		{"no number", swap(`nchunksperloop="3"`, `nchunksperloop="three"`), "not a whole number"},
		{"twice", swap(`nchannels="1"`, `nchannels="1" nchannels="1"`), "has nchannels twice"},
		{"missing", swap(` nchannels="1"`, ``), "<algo> has no nchannels"},
		{"protocol", swap(`"Simple"`, `"simple"`), `proto is "simple", not Simple, LL or LL128`},
		{"collective", swap(`"allgather"`, `"AllGather"`), `coll "AllGather" is not one that can be checked`},
		{"not algo", "<gpu></gpu>", "the first element is <gpu>"},
		{"empty", "", "the file is empty"},
		{"cut off", good[:len(good)/2], "the file ends"},
		{"more", good + "<algo>", "there is more after </algo>"},
		{"wrong end", swap("</tb>", "</gpu>"), "</gpu> where </tb> is needed"},
		{"rank twice", swap(`<gpu id="1"`, `<gpu id="0"`), `id="0" is listed twice`},
		{"block missing", swap(`<tb id="2"`, `<tb id="3"`), `no <tb id="2">`},
		{"block twice", swap(`<tb id="1"`, `<tb id="0"`), `<tb id="0"> twice`},
		{"steps out of order", swap(`<step s="1"`, `<step s="2"`), "rank 0, thread block 0, step 1: s is 2"},
		{"buffer", swap(`srcbuf="i"`, `srcbuf="x"`), `srcbuf is "x", not i, o or s`},
		{"type", swap(`type="cpy"`, `type="ra"`), `type "ra" is not one that the kernel carries out`},
		{"half a wait", swap(`depid="1" deps="0"`, `depid="1" deps="-1"`), "both are given, or both are -1"},
		{"nop without a wait", swap(`type="cpy"`, `type="nop"`), "a nop that waits for nothing"},
		{"sizes", swap(`minBytes="0"`, `minBytes="99999999999"`), "minBytes 99999999999 is above maxBytes"},
		{"never used", swap(`outofplace="1"`, `outofplace="0"`), "it is never used"},
		{"chunks that do not divide", swap(`nchunksperloop="3"`, `nchunksperloop="4"`), "4 chunks of allgather do not divide by its 3 ranks"},
	} {
		_, _, err := msccl.Read(context.Background(), strings.NewReader(c.text), "")
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want ..%s..", c.name, err, c.says)
		}
	}
	for name, text := range map[string]string{
		"comments":         "<!-- a -- b -->\n" + swap("<tb", "<!-- c --><tb"),
		"unknown elements": swap("<tb", `<more><inside a="1"/></more><tb`),
		"carriage returns": strings.ReplaceAll(good, "\n", "\r\n"),
		"open and closed":  strings.ReplaceAll(good, "/>", "></step>"),
	} {
		if _, _, err := msccl.Read(context.Background(), strings.NewReader(text), ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// endless is a file with the given number of bytes without content.
type endless struct{ left int }

func (e *endless) Read(buf []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := copy(buf, "<!-- nothing of interest here -->\n")
	e.left -= n
	return n, nil
}

// Reading a long file takes time proportional to its length, and no memory beyond the program.
func TestLongFilesAreReadInBoundedMemory(t *testing.T) {
	good := ring3(t)
	read := func(padding int) (allocated uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := msccl.Read(context.Background(), io.MultiReader(&endless{padding}, bytes.NewReader(good)), "")
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	short := read(0)
	if long := read(20 << 20); long > short+(1<<20) {
		t.Errorf("20 MiB of comments take %d bytes of memory, none takes %d", long, short)
	}
}

func FuzzRead(f *testing.F) {
	data, err := os.ReadFile("testdata/allgather_ring3.xml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add("<!DOCTYPE a>")
	f.Add(`<algo name="x" proto="LL" nchannels="1" nchunksperloop="2" ngpus="2" coll="reducescatter" inplace="1" outofplace="1"><gpu id="0" i_chunks="2" o_chunks="1" s_chunks="0"/><gpu id="1" i_chunks="2" o_chunks="1" s_chunks="9"></gpu></algo>`)
	f.Fuzz(func(t *testing.T, text string) {
		p, dialect, err := msccl.Read(context.Background(), strings.NewReader(text), "")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		if p.Nodes*p.Chunks > 1<<10 {
			return // correct, and slow to check
		}
		check.Programs(string(dialect), dialect.Limits(), p)
		var file bytes.Buffer
		if err := msccl.Write(&file, p, dialect); err != nil {
			t.Fatal(err)
		}
		again, _, err := msccl.Read(context.Background(), &file, dialect)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if again.BufferMap != p.BufferMap || len(again.Ranks) != len(p.Ranks) {
			t.Errorf("%+v becomes %+v", p.BufferMap, again.BufferMap)
		}
	})
}

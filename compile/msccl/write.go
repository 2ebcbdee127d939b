package msccl

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/compile/program"
)

// Write writes a program whose operations have at most one dependency each. The notes become
// comments at the top.
func Write(w io.Writer, p *program.Program, dialect Dialect, notes ...string) error {
	coll, known := dialect.names()[p.Op]
	if !known {
		return dialect.Supports(p.Op)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for _, note := range notes {
		fmt.Fprintf(out, "<!-- %s -->\n", commentText(note))
	}
	inPlace, outOfPlace := 0, 1
	if p.InPlace {
		inPlace, outOfPlace = 1, 0
	}
	fmt.Fprintf(out, `<algo name="%s" proto="%s" nchannels="%d" nchunksperloop="%d" ngpus="%d" coll="%s" inplace="%d" outofplace="%d" minBytes="%d" maxBytes="%d">`+"\n",
		Label(p.Name), p.Protocol, p.Channels, p.Chunks, p.Nodes, coll, inPlace, outOfPlace, p.MinBytes, p.MaxBytes)
	e := &encoder{out: out}
	for r := range p.Ranks {
		rank := &p.Ranks[r]
		fmt.Fprintf(out, `<gpu id="%d" i_chunks="%d" o_chunks="%d" s_chunks="%d">`+"\n", r, rank.Input, rank.Output, rank.Scratch)
		for b := range rank.Blocks {
			block := &rank.Blocks[b]
			fmt.Fprintf(out, `<tb id="%d" send="%d" recv="%d" chan="%d">`+"\n", b, block.Send, block.Recv, block.Channel)
			for i := range block.Ops {
				e.step(i, &block.Ops[i])
			}
			out.WriteString("</tb>\n")
		}
		out.WriteString("</gpu>\n")
	}
	out.WriteString("</algo>\n")
	return out.Flush()
}

// encoder writes steps without allocating, because there may be very many.
type encoder struct {
	out *bufio.Writer
	num [20]byte
}

func (e *encoder) attr(name string, v int) {
	e.out.WriteString(name)
	e.out.Write(strconv.AppendInt(e.num[:0], int64(v), 10))
}

func (e *encoder) step(i int, op *program.Op) {
	depid, deps, awaited := -1, -1, 0
	if len(op.Deps) > 0 {
		depid, deps = int(op.Deps[0].Block), int(op.Deps[0].Op)
	}
	if op.Awaited {
		awaited = 1
	}
	e.attr(`<step s="`, i)
	e.out.WriteString(`" type="`)
	e.out.WriteString(op.Kind.String())
	e.out.WriteString(`" srcbuf="`)
	e.out.WriteString(op.Src.Buffer.String())
	e.attr(`" srcoff="`, int(op.Src.Offset))
	e.out.WriteString(`" dstbuf="`)
	e.out.WriteString(op.Dst.Buffer.String())
	e.attr(`" dstoff="`, int(op.Dst.Offset))
	e.attr(`" cnt="`, int(op.Count))
	e.attr(`" depid="`, depid)
	e.attr(`" deps="`, deps)
	e.attr(`" hasdep="`, awaited)
	e.out.WriteString("\"/>\n")
}

// Label makes a name that the loaders keep whole: at most 63 bytes, none that the loaders read as
// the end of a value.
func Label(name string) string {
	const most = 63
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_-.:,()", r):
			return r
		}
		return '_'
	}, name)
	if len(name) > most {
		name = name[:most]
	}
	if name == "" || name == "2D" { // MSCCL treats this name of an all-to-all as its own
		name = "_" + name
	}
	return name
}

// commentText puts a note on one line and keeps it from ending its comment early.
func commentText(note string) string {
	note = strings.Join(strings.Fields(note), " ")
	for strings.Contains(note, "--") {
		note = strings.ReplaceAll(note, "--", "-")
	}
	return strings.TrimSuffix(note, "-")
}

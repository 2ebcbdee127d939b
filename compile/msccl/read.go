package msccl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/program"
)

// Bounds on what a file may ask for, so that a few bytes cannot demand gigabytes. They are at or
// above every loader's limits, which the checker enforces.
const (
	maxRanks  = 1024
	maxBlocks = 4096    // of a rank
	maxChunks = 1 << 16 // of a buffer
	maxSteps  = 1 << 23 // of the whole file
)

// Read reads a program. dialect says by whose rules; "" accepts either dialect and Read returns
// which one the file is spelled in. Errors name the line.
func Read(ctx context.Context, r io.Reader, dialect Dialect) (*program.Program, Dialect, error) {
	d := &reader{scan: newScanner(r), ctx: ctx.Err, dialect: dialect}
	if err := d.file(); err != nil {
		return nil, "", err
	}
	d.dialect = cmp.Or(d.dialect, MSCCL)
	return d.program, d.dialect, nil
}

type reader struct {
	scan    *scanner
	ctx     func() error // called now and then
	dialect Dialect
	program *program.Program
	steps   int
}

func (d *reader) file() error {
	algo, err := d.scan.next()
	if err == io.EOF {
		return d.scan.errorf("the file is empty: <algo ..> is needed")
	}
	if err != nil {
		return err
	}
	if string(algo.name) != "algo" || algo.close {
		return d.scan.errorf("the first element is <%s>, not <algo ..>", algo.name)
	}
	if err := d.algo(algo); err != nil {
		return err
	}
	seen := make([]bool, d.program.Nodes)
	if !algo.single {
		err = d.children("algo", "gpu", func(t *tag) error { return d.gpu(t, seen) })
		if err != nil {
			return err
		}
	}
	for id, there := range seen {
		if !there {
			return d.scan.errorf("no <gpu> has id=\"%d\"; ngpus is %d", id, d.program.Nodes)
		}
	}
	switch _, err := d.scan.next(); err {
	case io.EOF:
		return nil
	case nil:
		return d.scan.errorf("there is more after </algo>")
	default:
		return err
	}
}

// children reads the elements up to the closing tag of their parent; unknown ones are skipped,
// as the loaders do. A tag is valid until the next one is read.
func (d *reader) children(parent, name string, read func(t *tag) error) error {
	for {
		t, err := d.scan.next()
		if err == io.EOF {
			return d.scan.errorf("the file ends before </%s>", parent)
		}
		if err != nil {
			return err
		}
		switch {
		case t.close && string(t.name) == parent:
			return nil
		case t.close:
			return d.scan.errorf("</%s> where </%s> is needed", t.name, parent)
		case string(t.name) == name:
			err = read(t)
		case !t.single:
			err = d.skip(string(t.name))
		}
		if err != nil {
			return err
		}
	}
}

// maxDepth bounds how deep unknown elements nest.
const maxDepth = 64

// skip reads up to the end of an unknown element.
func (d *reader) skip(name string) error {
	open := []string{name}
	for len(open) > 0 {
		t, err := d.scan.next()
		if err == io.EOF {
			return d.scan.errorf("the file ends before </%s>", open[len(open)-1])
		}
		if err != nil {
			return err
		}
		switch {
		case t.close && string(t.name) != open[len(open)-1]:
			return d.scan.errorf("</%s> where </%s> is needed", t.name, open[len(open)-1])
		case t.close:
			open = open[:len(open)-1]
		case !t.single:
			if open = append(open, string(t.name)); len(open) > maxDepth {
				return d.scan.errorf("elements nest deeper than %d", maxDepth)
			}
		}
	}
	return nil
}

// text returns an attribute.
func (d *reader) text(t *tag, name string) (string, bool, error) {
	found, value := false, ""
	for _, a := range t.attrs {
		if string(a.name) != name {
			continue
		}
		if found {
			return "", false, d.scan.errorf("<%s> has %s twice", t.name, name)
		}
		found, value = true, string(a.value)
	}
	return value, found, nil
}

// number reads a whole number between two bounds. It is strict, because the loaders read a
// leading zero as octal and anything that is not a number as 0.
func (d *reader) number(t *tag, name string, low, high int64) (int64, error) {
	var value []byte
	found := 0
	for i := range t.attrs {
		if string(t.attrs[i].name) == name {
			value = t.attrs[i].value
			found++
		}
	}
	if found != 1 {
		if found > 1 {
			return 0, d.scan.errorf("<%s> has %s twice", t.name, name)
		}
		return 0, d.scan.errorf("<%s> has no %s", t.name, name)
	}
	v, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return 0, d.scan.errorf("<%s>: %s is %q, not a whole number", t.name, name, value)
	}
	if digits := value; len(digits) > 1 && (digits[0] == '0' || digits[0] == '+' || digits[0] == '-' && digits[1] == '0') {
		return 0, d.scan.errorf("<%s>: %s is %q; the loaders take a leading zero for octal", t.name, name, value)
	}
	if v < low || v > high {
		return 0, d.scan.errorf("<%s>: %s is %d, not in %d..%d", t.name, name, v, low, high)
	}
	return v, nil
}

// numbers reads several whole numbers; the first error sticks.
type numbers struct {
	d   *reader
	t   *tag
	err error
}

func (n *numbers) get(name string, low, high int64) int {
	if n.err != nil {
		return 0
	}
	v, err := n.d.number(n.t, name, low, high)
	n.err = err
	return int(v)
}

func (d *reader) algo(t *tag) error {
	p := &program.Program{}
	d.program = p
	n := &numbers{d: d, t: t}
	p.Nodes = n.get("ngpus", collective.MinNodes, maxRanks)
	p.Chunks = n.get("nchunksperloop", 1, maxChunks)
	p.Channels = n.get("nchannels", 1, maxBlocks)
	in := n.get("inplace", 0, 1)
	p.InPlace = in == 1
	if n.err != nil {
		return n.err
	}
	optional := func(name string, absent, low, high int64) int64 {
		if _, there, err := d.text(t, name); n.err != nil || err == nil && !there && d.dialect != RCCL {
			return absent
		}
		return int64(n.get(name, low, high))
	}
	out := optional("outofplace", int64(1-in), 0, 1)
	p.MinBytes = optional("minBytes", 0, 0, 1<<62)
	p.MaxBytes = optional("maxBytes", 128<<20, 0, 1<<62)
	if n.err != nil {
		return n.err
	}
	if in == 0 && out == 0 {
		return d.scan.errorf("<algo>: inplace and outofplace are both 0: it is never used")
	}
	if p.MinBytes > p.MaxBytes && (d.dialect != RCCL || p.MaxBytes != 0) {
		return d.scan.errorf("<algo>: minBytes %d is above maxBytes %d", p.MinBytes, p.MaxBytes)
	}
	return d.words(t)
}

// words reads the attributes of algo that are not numbers.
func (d *reader) words(t *tag) error {
	p := d.program
	var err error
	var there bool
	if p.Name, there, err = d.text(t, "name"); err != nil {
		return err
	}
	if !there && d.dialect == MSCCL {
		return d.scan.errorf("<algo> has no name")
	}
	proto, _, err := d.text(t, "proto")
	if err != nil {
		return err
	}
	switch p.Protocol = program.Protocol(proto); p.Protocol {
	case program.Simple, program.LL, program.LL128:
	default:
		return d.scan.errorf("<algo>: proto is %q, not %s, %s or %s", proto, program.Simple, program.LL, program.LL128)
	}
	coll, _, err := d.text(t, "coll")
	if err != nil {
		return err
	}
	dialects := []Dialect{d.dialect}
	if d.dialect == "" {
		dialects = []Dialect{MSCCL, RCCL}
	}
	for _, dialect := range dialects {
		for op, name := range dialect.names() {
			if name == coll {
				p.Op, d.dialect = op, dialect
				if err := p.BufferMap.Check(); err != nil {
					return d.scan.errorf("<algo>: %w", err)
				}
				p.Ranks = make([]program.Rank, p.Nodes)
				return nil
			}
		}
	}
	return d.scan.errorf("<algo>: coll %q is not one that can be checked for %s", coll, dialects)
}

func (d *reader) gpu(t *tag, seen []bool) error {
	if err := d.ctx(); err != nil {
		return err
	}
	n := &numbers{d: d, t: t}
	id := n.get("id", 0, int64(d.program.Nodes-1))
	rank := program.Rank{
		Input:   n.get("i_chunks", 0, maxChunks),
		Output:  n.get("o_chunks", 0, maxChunks),
		Scratch: n.get("s_chunks", 0, maxChunks),
	}
	if n.err != nil {
		return n.err
	}
	if seen[id] {
		return d.scan.errorf("<gpu> with id=\"%d\" is listed twice", id)
	}
	seen[id] = true
	if t.single {
		d.program.Ranks[id] = rank
		return nil
	}
	var blocks []program.Block
	var have []bool
	err := d.children("gpu", "tb", func(t *tag) error {
		n := &numbers{d: d, t: t}
		at := n.get("id", 0, maxBlocks-1)
		block := program.Block{
			Send:    n.get("send", -1, maxRanks),
			Recv:    n.get("recv", -1, maxRanks),
			Channel: n.get("chan", 0, maxBlocks),
		}
		if n.err != nil {
			return n.err
		}
		for len(blocks) <= at {
			blocks, have = append(blocks, program.Block{}), append(have, false)
		}
		if have[at] {
			return d.scan.errorf("gpu %d has <tb id=\"%d\"> twice", id, at)
		}
		have[at] = true
		if !t.single {
			err := d.children("tb", "step", func(t *tag) error { return d.step(t, id, at, &block) })
			if err != nil {
				return err
			}
		}
		if last := len(block.Ops) - 1; last >= 0 && block.Ops[last].Kind == program.Nop {
			return d.scan.errorf("%v: the last step is a nop, whose dependency belongs to nothing", program.Place{Rank: id, Block: at, Op: last})
		}
		blocks[at] = block
		return nil
	})
	for at, there := range have {
		if err == nil && !there {
			err = d.scan.errorf("gpu %d has no <tb id=\"%d\">; they are numbered without gaps", id, at)
		}
	}
	rank.Blocks = blocks
	d.program.Ranks[id] = rank
	return err
}

func (d *reader) step(t *tag, rank, block int, into *program.Block) error {
	if d.steps++; d.steps > maxSteps {
		return d.scan.errorf("more than %d steps", maxSteps)
	}
	n := &numbers{d: d, t: t}
	place := program.Place{Rank: rank, Block: block, Op: len(into.Ops)}
	s := n.get("s", 0, maxSteps)
	op := program.Op{
		Src:   program.Loc{Offset: int32(n.get("srcoff", -1, maxChunks))},
		Dst:   program.Loc{Offset: int32(n.get("dstoff", -1, maxChunks))},
		Count: int32(n.get("cnt", 0, maxChunks)),
	}
	depid, deps := n.get("depid", -1, maxBlocks), n.get("deps", -1, maxSteps)
	op.Awaited = n.get("hasdep", 0, 1) == 1
	if n.err != nil {
		return fmt.Errorf("%w (%v)", n.err, place)
	}
	if s != len(into.Ops) {
		return d.scan.errorf("%v: s is %d; the runtime counts steps in the order of the file, here %d", place, s, len(into.Ops))
	}
	for _, b := range [2]struct {
		name string
		into *program.Buffer
	}{{"srcbuf", &op.Src.Buffer}, {"dstbuf", &op.Dst.Buffer}} {
		name, _, err := d.text(t, b.name)
		if err != nil {
			return err
		}
		switch name {
		case "i":
			*b.into = program.Input
		case "o":
			*b.into = program.Output
		case "s":
			*b.into = program.Scratch
		default:
			return d.scan.errorf("%v: %s is %q, not i, o or s", place, b.name, name)
		}
	}
	kind, _, err := d.text(t, "type")
	if err != nil {
		return err
	}
	var known bool
	if op.Kind, known = program.ParseKind(kind); !known {
		return d.scan.errorf("%v: type %q is not one that the kernel carries out (s r rcs rrs rrc rrcs cpy re nop)", place, kind)
	}
	switch {
	case depid < 0 && deps < 0:
	case depid < 0 || deps < 0:
		return d.scan.errorf("%v: depid is %d and deps is %d; both are given, or both are -1", place, depid, deps)
	default:
		op.Deps = []program.Dep{{Block: int32(depid), Op: int32(deps)}}
	}
	if err := follows(into.Ops, &op); err != nil {
		return d.scan.errorf("%v: %w", place, err)
	}
	into.Ops = append(into.Ops, op)
	if t.single {
		return nil
	}
	return d.skip("step")
}

// follows checks the rules of nops: they only carry additional dependencies of the next step,
// which has one of its own.
func follows(before []program.Op, op *program.Op) error {
	if op.Kind == program.Nop && len(op.Deps) == 0 {
		return fmt.Errorf("a nop that waits for nothing")
	}
	if op.Kind == program.Nop && op.Awaited {
		return fmt.Errorf("a nop has hasdep=1; the kernel joins it to the step after it, so nobody can wait for it")
	}
	if n := len(before); n > 0 && before[n-1].Kind == program.Nop && len(op.Deps) == 0 {
		return fmt.Errorf("follows a nop with a dependency and has none itself; the loaders refuse that")
	}
	return nil
}

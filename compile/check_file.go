package compile

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

// Open opens a file that a manifest names.
type Open func(name string) (io.ReadCloser, error)

// Checked holds programs and the results of their checks.
type Checked struct {
	Report *check.Report
	// Graphs are the programs' graphs, in order, if all checks passed.
	Graphs   []*check.Graph
	Manifest *Manifest // if there is one
	// Schedule is the schedule of a HARVEST file, which holds circuits but no program. To see
	// what the schedule does, lift it to a plan.
	Schedule *harvest.Schedule
	Name     string // of the program
}

// Check reads and checks a program, or a manifest and its programs, whatever wrote them. runtime
// says whose limits apply; "" stands for the format's own. An error means that files cannot be
// read; the report lists what is wrong in them.
func Check(ctx context.Context, name string, runtime Format, open Open) (*Checked, error) {
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := bufio.NewReaderSize(source{file}, 1<<16)
	first, err := firstByte(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if first == '<' {
		return checkXML(ctx, r, runtime)
	}
	if first != '{' {
		return nil, fmt.Errorf("%s: neither a program (XML or JSON) nor a manifest", name)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxJSON+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxJSON {
		return nil, fmt.Errorf("%s: larger than %d MiB", name, maxJSON>>20)
	}
	var head struct {
		Schema string          `json:"schema"`
		GPUs   json.RawMessage `json:"gpus"`
		Steps  json.RawMessage `json:"steps"`
		Cost   json.RawMessage `json:"cost"`
	}
	if err := strict.Decode(bytes.NewReader(data), &head); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if head.Schema == ManifestSchema {
		m, err := ReadManifest(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return checkManifest(ctx, name, m, runtime, open)
	}
	if head.Schema == "" && head.Cost != nil && head.Steps != nil {
		return checkSchedule(data)
	}
	if head.Schema != "" || head.GPUs == nil {
		return nil, fmt.Errorf("%s: neither a manifest (schema %q) nor an execution plan of MSCCL++ (gpus) nor a schedule of HARVEST (cost, steps)", name, ManifestSchema)
	}
	if runtime != "" && runtime != MSCCLPP {
		return nil, fmt.Errorf("%s: an execution plan is for %s, not %s", name, MSCCLPP, runtime)
	}
	d, err := mscclpp.Read(bytes.NewReader(data))
	if err != nil {
		return &Checked{Report: check.Unreadable(string(MSCCLPP), err)}, nil
	}
	return checkedDocuments(d)
}

func checkSchedule(data []byte) (*Checked, error) {
	s, err := harvest.Read(bytes.NewReader(data))
	if err != nil {
		return &Checked{Report: check.Unreadable(string(HARVEST), err)}, nil
	}
	report := check.NewReport(string(HARVEST))
	report.Add("form", fmt.Sprintf("steps: %d, changes: %d; what they carry shows in a plan", len(s.Steps), s.Reconfigs), nil)
	return &Checked{Report: report, Schedule: s, Name: s.Collective}, nil
}

// maxJSON bounds how many bytes of a JSON file are read.
const maxJSON = 512 << 20

// firstByte returns the first byte that is not blank, without taking it.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.Peek(1)
		if err == io.EOF {
			return 0, errors.New("the file is empty")
		}
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(b[0])) {
			return b[0], nil
		}
		if b[0] == '\t' {
			return b[0], nil // unread, because readers must see it
		}
		if _, err := r.Discard(1); err != nil {
			return 0, err
		}
	}
}

// dialectOf returns whose rules a file is read by.
func dialectOf(runtime Format) (msccl.Dialect, error) {
	switch runtime {
	case "":
		return "", nil
	case MSCCL, RCCL:
		return msccl.Dialect(runtime), nil
	}
	return "", fmt.Errorf("an XML program is for %s or %s, not %s", MSCCL, RCCL, runtime)
}

func checkXML(ctx context.Context, r io.Reader, runtime Format) (*Checked, error) {
	dialect, err := dialectOf(runtime)
	if err != nil {
		return nil, err
	}
	p, dialect, err := msccl.Read(ctx, r, dialect)
	if err != nil {
		if unreadable(err) {
			return nil, err
		}
		return &Checked{Report: check.Unreadable(string(runtime), err)}, nil
	}
	return checkedPrograms(dialect, p)
}

func checkedPrograms(dialect msccl.Dialect, programs ...*program.Program) (*Checked, error) {
	c := &Checked{Report: check.Programs(string(dialect), dialect.Limits(), programs...), Name: programs[0].Name}
	if !c.Report.OK {
		return c, nil
	}
	for _, p := range programs {
		p, _ := p.Merged(dialect.Limits().Fusion)
		g, err := check.NewGraph(p)
		if err != nil {
			return nil, err
		}
		c.Graphs = append(c.Graphs, g)
	}
	return c, nil
}

func checkedDocuments(documents ...*mscclpp.Document) (*Checked, error) {
	c := &Checked{Report: mscclpp.Check(documents...), Name: documents[0].Name}
	if !c.Report.OK {
		return c, nil
	}
	var err error
	c.Graphs, err = mscclpp.Graphs(documents...)
	return c, err
}

// source marks errors of reading, as opposed to errors in the content of a file.
type source struct{ io.Reader }

type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

func (s source) Read(buf []byte) (int, error) {
	n, err := s.Reader.Read(buf)
	if err != nil && err != io.EOF {
		err = readError{err}
	}
	return n, err
}

// unreadable reports whether an error comes from reading and not from the content of a file.
func unreadable(err error) bool {
	var read readError
	return errors.As(err, &read) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// beside returns the name of a file that another names.
func beside(name, file string) (string, error) {
	if filepath.IsAbs(file) || !filepath.IsLocal(file) {
		return "", fmt.Errorf("manifest: file %q is not in its folder", file)
	}
	return filepath.Join(filepath.Dir(name), file), nil
}

// checkManifest follows data through all stages.
func checkManifest(ctx context.Context, name string, m *Manifest, runtime Format, open Open) (*Checked, error) {
	runtime = cmp.Or(runtime, m.Format)
	if (runtime == MSCCLPP) != (m.Format == MSCCLPP) {
		return nil, fmt.Errorf("%s: its programs are for %s, not %s", name, m.Format, runtime)
	}
	var programs []*program.Program
	var documents []*mscclpp.Document
	stages := m.pieces()
	var list []string
	for i := range m.Stages {
		list = append(list, m.Stages[i].files()...)
	}
	for _, one := range list {
		where, err := beside(name, one)
		if err != nil {
			return nil, err
		}
		file, err := open(where)
		if err != nil {
			return nil, err
		}
		if m.Format == MSCCLPP {
			var d *mscclpp.Document
			d, err = mscclpp.Read(source{file})
			documents = append(documents, d)
		} else {
			var p *program.Program
			p, _, err = msccl.Read(ctx, source{file}, msccl.Dialect(runtime))
			programs = append(programs, p)
		}
		file.Close()
		if err != nil {
			if unreadable(err) {
				return nil, err
			}
			return &Checked{Report: check.Unreadable(string(runtime), fmt.Errorf("%s: %w", one, err))}, nil
		}
	}
	var c *Checked
	var err error
	var uses []use
	if m.Format == MSCCLPP {
		c, err = checkedDocuments(documents...)
		uses = documentUses(documents, stages)
	} else {
		c, err = checkedPrograms(msccl.Dialect(runtime), programs...)
		uses = programUses(programs, stages)
	}
	if err != nil {
		return nil, err
	}
	c.Manifest = m
	table, err := readTimetable(name, m, open)
	if err != nil {
		if unreadable(err) {
			return nil, err
		}
		c.Report.Add("manifest", "", err)
		return c, nil
	}
	err = m.agrees(c.Graphs, table)
	for i := 0; i < len(documents) && err == nil && c.Report.OK; i++ {
		if err = documents[i].Carries(units.Bytes(m.SizeBytes)); err != nil {
			err = fmt.Errorf("size_bytes: stage %d: %w", stages[i]+1, err)
		}
	}
	c.Report.Add("manifest", manifestGood, err)
	c.Report.Add("circuits", circuitsGood, m.circuits(uses))
	return c, nil
}

// readTimetable reads the timetable that a manifest names.
func readTimetable(name string, m *Manifest, open Open) (*timetable.Table, error) {
	where, err := beside(name, m.Timetable)
	if err != nil {
		return nil, readError{fmt.Errorf("timetable: %w", err)}
	}
	file, err := open(where)
	if err != nil {
		return nil, readError{fmt.Errorf("%s: timetable: %w", name, err)}
	}
	defer file.Close()
	table, err := timetable.Read(source{file})
	if err != nil {
		return nil, fmt.Errorf("timetable %s: %w", m.Timetable, err)
	}
	return table, nil
}

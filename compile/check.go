package compile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/compile/program"
)

// Open opens a file that a manifest names.
type Open func(name string) (io.ReadCloser, error)

// Check reads a program, or a manifest and its programs, whoever made them, and checks
// them. runtime says whose limits count; "": those of the format. The error is for files
// that cannot be read; what is wrong in them is in the report.
func Check(ctx context.Context, name string, runtime Format, open Open) (*check.Report, error) {
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<16)
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
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if head.Schema == ManifestSchema {
		m, err := ReadManifest(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return checkManifest(ctx, name, m, runtime, open)
	}
	if head.Schema != "" || head.GPUs == nil {
		return nil, fmt.Errorf("%s: neither a manifest (schema %q) nor an execution plan of MSCCL++ (gpus)", name, ManifestSchema)
	}
	if runtime != "" && runtime != MSCCLPP {
		return nil, fmt.Errorf("%s: an execution plan is for %s, not %s", name, MSCCLPP, runtime)
	}
	d, err := mscclpp.Read(bytes.NewReader(data))
	if err != nil {
		return check.Unreadable(string(MSCCLPP), err), nil
	}
	return mscclpp.Check(d), nil
}

// maxJSON bounds what is read of a JSON file.
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
			return b[0], nil // which readers must see
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

func checkXML(ctx context.Context, r io.Reader, runtime Format) (*check.Report, error) {
	dialect, err := dialectOf(runtime)
	if err != nil {
		return nil, err
	}
	p, dialect, err := msccl.Read(ctx, r, dialect)
	if err != nil {
		if unreadable(err) {
			return nil, err
		}
		return check.Unreadable(string(runtime), err), nil
	}
	return check.Programs(string(dialect), dialect.Limits(), p), nil
}

// unreadable reports an error that is not the fault of what a file says.
func unreadable(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// beside returns the name of a file that another names.
func beside(name, file string) (string, error) {
	if filepath.IsAbs(file) || !filepath.IsLocal(file) {
		return "", fmt.Errorf("manifest: file %q is not in its folder", file)
	}
	return filepath.Join(filepath.Dir(name), file), nil
}

// checkManifest follows data through all stages.
func checkManifest(ctx context.Context, name string, m *Manifest, runtime Format, open Open) (*check.Report, error) {
	if runtime == "" {
		runtime = m.Format
	}
	if (runtime == MSCCLPP) != (m.Format == MSCCLPP) {
		return nil, fmt.Errorf("%s: its programs are for %s, not %s", name, m.Format, runtime)
	}
	var programs []*program.Program
	var documents []*mscclpp.Document
	for i := range m.Stages {
		where, err := beside(name, m.Stages[i].File)
		if err != nil {
			return nil, err
		}
		file, err := open(where)
		if err != nil {
			return nil, err
		}
		if m.Format == MSCCLPP {
			var d *mscclpp.Document
			d, err = mscclpp.Read(file)
			documents = append(documents, d)
		} else {
			var p *program.Program
			p, _, err = msccl.Read(ctx, file, msccl.Dialect(runtime))
			programs = append(programs, p)
		}
		file.Close()
		if err != nil {
			if unreadable(err) {
				return nil, err
			}
			return check.Unreadable(string(runtime), fmt.Errorf("%s: %w", m.Stages[i].File, err)), nil
		}
	}
	if m.Format == MSCCLPP {
		report := mscclpp.Check(documents...)
		report.Add("circuits", circuitsGood, m.circuits(documentUses(documents)))
		return report, nil
	}
	report := check.Programs(string(runtime), msccl.Dialect(runtime).Limits(), programs...)
	report.Add("circuits", circuitsGood, m.circuits(programUses(programs)))
	return report, nil
}

package iterations

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Programs makes the programs of a document's communications, each only once. It is safe for
// concurrent use.
type Programs struct {
	document *iteration.Document
	mu       sync.Mutex
	made     map[key]*program.Program
}

type key struct {
	elements number.Type
	id       wire.ProgramID
}

// NewPrograms returns the programs of a document, which must be correct.
func NewPrograms(d *iteration.Document) *Programs {
	return &Programs{document: d, made: map[key]*program.Program{}}
}

// Of returns the program of a communication.
func (p *Programs) Of(t number.Type, id wire.ProgramID) (*program.Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.made[key{t, id}]; g != nil {
		return g, nil
	}
	g, err := p.make(t, id)
	if err == nil {
		p.made[key{t, id}] = g
	}
	return g, err
}

func (p *Programs) make(t number.Type, id wire.ProgramID) (*program.Program, error) {
	if id.Plan == 0 {
		return program.Send(&p.document.Fabric, units.Bytes(id.Bytes), id.Hops, id.Startup, t)
	}
	if id.Plan < 0 || id.Plan > len(p.document.Plans) {
		return nil, fmt.Errorf("plan %d; there are %d", id.Plan, len(p.document.Plans))
	}
	decoded, err := plan.Decode(bytes.NewReader(p.document.Plans[id.Plan-1]))
	if err != nil {
		return nil, err
	}
	return program.Unwired(decoded, t)
}

// All returns the programs of all jobs.
func (p *Programs) All(t number.Type, jobs *Jobs) (map[wire.ProgramID]*program.Program, error) {
	all := map[wire.ProgramID]*program.Program{}
	for i := range jobs.List {
		job := &jobs.List[i]
		if job.Kind != Communicates || all[job.Program] != nil {
			continue
		}
		g, err := p.Of(t, job.Program)
		if err != nil {
			return nil, err
		}
		all[job.Program] = g
	}
	return all, nil
}

// Digest returns a digest that is different for different documents.
func Digest(d *iteration.Document) (string, error) {
	h := sha256.New()
	if err := d.Encode(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

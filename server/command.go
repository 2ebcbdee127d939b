package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
)

// command is a command of package lightpath as the service offers it.
type command struct{ lightpath.Command }

// question is a request that was read.
type question struct {
	command *command
	request lightpath.Request
	ask     func(ctx context.Context, options ...lightpath.Option) (any, error)
	// written is the body, if it contains a whole plan. Verifying must find wrong statements of
	// a plan, such as a wrong sum, and the parsed request no longer has them.
	written []byte
}

// read reads a request.
func (c *command) read(body []byte) (*question, error) {
	request, err := c.Read(body)
	if err != nil {
		return nil, err
	}
	var written []byte
	if bytes.Contains(body, []byte(plan.Schema)) {
		written = body
	}
	return &question{command: c, request: request, written: written, ask: func(ctx context.Context, options ...lightpath.Option) (any, error) {
		return c.Ask(ctx, request, options...)
	}}, nil
}

// offered returns the commands of the service.
func offered(list []lightpath.Command) []*command {
	return each.Of(list, func(c lightpath.Command) *command { return &command{c} })
}

// key returns the hash of a completed question.
func (q *question) key() (string, []byte, error) {
	text, err := json.Marshal(q.request)
	if err != nil {
		return "", nil, err
	}
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(lightpath.Version()), []byte(q.command.Name), text, q.written} {
		sum.Write([]byte{0})
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil)), text, nil
}

// answer is the answer that is sent and stored.
type answer struct {
	body []byte // JSON, as --json prints it
	plan string // the ID of the plan that it summarizes, or ""
}

// wholePlan is a plan in the form of its file, and the line that lists it.
type wholePlan struct {
	StoredPlan
	body []byte
}

func newWholePlan(p *plan.Plan) (*wholePlan, error) {
	var all bytes.Buffer
	if err := p.Encode(&all); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(all.Bytes())
	return &wholePlan{body: all.Bytes(), StoredPlan: StoredPlan{
		ID: hex.EncodeToString(sum[:]), Op: string(p.Collective.Op), Algorithm: p.Collective.Algorithm, Planner: p.Planner,
		Nodes: p.Fabric.Nodes, SizeBytes: int64(p.Collective.Size), TotalNs: float64(p.Cost.Total()),
	}}, nil
}

// wholeAnswer is what an answer summarizes; nil if the answer is complete itself.
type wholeAnswer struct {
	plan     *wholePlan
	document []byte // such as that of an iteration
}

// form encodes an answer like --json, and what it summarizes.
func (s *Server) form(value any) (a answer, whole wholeAnswer, err error) {
	var out bytes.Buffer
	if err := lightpath.Render(value, s.config.Commands...).JSON(&out); err != nil {
		return a, whole, err
	}
	a.body = out.Bytes()
	switch v := value.(type) {
	case *plan.Plan:
		if whole.plan, err = newWholePlan(v); err != nil {
			return a, whole, err
		}
		a.plan = whole.plan.ID
	case *lightpath.Iteration:
		var all bytes.Buffer
		err = v.Encode(&all)
		whole.document = all.Bytes()
	}
	return a, whole, err
}

// of returns the command of a job. A job that an older version stored may have a command that no
// longer exists; it has no traits.
func (s *Server) of(l *live) *command {
	l.mu.Lock()
	name := l.job.Command
	l.mu.Unlock()
	if c := s.lookup(name); c != nil {
		return c
	}
	return &command{}
}

// lookup finds a command by its name.
func (s *Server) lookup(name string) *command {
	i := slices.IndexFunc(s.commands, func(c *command) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return s.commands[i]
}

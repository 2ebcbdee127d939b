// Package meeting lets the ranks of a collective meet before circuits change. Every rank
// connects, writes "stage 2" when it has sent and received everything of stage 1, and goes on
// when it reads "up 2". The circuits are set when all ranks have written this, so no data is in
// flight then.
package meeting

import (
	"bufio"
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Variable is the environment variable with the address at which ranks meet.
const Variable = "LIGHTPATH_LAUNCHER"

// TokenVariable is the environment variable with the token that ranks must write first.
const TokenVariable = "LIGHTPATH_TOKEN"

// Meeting is where ranks meet.
type Meeting struct {
	// Ranks is the number of ranks, and Stages the number of stages that they go through, again
	// and again.
	Ranks, Stages int
	// Token is what a rank must write first, as "token T"; "": nothing.
	Token string
	// Set sets the circuits of a stage, from 1. No rank goes on before it returns.
	Set func(ctx context.Context, stage int) error

	mu    sync.Mutex
	ranks []rank
	full  chan struct{} // closed when all ranks have joined
	at    int           // the last stage that was set
}

// rank is a rank that has connected.
type rank struct {
	conn  net.Conn
	lines *bufio.Reader
}

// Serve waits for the ranks and leads them through the stages until all of them hang up after
// the last stage. It tells an error to all connected ranks. It may be called only once.
func (m *Meeting) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	m.full = make(chan struct{})
	stop := context.AfterFunc(ctx, func() { m.end(l) })
	defer func() {
		stop()
		cancel()
		m.end(l)
	}()
	deaf := make(chan error, 1)
	go func() { deaf <- m.accept(l) }()
	select {
	case <-m.full:
	case err := <-deaf:
		return errors.Join(ctx.Err(), err)
	}
	for {
		stage, err := m.gather(m.ranks)
		if err == nil && stage > 0 {
			err = m.Set(ctx, stage)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if stage == 0 && err == nil {
			return m.Midway()
		}
		answer := fmt.Sprintf("up %d\n", stage)
		if err != nil {
			answer = failed(err)
		}
		for _, r := range m.ranks {
			if _, lost := io.WriteString(r.conn, answer); lost != nil && err == nil {
				err = fmt.Errorf("a rank is gone: %w", lost)
			}
		}
		if err != nil {
			return err
		}
		m.at = stage
	}
}

// Midway returns an error if the ranks have stopped between two stages. Call it after Serve.
func (m *Meeting) Midway() error {
	if m.at == 0 || m.at == m.Stages {
		return nil
	}
	return fmt.Errorf("all ranks hung up after stage %d of %d", m.at, m.Stages)
}

// failed returns the message to a rank that cannot go on.
func failed(err error) string {
	return "failed: " + strings.ReplaceAll(err.Error(), "\n", "; ") + "\n"
}

// end closes the listener and the connections of all ranks.
func (m *Meeting) end(l net.Listener) {
	l.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.ranks {
		r.conn.Close()
	}
}

// accept lets ranks in until the listener is closed.
func (m *Meeting) accept(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			if err := m.join(rank{conn, bufio.NewReaderSize(conn, 256)}); err != nil {
				dismiss(conn, err)
			}
		}()
	}
}

// patience is how long a client that is not a rank may take to write its token or to read the
// refusal.
const patience = 10 * time.Second

// join makes a client a rank, if it has the token and there is room.
func (m *Meeting) join(r rank) error {
	if m.Token != "" {
		r.conn.SetReadDeadline(time.Now().Add(patience))
		line, err := r.lines.ReadSlice('\n')
		if err != nil || subtle.ConstantTimeCompare(bytes.TrimSpace(line), []byte("token "+m.Token)) != 1 {
			return errors.New("want \"token T\" first, with the token of this launch")
		}
		r.conn.SetReadDeadline(time.Time{})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.ranks) == m.Ranks {
		return fmt.Errorf("all %d ranks are here already", m.Ranks)
	}
	if m.ranks = append(m.ranks, r); len(m.ranks) == m.Ranks {
		close(m.full)
	}
	return nil
}

// dismiss tells a client why it is refused, and hangs up when it has read that.
func dismiss(conn net.Conn, why error) {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, failed(why)); err != nil {
		return
	}
	if half, can := conn.(interface{ CloseWrite() error }); can && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(conn, 1<<16)) // unread input would cut off the answer
	}
}

// gather waits until every rank has reached the next stage, and returns that stage; 0: all have
// hung up.
func (m *Meeting) gather(ranks []rank) (int, error) {
	type came struct {
		stage int
		err   error
	}
	all := make(chan came, len(ranks))
	for _, r := range ranks {
		go func() {
			stage, err := m.read(r.lines)
			all <- came{stage, err}
		}()
	}
	stage := -1
	for range ranks {
		c := <-all
		switch {
		case c.err != nil:
			return 0, c.err
		case stage >= 0 && c.stage != stage:
			return 0, fmt.Errorf("ranks differ: one has come to %s, another to %s", named(stage), named(c.stage))
		}
		stage = c.stage
	}
	return stage, nil
}

// named names a stage.
func named(stage int) string {
	if stage == 0 {
		return "its end"
	}
	return fmt.Sprintf("stage %d", stage)
}

// maxLine is more than any rank writes.
const maxLine = 64

// read reads which stage a rank has reached; 0: it has hung up.
func (m *Meeting) read(from *bufio.Reader) (int, error) {
	line, err := from.ReadSlice('\n')
	if err == io.EOF && len(line) == 0 {
		return 0, nil
	}
	if err != nil || len(line) > maxLine {
		return 0, fmt.Errorf("a rank wrote %.40q and hung up, not a line", line)
	}
	word, number, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	stage, err := strconv.Atoi(number)
	if word != "stage" || err != nil || stage < 1 || stage > m.Stages {
		return 0, fmt.Errorf("a rank wrote %.40q, not \"stage K\" with K in 1..%d", line, m.Stages)
	}
	return stage, nil
}

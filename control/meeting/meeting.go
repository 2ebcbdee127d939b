// Package meeting lets the ranks of a collective meet before circuits change. Every rank connects,
// writes "stage 2" when it has sent and received all of the stage before, and goes on when it
// reads "up 2". The circuits are set when all ranks have come, so nothing is on its way then.
package meeting

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
)

// Variable is the environment variable that tells ranks where they meet.
const Variable = "LIGHTPATH_LAUNCHER"

// Meeting is where ranks meet.
type Meeting struct {
	// Ranks is how many there are, and Stages how many they go through, again and again.
	Ranks, Stages int
	// Set sets the circuits of a stage, from 1. Nobody goes on before it returns.
	Set func(ctx context.Context, stage int) error
}

// rank is a rank that has connected.
type rank struct {
	conn  net.Conn
	lines *bufio.Reader
}

// Serve waits for the ranks and leads them through the stages until they hang up, all between the
// same stages. An error is told to all ranks that are there.
func (m *Meeting) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	var ranks []rank
	var mu sync.Mutex
	stop := context.AfterFunc(ctx, func() {
		l.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, r := range ranks {
			r.conn.Close()
		}
	})
	defer func() {
		cancel()
		stop()
		for _, r := range ranks {
			r.conn.Close()
		}
	}()
	for len(ranks) < m.Ranks {
		conn, err := l.Accept()
		if err != nil {
			return errors.Join(ctx.Err(), err)
		}
		mu.Lock()
		ranks = append(ranks, rank{conn, bufio.NewReaderSize(conn, 256)})
		mu.Unlock()
	}
	for {
		stage, err := m.gather(ranks)
		if err == nil && stage > 0 {
			err = m.Set(ctx, stage)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		answer := fmt.Sprintf("up %d\n", stage)
		if err != nil {
			answer = "failed: " + strings.ReplaceAll(err.Error(), "\n", "; ") + "\n"
		}
		if stage == 0 && err == nil {
			return nil
		}
		for _, r := range ranks {
			if _, lost := io.WriteString(r.conn, answer); lost != nil && err == nil {
				err = fmt.Errorf("a rank is gone: %w", lost)
			}
		}
		if err != nil {
			return err
		}
	}
}

// gather waits until every rank has come, and returns the stage that they have come to; 0: all have
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

// read reads what stage a rank has come to; 0: it has hung up.
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

package scpi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
)

// Identity is what the emulated switch answers to *IDN?.
const Identity = "Lightpath,emulated optical switch,0,1"

// Serve lets clients reach a switch by SCPI until the context ends.
func Serve(ctx context.Context, listener net.Listener, to control.Switch) error {
	return emulated.Serve(ctx, listener, func(ctx context.Context, conn net.Conn) {
		s := NewSession(to)
		s.run(ctx, conn)
	})
}

// Session is the conversation with one client: the switch, and the client's queue of errors.
type Session struct {
	to     control.Switch
	errors []string
}

// NewSession begins a conversation about a switch.
func NewSession(to control.Switch) *Session { return &Session{to: to} }

// maxErrors bounds the queue.
const maxErrors = 16

// run answers line by line until the client leaves.
func (s *Session) run(ctx context.Context, conn net.Conn) {
	in := bufio.NewReaderSize(conn, 1<<16)
	for {
		line, err := readLine(in)
		if err != nil {
			return
		}
		answer, err := s.Answer(ctx, line)
		if errors.Is(err, control.ErrSilent) { // until the client gives up
			conn.Read(make([]byte, 1))
			return
		}
		if err != nil {
			return
		}
		if answer != "" {
			if _, err := conn.Write([]byte(answer + "\n")); err != nil {
				return
			}
		}
	}
}

// Answer executes a line, which may be several commands separated by semicolons, and returns the
// answer, "" for none. An error means that the switch no longer answers.
func (s *Session) Answer(ctx context.Context, line string) (string, error) {
	var answers []string
	for command := range strings.SplitSeq(line, ";") {
		if command = strings.TrimSpace(command); command == "" {
			continue
		}
		header, argument, _ := strings.Cut(command, " ")
		answer, err := s.one(ctx, shorten(header), strings.TrimSpace(argument))
		var refusal *control.Refusal
		var bad *syntaxError
		switch {
		case errors.As(err, &bad):
			s.fail(bad.code, bad.why)
		case errors.As(err, &refusal):
			s.fail(conflict, refusal.Why)
		case err != nil:
			return "", err
		}
		if answer != "" {
			answers = append(answers, answer)
		}
	}
	return strings.Join(answers, ";"), nil
}

// Error numbers of SCPI.
const (
	undefined = -113 // unknown header
	parameter = -104 // wrong argument
	conflict  = -221 // not possible now
)

// syntaxError reports an invalid command.
type syntaxError struct {
	code int
	why  string
}

func (e *syntaxError) Error() string { return e.why }

// fail puts an error into the queue.
func (s *Session) fail(code int, why string) {
	if len(s.errors) < maxErrors {
		s.errors = append(s.errors, fmt.Sprintf("%d,%q", code, strings.ReplaceAll(why, `"`, "'")))
	}
}

// one executes one command.
func (s *Session) one(ctx context.Context, header, argument string) (string, error) {
	switch header {
	case "*IDN?":
		return Identity, nil
	case "*OPC?":
		return "1", nil
	case "*CLS":
		s.errors = nil
		return "", nil
	case "SYST:ERR?":
		if len(s.errors) == 0 {
			return `0,"No error"`, nil
		}
		first := s.errors[0]
		s.errors = s.errors[1:]
		return first, nil
	case "OXC:SWIT:SIZE?":
		size, err := s.to.Size(ctx)
		return fmt.Sprintf("%d,%d", size.Ingress, size.Egress), err
	case "OXC:SWIT:CONN:STAT?":
		up, err := s.to.State(ctx)
		return formatLists(up.Crosses()), err
	case "OXC:SWIT:CONN:PORT?":
		return s.peer(ctx, argument)
	case "OXC:SWIT:DISC:ALL":
		up, err := s.to.State(ctx)
		if err != nil {
			return "", err
		}
		return "", s.to.Change(ctx, control.Change{Disconnect: up.Crosses()})
	case "OXC:SWIT:CONN:ADD", "OXC:SWIT:CONN:SUB", "OXC:SWIT:CONN:ONL":
		return "", s.change(ctx, header, argument)
	}
	return "", &syntaxError{undefined, "Undefined header"}
}

// change executes a command with two lists.
func (s *Session) change(ctx context.Context, header, argument string) error {
	crosses, err := parseLists(argument)
	if err == nil {
		_, err = control.Up(crosses)
	}
	if err != nil {
		return &syntaxError{parameter, err.Error()}
	}
	switch header {
	case "OXC:SWIT:CONN:ADD":
		return s.to.Change(ctx, control.Change{Connect: crosses})
	case "OXC:SWIT:CONN:SUB":
		return s.to.Change(ctx, control.Change{Disconnect: crosses})
	}
	up, err := s.to.State(ctx)
	if err != nil {
		return err
	}
	want, err := control.Up(crosses)
	if err != nil {
		return err
	}
	return s.to.Change(ctx, control.Difference(up, want))
}

// peer answers what a port is connected to.
func (s *Session) peer(ctx context.Context, argument string) (string, error) {
	asked, err := port(argument)
	if err != nil {
		return "", &syntaxError{parameter, err.Error()}
	}
	up, err := s.to.State(ctx)
	if err != nil {
		return "", err
	}
	for _, x := range up.Crosses() {
		switch asked {
		case x.Ingress:
			return fmt.Sprint(x.Egress), nil
		case x.Egress:
			return fmt.Sprint(x.Ingress), nil
		}
	}
	return "0", nil
}

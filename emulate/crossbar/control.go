package crossbar

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// work obeys the coordinator until it ends the run.
func (s *server) work(ctx context.Context) error {
	orders, lost := make(chan *wire.Frame), make(chan error, 1)
	s.workers.Go(func() {
		for {
			f, err := s.control.Receive()
			if err != nil {
				lost <- err
				return
			}
			select {
			case orders <- f:
			case <-s.over:
				return
			}
		}
	})
	beat := time.NewTicker(max(s.config.Beat, time.Millisecond))
	defer beat.Stop()
	var due <-chan time.Time
	if s.config.Injected != "" && s.config.InStep == 0 {
		due = time.After(s.config.At)
	}
	// Setting circuits up takes time, in which the loop goes on.
	type setting struct {
		done  wire.ConnectedMessage
		began time.Duration
	}
	set := make(chan setting)
	for {
		select {
		case f := <-orders:
			switch f.Kind {
			case wire.Connect:
				var m wire.ConnectMessage
				if err := wire.Decode(f, wire.Connect, &m); err != nil {
					return fmt.Errorf("switch: coordinator: %w", err)
				}
				if s.face != nil {
					if up, err := s.face.check(&m); err == nil {
						wire.SendJSON(s.control, wire.Connected, up)
					}
					continue
				}
				changed, wait, err := s.connect(&m)
				if err != nil {
					continue // already reported
				}
				now := setting{wire.ConnectedMessage{Stage: m.Stage, Changed: changed}, s.o.Clock()}
				s.workers.Go(func() {
					if s.sleep(wait) {
						select {
						case set <- now:
						case <-s.over:
						}
					}
				})
			case wire.Expect:
				var m wire.ExpectMessage
				if err := wire.Decode(f, wire.Expect, &m); err != nil {
					return fmt.Errorf("switch: coordinator: %w", err)
				}
				if s.face == nil {
					return errUncontrolled
				}
				s.face.expect(&m)
				wire.SendJSON(s.control, wire.Expect, wire.ExpectMessage{})
			case wire.Finish:
				s.mu.Lock()
				stats := wire.StatsMessage{Circuits: s.state.Carried()}
				stats.Island, stats.Fixed = s.state.Beside()
				if s.face != nil {
					stats.Commands = s.face.commands
				}
				s.mu.Unlock()
				return wire.SendJSON(s.control, wire.Stats, stats)
			case wire.Abort:
				return nil
			default:
				return fmt.Errorf("switch: coordinator: a frame of kind %d", f.Kind)
			}
		case up := <-set:
			up.done.Clock = s.o.Clock()
			up.done.Dark = up.done.Clock - up.began
			wire.SendJSON(s.control, wire.Connected, up.done)
		case err := <-lost:
			return fmt.Errorf("switch: lost the coordinator: %w", err)
		case <-s.complete:
			wire.SendJSON(s.control, wire.Ready, wire.ReadyMessage{Control: s.address})
		case f := <-s.failed:
			wire.SendJSON(s.control, wire.Fault, f.Message())
		case <-beat.C:
			s.mu.Lock()
			m := wire.BeatMessage{Step: s.step, Peer: fault.Nobody, Clock: s.o.Clock()}
			stalled := s.stalled
			s.mu.Unlock()
			if !stalled {
				wire.SendJSON(s.control, wire.Beat, m)
			}
		case <-s.wrong:
			if err := s.misbehave(); err != nil {
				return err
			}
		case <-due:
			if err := s.misbehave(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// connect sets circuits and returns how long it takes until all are up.
func (s *server) connect(m *wire.ConnectMessage) (changed int, wait time.Duration, err error) {
	circuits := m.List()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Clock()
	connect := s.state.Connect
	if m.Partial {
		connect = s.state.Set
	}
	changed, up, err := connect(now, circuits, m.Dark)
	if err != nil {
		s.report(err)
		return 0, 0, err
	}
	return changed, up - now, nil
}

// report reports circuits that cannot be set, or not now. The mutex is held.
func (s *server) report(err error) {
	var cause *Fault
	f := &fault.Fault{Kind: fault.Invalid, Rank: fault.Nobody, Step: s.step, Peer: fault.Nobody, Detail: err.Error()}
	if errors.As(err, &cause) {
		f.Kind, f.Rank, f.Peer = fault.Kind(cause.Kind), cause.From, cause.To
	}
	select {
	case s.failed <- f:
	default:
	}
}

// errDied ends a switch that was told to die.
var errDied = errors.New("switch: died, as asked")

// misbehave does the injected fault that the coordinator has requested, like a rank.
func (s *server) misbehave() error {
	s.mu.Lock()
	done := s.injected
	s.injected = true
	s.mu.Unlock()
	if done {
		return nil
	}
	kind := fault.Kind(s.config.Injected)
	if s.o.Misbehave != nil {
		s.o.Misbehave(kind)
	}
	if kind == fault.SwitchDied {
		return errDied
	}
	s.mu.Lock()
	s.stalled = true
	s.mu.Unlock()
	return nil
}

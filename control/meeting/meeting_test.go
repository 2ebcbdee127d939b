package meeting_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lightpath-net/lightpath/control/meeting"
)

// meet starts a meeting and returns its address and a channel for its result.
func meet(t *testing.T, m *meeting.Meeting) (string, <-chan error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	end := make(chan error, 1)
	go func() { end <- m.Serve(t.Context(), l) }()
	return l.Addr().String(), end
}

// say connects, writes lines one by one, and returns the answer to each.
func say(t *testing.T, address string, lines ...string) []string {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer conn.Close()
	from := bufio.NewReader(conn)
	var answers []string
	for _, line := range lines {
		fmt.Fprint(conn, line)
		if !strings.HasSuffix(line, "\n") {
			break // half a line, then it hangs up
		}
		answer, err := from.ReadString('\n')
		if err != nil {
			break
		}
		answers = append(answers, strings.TrimSpace(answer))
	}
	return answers
}

// No rank continues before all ranks have arrived and the circuits are up; then all continue.
func TestNobodyGoesOnBeforeAllHaveCome(t *testing.T) {
	t.Parallel()
	const ranks, rounds = 8, 21
	var came, set atomic.Int64
	m := &meeting.Meeting{Ranks: ranks, Stages: 3, Set: func(_ context.Context, stage int) error {
		if n := came.Load(); n%ranks != 0 || int(n/ranks)-1 != int(set.Load()) {
			t.Errorf("stage %d is set when %d have come", stage, n)
		}
		set.Add(1)
		return nil
	}}
	address, end := meet(t, m)
	var all sync.WaitGroup
	for range ranks {
		all.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			from := bufio.NewReader(conn)
			for k := range rounds {
				came.Add(1)
				fmt.Fprintf(conn, "stage %d\n", k%3+1)
				if answer, err := from.ReadString('\n'); err != nil || answer != fmt.Sprintf("up %d\n", k%3+1) {
					t.Errorf("%q, %v", answer, err)
					return
				}
				if int(set.Load()) <= k {
					t.Errorf("round %d goes on before it is set", k)
				}
			}
		})
	}
	all.Wait()
	if err := <-end; err != nil || set.Load() != rounds {
		t.Errorf("%v after %d changes", err, set.Load())
	}
}

// A fault ends the meeting with the fault's reason, and no rank is told that circuits are up.
func TestAMeetingEndsWithItsReason(t *testing.T) {
	t.Parallel()
	for says, lines := range map[string][2][]string{
		"ranks differ":       {{"stage 1\n"}, {"stage 2\n"}},
		"not \"stage K\"":    {{"stage 1\n"}, {"stage 9\n"}},
		"wrote \"stage 1\"":  {{"stage 1\n"}, {"stage 1"}},
		"to its end":         {{"stage 1\n"}, {}},
		"the switch refuses": {{"stage 2\n"}, {"stage 2\n"}},
		"hung up, not a":     {{"stage 1\n"}, {strings.Repeat("x", 1000) + "\n"}},
	} {
		m := &meeting.Meeting{Ranks: 2, Stages: 2, Set: func(_ context.Context, stage int) error {
			if stage == 2 {
				return errors.New("the switch refuses")
			}
			return nil
		}}
		address, end := meet(t, m)
		var all sync.WaitGroup
		for _, words := range lines {
			all.Go(func() {
				for _, answer := range say(t, address, words...) {
					if strings.HasPrefix(answer, "up") {
						t.Errorf("%s: %q", says, answer)
					}
				}
			})
		}
		all.Wait()
		if err := <-end; err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want ..%s..", err, says)
		}
	}
}

// If all ranks hang up between two stages, the meeting fails.
func TestRanksThatVanishMidwayAreMissed(t *testing.T) {
	t.Parallel()
	for says, words := range map[string][]string{
		"after stage 1 of 2": {"stage 1\n"}, "": {"stage 1\n", "stage 2\n"}, "stage 1 of 2": {"stage 1\n", "stage 2\n", "stage 1\n"},
	} {
		address, end := meet(t, &meeting.Meeting{Ranks: 2, Stages: 2, Set: func(context.Context, int) error { return nil }})
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { say(t, address, words...) })
		}
		all.Wait()
		if err := <-end; (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want ..%s..", err, says)
		}
	}
}

// A client that is late or has no token is told so, and the ranks continue.
func TestStrangersAreTurnedAway(t *testing.T) {
	t.Parallel()
	address, end := meet(t, &meeting.Meeting{Ranks: 2, Stages: 1, Token: "0123456789abcdef", Set: func(context.Context, int) error { return nil }})
	turned := func(says string, words ...string) {
		t.Helper()
		if got := say(t, address, words...); len(got) != 1 || !strings.Contains(got[0], says) {
			t.Errorf("%q is told %q; want ..%s..", words, got, says)
		}
	}
	turned("want \"token T\"", "stage 1\n")
	turned("want \"token T\"", "token 0123\n")
	var ranks [2]net.Conn
	for i := range ranks {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "token 0123456789abcdef\nstage 1\n")
		ranks[i] = conn
	}
	for _, conn := range ranks {
		if answer, err := bufio.NewReader(conn).ReadString('\n'); answer != "up 1\n" {
			t.Errorf("%q, %v", answer, err)
		}
	}
	turned("all 2 ranks are here", "token 0123456789abcdef\n")
	for _, conn := range ranks {
		conn.Close()
	}
	if err := <-end; err != nil {
		t.Error(err)
	}
}

// A meeting ends with its context, whether ranks have arrived or not.
func TestAMeetingHeedsItsContext(t *testing.T) {
	t.Parallel()
	for _, come := range []int{0, 1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		end := make(chan error, 1)
		go func() {
			end <- (&meeting.Meeting{Ranks: 2, Stages: 1, Set: func(context.Context, int) error { return nil }}).Serve(ctx, l)
		}()
		for range come {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
		}
		cancel()
		if err := <-end; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

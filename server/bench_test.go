package server_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/server"
)

const knownPlan = `{"operations":[{"op":"allreduce","size":"4MiB","algorithm":"recursive-doubling"}],"fabric":{"nodes":16,"ports":1},"planner":"harvest"}`

// BenchmarkKnownPlan requests a plan that the store has.
func BenchmarkKnownPlan(b *testing.B) {
	s, err := server.New(b.Context(), server.Config{Data: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	handler := s.Handler()
	const body = knownPlan
	for b.Loop() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/plan", strings.NewReader(body)))
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}

// BenchmarkKnownPlanHTTP does the same over a connection, with a discarded log.
func BenchmarkKnownPlanHTTP(b *testing.B) {
	s, err := server.New(b.Context(), server.Config{Data: b.TempDir(), Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	const body = knownPlan
	c, err := net.Dial("tcp", web.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	lines := bufio.NewReader(c)
	for b.Loop() {
		fmt.Fprintf(c, "POST /v1/plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		answer, err := http.ReadResponse(lines, nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			b.Fatal(answer, err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkKnownPlanManyClients runs 200 clients that each request a known plan again as soon as
// they have it; with -benchtime 30s for half a minute. It reports how long most of them wait.
func BenchmarkKnownPlanManyClients(b *testing.B) {
	const clients = 200
	s, err := server.New(b.Context(), server.Config{Data: b.TempDir(), Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	waits := make([][]time.Duration, clients)
	ask := func(c net.Conn, lines *bufio.Reader) error {
		fmt.Fprintf(c, "POST /v1/plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(knownPlan), knownPlan)
		answer, err := http.ReadResponse(lines, nil)
		if err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s", answer.Status)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	}
	var group sync.WaitGroup
	var left atomic.Int64
	client := func(i int) error {
		c, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			return err
		}
		defer c.Close()
		lines := bufio.NewReader(c)
		for left.Add(-1) >= 0 {
			begun := time.Now()
			if err := ask(c, lines); err != nil {
				return err
			}
			waits[i] = append(waits[i], time.Since(begun))
		}
		return nil
	}
	left.Store(1) // the plan is not known before
	if err := client(0); err != nil {
		b.Fatal(err)
	}
	waits[0] = nil
	left.Store(int64(b.N))
	b.ResetTimer()
	for i := range clients {
		group.Go(func() {
			if err := client(i); err != nil {
				b.Error(err)
			}
		})
	}
	group.Wait()
	all := slices.Concat(waits...)
	slices.Sort(all)
	b.ReportMetric(all[len(all)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(all[len(all)*99/100].Seconds()*1000, "p99-ms")
}

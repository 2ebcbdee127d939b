package server_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/server"
)

// BenchmarkKnownPlan is a plan that the store has.
func BenchmarkKnownPlan(b *testing.B) {
	s, err := server.New(b.Context(), server.Config{Data: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	handler := s.Handler()
	const body = `{"operations":[{"op":"allreduce","size":"4MiB","algorithm":"recursive-doubling"}],"fabric":{"nodes":16,"ports":1},"planner":"harvest"}`
	for b.Loop() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/plan", strings.NewReader(body)))
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}

// BenchmarkKnownPlanHTTP is the same with a connection, and a log that nobody reads.
func BenchmarkKnownPlanHTTP(b *testing.B) {
	s, err := server.New(b.Context(), server.Config{Data: b.TempDir(), Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	const body = `{"operations":[{"op":"allreduce","size":"4MiB","algorithm":"recursive-doubling"}],"fabric":{"nodes":16,"ports":1},"planner":"harvest"}`
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

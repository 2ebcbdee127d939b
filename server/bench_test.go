package server_test

import (
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

package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// writeTimeout is how long a client may take to accept each piece of an answer.
const writeTimeout = 30 * time.Second

// contentPolicy lets the studio load only embedded content.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// heeded are the security headers for browsers, by their canonical names.
var heeded = [...]struct{ name, value string }{
	{"Content-Security-Policy", contentPolicy},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
}

// guard wraps every handler. It names the request, logs it, counts it, sets headers for
// browsers, refuses clients that may not connect, and recovers from panics.
func (s *Server) guard(next http.Handler) http.Handler {
	values := make([]string, len(heeded)) // shared by all answers; none changes them
	for i := range heeded {
		values[i] = heeded[i].value
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := rand.Text()[:12]
		seen := &recorder{ResponseWriter: w, status: http.StatusOK}
		h := seen.Header()
		h.Set("X-Request-Id", id)
		for i := range heeded {
			h[heeded[i].name] = values[i : i+1 : i+1]
		}
		ctx := context.WithValue(r.Context(), requestID{}, id)
		// The mux records the pattern in the request that it gets; route reads it from there.
		r = r.WithContext(ctx)
		defer func() {
			if bug := recover(); bug != nil && bug != http.ErrAbortHandler { //nolint:errorlint // a value of panic
				s.log.ErrorContext(ctx, "panic", "request", id, "path", r.URL.Path, "what", fmt.Sprint(bug), "stack", string(debug.Stack()))
				if !seen.wrote {
					refuse(seen, http.StatusInternalServerError, errInternal)
				}
			}
			took := time.Since(start)
			s.metrics.observe(route(r), seen.status, took)
			s.log.LogAttrs(ctx, slog.LevelInfo, "request", slog.String("request", id), slog.String("method", r.Method),
				slog.String("path", r.URL.Path), slog.Int("status", seen.status), slog.Int64("bytes", seen.bytes),
				slog.Duration("took", took), slog.String("client", clientOf(r)))
		}()
		if status, err := s.gate.Admit(r); err != nil {
			if status == http.StatusUnauthorized {
				h.Set("WWW-Authenticate", `Bearer realm="lightpath"`)
			}
			refuse(seen, status, err)
			return
		}
		next.ServeHTTP(seen, r)
	})
}

type requestID struct{}

// route returns the pattern that answered; unlike paths, patterns are few.
func route(r *http.Request) string {
	if r.Pattern == "" {
		return "none"
	}
	_, path, ok := strings.Cut(r.Pattern, " ")
	if !ok {
		path = r.Pattern
	}
	return path
}

// clientOf names the client, for limits and logs.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// open reports paths that need no token: the health check, and the studio's own code, which asks
// the user for the token.
func open(path string) bool {
	return path == "/healthz" || path == "/readyz" || !strings.HasPrefix(path, "/v1/") && path != "/metrics"
}

// bare reports paths that pages of other sites may request: the studio's own code, so that links
// to it work.
func bare(path string) bool { return !strings.HasPrefix(path, "/v1/") }

// recorder records the status of an answer, and gives every write a deadline.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	wrote  bool
}

func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(data []byte) (int, error) {
	r.wrote = true
	// A writer without deadlines, as in tests, has no slow client.
	_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(time.Now().Add(writeTimeout))
	n, err := r.ResponseWriter.Write(data)
	r.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

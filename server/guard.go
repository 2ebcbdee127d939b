package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// writeTimeout is how long a client may take to accept what is written to it, a piece at a
// time.
const writeTimeout = 30 * time.Second

// contentPolicy lets the studio load what is embedded and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// heeded are the headers that browsers heed, by their canonical names.
var heeded = [...]struct{ name, value string }{
	{"Content-Security-Policy", contentPolicy},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
}

// guard is around every handler: it names the request, logs it, counts it, sets the headers
// that browsers heed, refuses whom it may not answer, and survives a bug.
func (s *Server) guard(next http.Handler) http.Handler {
	values := make([]string, len(heeded)) // shared by all answers, which do not change them
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
		// The mux notes the pattern in the request that it is given, which route reads.
		r = r.WithContext(ctx)
		defer func() {
			if bug := recover(); bug != nil && bug != http.ErrAbortHandler { //nolint:errorlint // it is a value of panic
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
		if status, err := s.admit(r); err != nil {
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

// route is the pattern that answered, which are few, other than paths.
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

// clientOf names who asks, for limits and logs.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// admit refuses requests under a foreign name, which is how a page of somebody else reaches
// a service on loopback (DNS rebinding), from pages of others, and without the token.
func (s *Server) admit(r *http.Request) (int, error) {
	if !s.knownHost(r.Host) {
		return http.StatusMisdirectedRequest, fmt.Errorf("host %.80q is not a name of this service; whoever runs it can add names", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) || u.Host == "" {
			return http.StatusForbidden, fmt.Errorf("origin %.80q: pages of others may not ask", origin)
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); strings.HasPrefix(r.URL.Path, "/v1/") && (site == "cross-site" || site == "same-site") {
		return http.StatusForbidden, errors.New("pages of others may not ask")
	}
	if s.token == nil || open(r.URL.Path) {
		return 0, nil
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(given))
	if !ok || subtle.ConstantTimeCompare(sum[:], s.token) != 1 {
		return http.StatusUnauthorized, errors.New("want the token of this service, as Authorization: Bearer TOKEN")
	}
	return 0, nil
}

// open reports what needs no token: whether the service lives, and the studio's own code,
// which asks for it.
func open(path string) bool {
	return path == "/healthz" || path == "/readyz" || !strings.HasPrefix(path, "/v1/") && path != "/metrics"
}

// knownHost accepts addresses, which nobody can rebind, localhost, and the names that the
// service was given.
func (s *Server) knownHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if net.ParseIP(host) != nil || strings.EqualFold(host, "localhost") {
		return true
	}
	return slices.ContainsFunc(s.config.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// recorder remembers what was answered, and gives every write a deadline.
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

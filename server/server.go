package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/gate"
)

// Config says what to serve and to whom.
type Config struct {
	// Data is the folder of the store; "": a temporary one that ends with the server.
	Data string
	// Token, if not "", is the token that clients must send.
	Token string
	// Hosts are the names of the service besides its addresses and localhost.
	Hosts  []string
	TLS    *tls.Config // nil: plain HTTP
	Limits Limits
	// Launcher starts the processes of emulations; nil: ranks are goroutines of the service.
	Launcher emulate.Launcher
	Log      *slog.Logger // nil: no log
	// Commands are the commands to serve; nil: lightpath.Commands.
	Commands []lightpath.Command
}

// Server is the service. It is safe for concurrent use.
type Server struct {
	config    Config
	log       *slog.Logger
	gate      gate.Gate
	dir       string
	temporary bool
	version   string
	commands  []*command
	owned     io.Closer // the lock on dir
	store     *store
	places    *places
	jobs      *jobs
	request   kind // limits of work for requests
	job       kind // of jobs on one thread
	sweep     kind // of sweeps, which take turns on several threads
	metrics   *meters
	bodies    atomic.Int64 // bytes of large bodies in memory
	ending    chan struct{}
	endOnce   sync.Once
	stopWatch context.CancelFunc
	watched   chan struct{}
	openAPI   []byte
}

// New opens the store and restarts interrupted jobs. The caller must close the server.
func New(ctx context.Context, c Config) (*Server, error) {
	c.Limits.complete()
	if c.Commands == nil {
		c.Commands = lightpath.Commands()
	}
	s := &Server{
		config: c, log: c.Log, dir: c.Data, version: lightpath.Version(), commands: offered(c.Commands), places: newPlaces(&c.Limits),
		metrics: newMeters(), ending: make(chan struct{}), watched: make(chan struct{}),
	}
	s.request = kind{time: c.Limits.Request, cpu: c.Limits.CPU, late: errTooLong, excess: errCPU, lower: requestLower, threads: 1}
	s.job = kind{time: c.Limits.Job, cpu: c.Limits.JobCPU, late: errJobLong, excess: errJobCPU, lower: jobLower, threads: 1}
	s.sweep = s.job
	s.sweep.threads = c.Limits.Running
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.gate = gate.Gate{Hosts: c.Hosts, Open: open, Bare: bare}
	s.gate.SetToken(c.Token)
	var err error
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "lightpath-serve-"); err != nil {
			return nil, err
		}
		s.temporary = true
	} else if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	if s.openAPI, err = s.describe(); err != nil {
		return nil, err
	}
	// A second service would restart the jobs that the first one is running.
	if s.owned, err = files.Own(filepath.Join(s.dir, "lock")); errors.Is(err, files.ErrInUse) {
		return nil, fmt.Errorf("%s: another service uses it; end that one, or name another directory", s.dir)
	} else if err != nil {
		return nil, err
	}
	if s.store, err = openStore(ctx, s.dir); err != nil {
		return nil, errors.Join(err, s.owned.Close())
	}
	s.jobs = newJobs(s)
	watch, stop := context.WithCancel(context.Background())
	s.stopWatch = stop
	go func() {
		defer close(s.watched)
		s.places.watch(watch)
	}()
	if err := s.jobs.resume(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close stops the jobs, which continue when a server is started on the same folder, and closes
// the store.
func (s *Server) Close() error {
	s.endOnce.Do(func() { close(s.ending) })
	s.jobs.close()
	s.stopWatch()
	<-s.watched
	err := errors.Join(s.store.close(), s.owned.Close())
	if s.temporary {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}

// Time limits for clients.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 30 * time.Second // of a whole request, so that a byte per second does not get far
	idleTimeout   = time.Minute
	headerBytes   = 32 << 10
	shutdownTime  = 10 * time.Second
)

// Serve answers on a listener until ctx is done; running requests are then given time to end.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	listener = &limitListener{Listener: listener, places: make(chan struct{}, s.config.Limits.Clients)}
	if s.config.TLS != nil {
		listener = tls.NewListener(listener, s.config.TLS)
	}
	web := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.endOnce.Do(func() { close(s.ending) }) // followers would stay forever
	s.log.Info("ending")
	patience, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := web.Shutdown(patience); err != nil {
		return errors.Join(fmt.Errorf("some requests did not end: %w", err), web.Close())
	}
	return nil
}

// Handler returns the whole service, with its guard.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, c := range s.commands {
		mux.Handle("POST /v1/"+c.Name, s.handle(func(w http.ResponseWriter, r *http.Request) error { return s.ask(w, r, c) }))
	}
	for pattern, f := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /v1/list":                s.list,
		"GET /v1/wiring":              s.wiring,
		"GET /v1/plugging":            s.plugging,
		"GET /v1/plans":               s.listPlans,
		"POST /v1/plans":              s.addPlan,
		"GET /v1/plans/{id}":          s.getPlan,
		"DELETE /v1/plans/{id}":       s.deletePlan,
		"GET /v1/jobs":                s.listJobs,
		"POST /v1/jobs":               s.makeJob,
		"GET /v1/jobs/{id}":           s.getJob,
		"DELETE /v1/jobs/{id}":        s.cancelJob,
		"GET /v1/jobs/{id}/events":    s.events,
		"GET /v1/jobs/{id}/answer":    s.jobAnswer,
		"GET /openapi.json":           s.getOpenAPI,
		"GET /healthz":                s.healthy,
		"GET /readyz":                 s.ready,
		"GET /metrics":                s.getMetrics,
		"GET /v1/export":              s.export,
		"GET /v1/plans/{id}/film":     s.film,
		"GET /v1/plans/{id}/switches": s.switches,
		"GET /v1/plans/{id}/figure":   s.figure,
	} {
		mux.Handle(pattern, s.handle(f))
	}
	mux.Handle(otherwise, s.handle(func(w http.ResponseWriter, r *http.Request) error {
		if methods := allowed(mux, r); len(methods) > 0 {
			w.Header().Set("Allow", strings.Join(methods, ", "))
			refuse(w, http.StatusMethodNotAllowed, fmt.Errorf("%s %.80q: not with this method, but with %s", r.Method, r.URL.Path, strings.Join(methods, " or ")))
			return nil
		}
		refuse(w, http.StatusNotFound, fmt.Errorf("%s %.80q: no such path; /openapi.json lists all paths", r.Method, r.URL.Path))
		return nil
	}))
	mux.Handle("/", studioHandler())
	return s.guard(compressed(mux))
}

// otherwise is the pattern for paths under /v1 that no other pattern matches.
const otherwise = "/v1/"

// allowed lists the methods that the path of a request supports.
func allowed(mux *http.ServeMux, r *http.Request) (methods []string) {
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		other := *r
		other.Method = m
		if _, pattern := mux.Handler(&other); pattern != otherwise {
			methods = append(methods, m)
		}
	}
	return methods
}

// handle makes a handler of a function whose error is the answer.
func (s *Server) handle(f func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := f(w, r)
		wrong := (*malformed)(nil)
		late := errors.Is(err, os.ErrDeadlineExceeded)
		if err == nil || r.Context().Err() != nil && !late { // the client has gone
			return
		}
		status := statusOf(err)
		var broken *storeError
		switch {
		case errors.As(err, &broken): // the client cannot fix it
			s.log.ErrorContext(r.Context(), "the store failed", "request", r.Context().Value(requestID{}), "error", err)
			status, err = http.StatusInternalServerError, errInternal
		case late:
			status = http.StatusRequestTimeout
			w.Header().Set("Connection", "close")
		case errors.As(err, &wrong):
			status, err = http.StatusBadRequest, wrong.err
		}
		refuse(w, status, err)
	})
}

// malformed marks a body that is not a request at all.
type malformed struct{ err error }

func (m *malformed) Error() string { return m.err.Error() }
func (m *malformed) Unwrap() error { return m.err }

// body reads a request. After that there is no read deadline, so that the connection may be
// silent for as long as the work takes.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if most := int64(s.config.Limits.Body); r.ContentLength > most { // refuse without reading
		w.Header().Set("Connection", "close")
		return nil, s.tooLarge(&http.MaxBytesError{Limit: most})
	}
	if err := s.reserve(r); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.config.Limits.Body)))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, s.tooLarge(err)
	case err != nil:
		return nil, &malformed{fmt.Errorf("the body did not arrive: %w", err)}
	}
	patient(w)
	return data, nil
}

func (s *Server) tooLarge(err error) error {
	return fmt.Errorf("the body is larger than %s, the limit of this service: %w", s.config.Limits.Body, err)
}

// smallBody is a size that many clients may send at once, and that takes no time to read.
const smallBody = 64 << 10

// reserve reserves the memory of a body until the request is over. All bodies together may take
// a quarter of the process's memory. A body of unknown length counts with the largest length
// allowed.
func (s *Server) reserve(r *http.Request) error {
	size := r.ContentLength
	if most := int64(s.config.Limits.Body); size < 0 || size > most {
		size = most
	}
	if size <= smallBody {
		return nil
	}
	if s.bodies.Add(size) > int64(s.config.Limits.Memory)/4 {
		s.bodies.Add(-size)
		return errBodies
	}
	context.AfterFunc(r.Context(), func() { s.bodies.Add(-size) })
	return nil
}

// patient removes the read deadline. A writer without deadlines, as in tests, needs nothing.
func patient(w http.ResponseWriter) { _ = http.NewResponseController(w).SetReadDeadline(time.Time{}) }

// limitListener accepts a limited number of connections at once; others wait in the kernel's
// queue.
type limitListener struct {
	net.Listener
	places chan struct{}
}

func (l *limitListener) Accept() (net.Conn, error) {
	l.places <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

type limitedConn struct {
	net.Conn
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

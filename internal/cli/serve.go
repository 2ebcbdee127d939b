package cli

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/units"
)

// serveFlags are the flags of the command.
type serveFlags struct {
	listen, data, tokenFile, cert, key string
	insecure                           bool
	hosts                              []string
	body, memory                       *bind.Text
	limits                             server.Limits
}

func (s *session) serveCommand() *cobra.Command {
	f := &serveFlags{body: bind.NewText("64MiB", "SIZE"), memory: bind.NewText("4GiB", "SIZE")}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve every command over HTTP, with the studio at /",
		Long: `Serve every command over HTTP: POST /v1/COMMAND with a request as JSON returns
what the command prints with --json. /openapi.json describes the API; the studio
is at /. Long work runs as a job under /v1/jobs.

Only this machine can connect, unless --listen names another address; that needs
--token-file or --insecure. --data keeps answers, and interrupted jobs resume at
the next start. Ctrl-C stops it.`,
		Example: `  lightpath serve
  lightpath serve --data ~/lightpath --listen 127.0.0.1:9000
  lightpath serve --listen :8443 --token-file token \
      --tls-cert c.pem --tls-key k.pem`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(s, c) },
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8080", "`ADDRESS` and port to listen on")
	c.Flags().StringVar(&f.data, "data", "", "keep answers, plans and jobs in `DIR` (default: in memory, lost on exit)")
	c.Flags().StringVar(&f.tokenFile, "token-file", "", "require clients to send the token in `FILE`")
	c.Flags().BoolVar(&f.insecure, "insecure", false, "accept requests from anyone who can reach --listen")
	c.Flags().StringVar(&f.cert, "tls-cert", "", "serve HTTPS with the certificate in `FILE`")
	c.Flags().StringVar(&f.key, "tls-key", "", "private key of --tls-cert, in `FILE`")
	c.Flags().StringArrayVar(&f.hosts, "host", nil, "accept `NAME` as this service's host in URLs; may be repeated")
	c.Flags().Var(f.body, "max-body", "largest request body")
	c.Flags().IntVar(&f.limits.Nodes, "max-nodes", 4096, "largest number of nodes in a request")
	c.Flags().IntVar(&f.limits.Ranks, "max-ranks", 256, "largest number of ranks in an emulation")
	c.Flags().IntVar(&f.limits.Cells, "max-cells", 100_000, "largest number of cells in a sweep")
	c.Flags().DurationVar(&f.limits.Request, "max-time", 60e9, "time limit of a request, e.g. 30s")
	c.Flags().DurationVar(&f.limits.Job, "max-job-time", 3600e9, "time limit of a job, e.g. 2h")
	c.Flags().DurationVar(&f.limits.CPU, "max-cpu", 0, "processor-time limit of a request (default half of --max-time)")
	c.Flags().DurationVar(&f.limits.JobCPU, "max-job-cpu", 0, "processor-time limit of a job (default half of --max-job-time for each core but one)")
	c.Flags().Var(f.memory, "max-memory", "memory limit of the process; work beyond it is stopped")
	c.Flags().IntVar(&f.limits.Jobs, "max-jobs", 16, "unfinished jobs per client")
	bind.Call(c.Flags(), "N", "max-nodes", "max-ranks", "max-cells", "max-jobs")
	bind.Call(c.Flags(), "TIME", "max-time", "max-job-time", "max-cpu", "max-job-cpu")
	return c
}

func (f *serveFlags) run(s *session, c *cobra.Command) error {
	config, err := f.config(s.err)
	if err != nil {
		return err
	}
	if config.Launcher, err = ourselves(); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(c.Context(), "tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	defer listener.Close()
	// Planning threads have a low priority, and yield their core at once to requests whose
	// answer is already known. Those requests need a thread to run on, so there are more threads
	// than cores.
	cores := runtime.GOMAXPROCS(0)
	config.Limits.Running = max(1, cores-1)
	runtime.GOMAXPROCS(cores + config.Limits.Busy())
	service, err := server.New(c.Context(), config)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	scheme := "http"
	if config.TLS != nil {
		scheme = "https"
	}
	fmt.Fprintf(s.err, "lightpath: serving %s://%s\n", scheme, listener.Addr())
	err = service.Serve(c.Context(), listener)
	if err = errors.Join(err, service.Close()); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// config reads the flags, and refuses to open the service to everybody by mistake.
func (f *serveFlags) config(log io.Writer) (server.Config, error) {
	config := server.Config{Data: f.data, Hosts: f.hosts, Limits: f.limits, Log: slog.New(slog.NewJSONHandler(log, nil))}
	token, err := admitted(f.listen, f.tokenFile, f.insecure)
	if err != nil {
		return config, err
	}
	config.Token = token
	if (f.cert == "") != (f.key == "") {
		return config, errors.New("--tls-cert: needs --tls-key, and the other way round")
	}
	for flag, n := range map[string]int{"max-nodes": f.limits.Nodes, "max-ranks": f.limits.Ranks, "max-cells": f.limits.Cells, "max-jobs": f.limits.Jobs} {
		if n < 1 {
			return config, fmt.Errorf("--%s: %d; want 1 or more", flag, n)
		}
	}
	if f.limits.Request <= 0 || f.limits.Job <= 0 {
		return config, errors.New("--max-time: want times above 0s")
	}
	if f.limits.CPU < 0 || f.limits.JobCPU < 0 {
		return config, errors.New("--max-cpu: want times above 0s")
	}
	if config.Limits.Body, err = units.ParsePositiveBytes(f.body.String()); err != nil {
		return config, fmt.Errorf("--max-body: %w", err)
	}
	if config.Limits.Memory, err = units.ParsePositiveBytes(f.memory.String()); err != nil {
		return config, fmt.Errorf("--max-memory: %w", err)
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return config, fmt.Errorf("--tls-cert: %w", err)
		}
		config.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	return config, nil
}

// admitted reads the token that clients need, and refuses to open the service to everybody by
// mistake.
func admitted(listen, tokenFile string, insecure bool) (token string, err error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("--listen: %w; want ADDRESS:PORT, e.g. 127.0.0.1:8080", err)
	}
	ip := net.ParseIP(host)
	loopback := host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case tokenFile != "" && insecure:
		return "", errors.New("--insecure: not with --token-file; choose one")
	case !loopback && tokenFile == "" && !insecure:
		return "", fmt.Errorf("--listen: %s can be reached from other machines; want --token-file, or --insecure to let anyone connect", listen)
	case tokenFile == "":
		return "", nil
	}
	if token, err = readToken(tokenFile); err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return token, nil
}

// shortestToken is the least length of a token that nobody can guess over a network.
const shortestToken = 16

// readToken reads a token from a file, without the blanks around it.
func readToken(name string) (string, error) {
	file, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 4096))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	if len(token) < shortestToken {
		return "", fmt.Errorf("%s: a token of %d characters; want %d or more", name, len(token), shortestToken)
	}
	return token, nil
}

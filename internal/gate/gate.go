// Package gate decides which requests a service over HTTP answers.
package gate

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Gate protects a service.
type Gate struct {
	Hosts []string // names of the service besides addresses and localhost
	// Open reports paths that need no token, and Bare paths that pages of other sites may
	// request, too; nil: none.
	Open, Bare func(path string) bool
	token      []byte // its checksum; nil: not needed
}

// SetToken sets the token that every client needs; "": none.
func (g *Gate) SetToken(token string) {
	if g.token = nil; token != "" {
		sum := sha256.Sum256([]byte(token))
		g.token = sum[:]
	}
}

// Admit refuses requests under a foreign host name, which is how another site's page reaches a
// service on loopback (DNS rebinding), requests from pages of other sites, and requests without
// the token. It returns the HTTP status of the refusal, and the reason.
func (g *Gate) Admit(r *http.Request) (int, error) {
	if !g.knows(r.Host) {
		return http.StatusMisdirectedRequest, fmt.Errorf("host %.80q is not a name of this service; whoever runs it can add names", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, r.Host) || u.Host == "" {
			return http.StatusForbidden, fmt.Errorf("origin %.80q: pages of others may not ask", origin)
		}
	}
	bare := g.Bare != nil && g.Bare(r.URL.Path)
	if site := r.Header.Get("Sec-Fetch-Site"); !bare && (site == "cross-site" || site == "same-site") {
		return http.StatusForbidden, errors.New("pages of others may not ask")
	}
	if g.token == nil || g.Open != nil && g.Open(r.URL.Path) {
		return 0, nil
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if sum := sha256.Sum256([]byte(given)); !ok || subtle.ConstantTimeCompare(sum[:], g.token) != 1 {
		return http.StatusUnauthorized, errors.New("want the token of this service, as Authorization: Bearer TOKEN")
	}
	return 0, nil
}

// knows accepts addresses, which cannot be rebound, localhost, and the names of the service.
func (g *Gate) knows(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if net.ParseIP(host) != nil || strings.EqualFold(host, "localhost") {
		return true
	}
	return slices.ContainsFunc(g.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

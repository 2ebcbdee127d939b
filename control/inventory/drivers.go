package inventory

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/gnmi"
	"github.com/lightpath-net/lightpath/control/netconf"
	"github.com/lightpath-net/lightpath/control/restconf"
	"github.com/lightpath-net/lightpath/control/scpi"
	"github.com/lightpath-net/lightpath/control/sonic"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Access is how a client authenticates itself, and how the connection is encrypted.
type Access struct {
	User, Secret string
	TLS          *tls.Config // nil: none
	HostKey      []byte      // for SSH, as in known_hosts; nil: any
	PrivateKey   []byte      // for a face with SSH, in PEM; nil: a new one
	// Announce, if not nil, is called with the public key of a face with SSH.
	Announce func(line string)
}

// Driver is a protocol: how to reach a switch that speaks it, and how an emulated switch speaks
// it.
type Driver struct {
	Name  string
	Port  int    // TCP port if the address has none
	TLS   string // on or off, if the list does not say
	SSH   bool   // instead of TLS
	open  func(address string, a Access) control.Switch
	Serve func(ctx context.Context, listener net.Listener, to control.Switch, a Access) error
}

// drivers are the protocols.
var drivers = []Driver{
	{
		Name: "scpi", Port: scpi.Port, TLS: off,
		open: func(address string, a Access) control.Switch { return &scpi.Client{Address: address, TLS: a.TLS} },
		Serve: func(ctx context.Context, listener net.Listener, to control.Switch, _ Access) error {
			return scpi.Serve(ctx, listener, to)
		},
	},
	{
		Name: "restconf", Port: restconf.Port, TLS: on,
		open: func(address string, a Access) control.Switch {
			return &restconf.Client{Address: address, User: a.User, Secret: a.Secret, TLS: a.TLS}
		},
		Serve: func(ctx context.Context, listener net.Listener, to control.Switch, a Access) error {
			return restconf.Face{User: a.User, Secret: a.Secret, TLS: a.TLS}.Serve(ctx, listener, to)
		},
	},
	{
		Name: "netconf", Port: netconf.Port, TLS: on, SSH: true,
		open: func(address string, a Access) control.Switch {
			return &netconf.Client{Address: address, User: a.User, Secret: a.Secret, HostKey: a.HostKey}
		},
		Serve: func(ctx context.Context, listener net.Listener, to control.Switch, a Access) error {
			return netconf.Face{User: a.User, Secret: a.Secret, PrivateKey: a.PrivateKey, Announce: a.Announce}.Serve(ctx, listener, to)
		},
	},
	{
		Name: "gnmi", Port: gnmi.Port, TLS: on,
		open: func(address string, a Access) control.Switch {
			return &gnmi.Client{Address: address, User: a.User, Secret: a.Secret, TLS: a.TLS}
		},
		Serve: func(ctx context.Context, listener net.Listener, to control.Switch, a Access) error {
			return gnmi.Face{User: a.User, Secret: a.Secret, TLS: a.TLS}.Serve(ctx, listener, to)
		},
	},
}

// inFiles are drivers of switches whose address is a file.
var inFiles = map[string]func(file string) control.Switch{
	"sonic": func(file string) control.Switch { return &sonic.Client{File: file} },
}

// known lists the names of all drivers.
func known() []string { return append(Drivers(), slices.Sorted(maps.Keys(inFiles))...) }

// Drivers lists the names of the protocols.
func Drivers() []string {
	return each.Of(drivers, func(d Driver) string { return d.Name })
}

// Lookup returns a protocol by its name.
func Lookup(name string) (*Driver, error) {
	for i := range drivers {
		if drivers[i].Name == name {
			return &drivers[i], nil
		}
	}
	return nil, fmt.Errorf("%.20q is not %s", name, strings.Join(Drivers(), ", "))
}

// Dial returns the client of a switch at an address. It does not connect yet.
func (d *Driver) Dial(address string, a Access) control.Switch { return d.open(address, a) }

// open makes the client of an entry.
func (e *Entry) open() (control.Switch, error) {
	if open := inFiles[e.Driver]; open != nil {
		return open(e.in(e.Address)), nil
	}
	d, err := Lookup(e.Driver)
	if err != nil {
		return nil, err
	}
	a := Access{User: e.User}
	if a.Secret, err = e.secret(); err != nil {
		return nil, err
	}
	if d.SSH {
		err = e.hostKey(&a)
	} else {
		err = e.certificates(&a)
	}
	if err != nil {
		return nil, err
	}
	return d.open(e.Address, a), nil
}

// certificates fills in the settings of TLS.
func (e *Entry) certificates(a *Access) error {
	if e.TLS == off {
		return nil
	}
	host, _, err := net.SplitHostPort(e.Address)
	if err != nil {
		return err
	}
	a.TLS = &tls.Config{ServerName: host, InsecureSkipVerify: e.TLS == unverified, MinVersion: tls.VersionTLS12}
	if e.CAFile == "" {
		return nil
	}
	pem, err := os.ReadFile(e.in(e.CAFile))
	if err != nil {
		return fmt.Errorf("ca_file: %w", err)
	}
	a.TLS.RootCAs = x509.NewCertPool()
	if !a.TLS.RootCAs.AppendCertsFromPEM(pem) {
		return fmt.Errorf("ca_file: %s: no certificate", e.CAFile)
	}
	return nil
}

// hostKey fills in the public key of a switch with SSH.
func (e *Entry) hostKey(a *Access) (err error) {
	switch {
	case e.TLS == off:
		return errors.New("tls: off: SSH is always on")
	case e.TLS == unverified:
		return nil
	case e.HostKeyFile == "":
		return fmt.Errorf("host_key_file: missing; want the public key of the switch, or tls: %s", unverified)
	}
	if a.HostKey, err = os.ReadFile(e.in(e.HostKeyFile)); err == nil {
		_, err = netconf.ParseHostKey(a.HostKey)
	}
	if err != nil {
		return fmt.Errorf("host_key_file: %w", err)
	}
	return nil
}

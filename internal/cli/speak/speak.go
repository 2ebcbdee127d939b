// Package speak defines the flags of an emulated switch that speaks the protocols of real ones,
// and runs it.
package speak

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/units"
)

// Help describes what the flags are for.
const Help = `With --speak, run as a switch for controllers instead. It carries no bytes, but
answers in the protocol of real switches, and takes --set-up to set circuits up.
--fail names a fault and the number of the change that has it (0: every change):
refuse, hang (no answer), lose (done, but no answer), forget (says done, but is
not), half (says done, but is half done) or break (half done, then refuses).
Ports are 1..N for ingress and N+1..2N for egress.`

// Flags say how a switch answers.
type Flags struct {
	Protocol        string // "": no controllers
	user, cert, key string
	hostKey         string
	ports           int
	setUp           *bind.Text
	fail            []string
}

// only lists the flags that need --speak.
var only = []string{"size", "set-up", "fail", "user", "tls-cert", "tls-key", "host-key"}

// Add defines the flags.
func Add(c *cobra.Command) *Flags {
	f := &Flags{setUp: bind.NewText("20ms", "TIME")}
	c.Flags().StringVar(&f.Protocol, "speak", "", "answer controllers in `PROTOCOL`: "+strings.Join(inventory.Drivers(), " | "))
	c.Flags().IntVar(&f.ports, "size", 16, "with --speak: have `N` ingress and N egress ports")
	c.Flags().Var(f.setUp, "set-up", "with --speak: take this long to carry out a command")
	c.Flags().StringSliceVar(&f.fail, "fail", nil, "with --speak: fail as `FAULT:K` says, e.g. refuse:3; may be repeated")
	c.Flags().StringVar(&f.user, "user", "admin", "with --speak: `NAME` of the user whose password is the secret")
	c.Flags().StringVar(&f.cert, "tls-cert", "", "with --speak: use TLS with the certificate in `FILE`")
	c.Flags().StringVar(&f.key, "tls-key", "", "private key of --tls-cert, in `FILE`")
	c.Flags().StringVar(&f.hostKey, "host-key", "", "with --speak netconf: private key of SSH in `FILE` (default: a new one, whose public key is printed)")
	bind.Offer(c, "speak", inventory.Drivers)
	return f
}

// Check refuses flags that need --speak if it is missing.
func (f *Flags) Check(c *cobra.Command) error {
	for _, flag := range only {
		if f.Protocol == "" && c.Flags().Changed(flag) {
			return fmt.Errorf("--%s: only with --speak", flag)
		}
	}
	return nil
}

// maxPorts bounds the ports of an emulated switch.
const maxPorts = 4096

// Run runs the switch until the context ends. It writes to stderr where it listens.
func (f *Flags) Run(ctx context.Context, listen, secret string, stderr io.Writer) error {
	driver, err := inventory.Lookup(f.Protocol)
	if err != nil {
		return fmt.Errorf("--speak: %w", err)
	}
	if f.ports < 1 || f.ports > maxPorts {
		return fmt.Errorf("--size: %d is not in 1..%d", f.ports, maxPorts)
	}
	setUp, err := units.ParseDuration(f.setUp.String())
	if err != nil || setUp < 0 {
		return fmt.Errorf("--set-up: %.40q is not a time, e.g. 20ms", f.setUp.String())
	}
	faults, err := emulated.ParseFaults(f.fail)
	if err != nil {
		return fmt.Errorf("--fail: %w", err)
	}
	access := inventory.Access{User: f.user, Secret: secret}
	if (f.cert == "") != (f.key == "") {
		return errors.New("--tls-cert and --tls-key: want both")
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return fmt.Errorf("--tls-cert: %w", err)
		}
		access.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if f.hostKey != "" {
		if access.PrivateKey, err = os.ReadFile(f.hostKey); err != nil {
			return fmt.Errorf("--host-key: %w", err)
		}
	}
	access.Announce = func(line string) { fmt.Fprint(stderr, "lightpath: switch: host key ", line) }
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	fmt.Fprintf(stderr, "lightpath: switch: speaks %s at %s\n", driver.Name, listener.Addr())
	err = driver.Serve(ctx, listener, emulated.New(f.ports, setUp.Std(), faults), access)
	if ctx.Err() != nil {
		return nil // told to end
	}
	return err
}

// Package inventory reads the file that lists the switches of a fabric: their names, protocols
// and addresses, and where their secrets are stored.
//
//	switches:
//	- name: east              # as the port map calls it
//	  driver: restconf        # scpi, restconf, netconf or gnmi
//	  address: 10.0.0.1:443   # the port may be missing
//	  user: admin
//	  secret_file: east.txt   # its password; or secret_env: EAST_PASSWORD
//	  tls: on                 # on, off, or unverified: any certificate or host key
//	  ca_file: ca.pem         # who signs certificates; default: the system's list
//	  host_key_file: east.pub # of a switch that is reached by SSH
package inventory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/internal/files"
)

// Bounds of a file.
const (
	maxBytes    = 1 << 20
	maxSwitches = 4096
	maxSecret   = 64 << 10
)

// Entry is a switch of the list.
type Entry struct {
	Name    string `yaml:"name"`
	Driver  string `yaml:"driver"`
	Address string `yaml:"address"` // HOST:PORT, or a file
	User    string `yaml:"user"`
	// SecretFile or SecretEnv says where the password is; without either there is none.
	SecretFile string `yaml:"secret_file"`
	SecretEnv  string `yaml:"secret_env"`
	// TLS is on, off or unverified; "": the driver's default.
	TLS    string `yaml:"tls"`
	CAFile string `yaml:"ca_file"`
	// HostKeyFile has the public key of a switch with SSH, as in known_hosts.
	HostKeyFile string `yaml:"host_key_file"`

	folder string // of the list; file names are relative to it
}

// List is the switches of a file.
type List struct{ Entries []Entry }

// ReadFile reads a list. An error is one line that names the file.
func ReadFile(name string) (*List, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range l.Entries {
		l.Entries[i].folder = filepath.Dir(name)
	}
	if err := apart(l.Entries); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// Parse reads a list.
func Parse(data []byte) (*List, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("more than %d bytes", maxBytes)
	}
	var doc struct {
		Switches []Entry `yaml:"switches"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&doc); err != nil {
		return nil, oneLine(err)
	}
	var more any
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one document; want one list of switches")
	}
	if len(doc.Switches) == 0 || len(doc.Switches) > maxSwitches {
		return nil, fmt.Errorf("switches: %d, want 1 to %d, each with name, driver and address", len(doc.Switches), maxSwitches)
	}
	names := map[string]bool{}
	for i := range doc.Switches {
		e := &doc.Switches[i]
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("switches[%d]: %w", i, err)
		}
		if names[e.Name] {
			return nil, fmt.Errorf("switches[%d]: name: %s is listed twice", i, e.Name)
		}
		names[e.Name] = true
	}
	if err := apart(doc.Switches); err != nil {
		return nil, err
	}
	return &List{Entries: doc.Switches}, nil
}

// apart returns an error if two names stand for the same switch, because one would undo what the
// other does.
func apart(entries []Entry) error {
	at := map[string]string{}
	for i := range entries {
		e := &entries[i]
		place := strings.ToLower(e.Address)
		if inFiles[e.Driver] != nil {
			place = filepath.Clean(e.in(e.Address))
			if real, err := filepath.EvalSymlinks(place); err == nil {
				place = real
			}
			if whole, err := filepath.Abs(place); err == nil {
				place = whole
			}
		}
		if other, there := at[place]; there {
			return fmt.Errorf("switches[%d]: address: %s and %s are both at %.60q", i, other, e.Name, e.Address)
		}
		at[place] = e.Name
	}
	return nil
}

// oneLine keeps only the first complaint of the parser.
func oneLine(err error) error {
	var wrong *yaml.TypeError
	text := err.Error()
	if errors.As(err, &wrong) && len(wrong.Errors) > 0 {
		text = wrong.Errors[0]
	}
	if errors.Is(err, io.EOF) {
		text = "empty; want a list of switches"
	}
	text = strings.TrimPrefix(text, "yaml: ")
	text, _, _ = strings.Cut(text, " in type ")
	if before, _, goType := strings.Cut(text, " into "); goType {
		text = strings.Replace(before, "cannot unmarshal", "cannot use", 1) + "; want switches: and a list with name, driver and address"
	}
	const most = 200
	return fmt.Errorf("%.*s", most, strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text))
}

// check completes an entry.
func (e *Entry) check() error {
	switch {
	case e.Name == "" || len(e.Name) > 64 || strings.ContainsFunc(e.Name, func(r rune) bool { return r < '!' || r > '~' }):
		return fmt.Errorf("name: %.20q: want letters and digits, without blanks", e.Name)
	case e.Address == "":
		return errors.New("address: missing; want HOST:PORT")
	case e.SecretFile != "" && e.SecretEnv != "":
		return errors.New("secret_file and secret_env: want only one of them")
	case e.TLS != "" && e.TLS != on && e.TLS != off && e.TLS != unverified:
		return fmt.Errorf("tls: %.20q is not %s, %s or %s", e.TLS, on, off, unverified)
	}
	if inFiles[e.Driver] != nil {
		if e.User+e.SecretFile+e.SecretEnv+e.TLS+e.CAFile+e.HostKeyFile != "" {
			return fmt.Errorf("driver: %s: its address is a file, which needs no user, secret, tls or key", e.Driver)
		}
		return nil
	}
	d, err := Lookup(e.Driver)
	if err != nil {
		return fmt.Errorf("driver: %.20q is not %s", e.Driver, strings.Join(known(), ", "))
	}
	host, port, err := net.SplitHostPort(e.Address)
	if err != nil {
		host, port = strings.Trim(e.Address, "[]"), strconv.Itoa(d.Port)
	}
	if number, err := strconv.Atoi(port); err != nil || number < 1 || number > 65535 || host == "" || strings.ContainsAny(host, "/ \t\r\n") {
		return fmt.Errorf("address: %.60q is not HOST:PORT", e.Address)
	}
	e.Address = net.JoinHostPort(host, port)
	e.TLS = firstOf(e.TLS, d.TLS)
	return nil
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Ways to use TLS.
const (
	on         = "on"
	off        = "off"
	unverified = "unverified"
)

// in returns the name of a file that the list names.
func (e *Entry) in(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.folder, name)
}

// secret reads the password.
func (e *Entry) secret() (string, error) {
	if e.SecretEnv != "" {
		text, there := os.LookupEnv(e.SecretEnv)
		if !there || text == "" {
			return "", fmt.Errorf("secret_env: the variable %s is not set", e.SecretEnv)
		}
		return text, nil
	}
	if e.SecretFile == "" {
		return "", nil
	}
	file, err := files.Open(e.in(e.SecretFile))
	if err != nil {
		return "", fmt.Errorf("secret_file: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSecret))
	if err != nil {
		return "", fmt.Errorf("secret_file: %w", err)
	}
	text := strings.TrimRight(string(data), "\r\n")
	if text == "" {
		return "", fmt.Errorf("secret_file: %s: empty", e.SecretFile)
	}
	return text, nil
}

// Open returns the switches by name. It does not connect yet. It opens only the named switches;
// a name that is not in the list is an error.
func (l *List) Open(names []string) (map[string]control.Switch, error) {
	switches := map[string]control.Switch{}
	for _, name := range names {
		i := slices.IndexFunc(l.Entries, func(e Entry) bool { return e.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("switch %s of the port map is not in the list", name)
		}
		s, err := l.Entries[i].open()
		if err != nil {
			return nil, fmt.Errorf("switch %s: %w", name, err)
		}
		switches[name] = s
	}
	return switches, nil
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nobody opens the service to others by mistake.
func TestServeRefusesWhatIsNotSafe(t *testing.T) {
	short := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(short, []byte("abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"--listen :0":                                "--token-file",
		"--listen 0.0.0.0:0":                         "--token-file",
		"--listen example.com:80":                    "--token-file",
		"--listen nothing":                           "--listen",
		"--listen 127.0.0.1:0 --token-file " + short: "16 or more",
		"--listen :0 --token-file x --insecure":      "--insecure",
		"--tls-cert x":                               "--tls-key",
		"--max-nodes 0":                              "--max-nodes",
		"--max-body 3":                               "--max-body",
		"--max-time -1s":                             "--max-time",
		"--max-cpu -1s":                              "--max-cpu",
	} {
		code, stdout, stderr := run(t, append([]string{"serve"}, strings.Fields(line)...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("serve %s: exit %d, %q %q", line, code, stdout, stderr)
		}
	}
}

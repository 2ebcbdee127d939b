package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMistakesWithLaunchAreOneLineAndExit2, and nobody listens where others reach it by mistake.
func TestMistakesWithLaunchAreOneLineAndExit2(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	short := write("token", "abc\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"none.py", "--listen", ":7000"}, "--insecure"},
		{[]string{"none.py", "--listen", "0.0.0.0:7000"}, "--token-file"},
		{[]string{"none.py", "--listen", "7000"}, "--listen"},
		{[]string{"none.py", "--listen", ":7000", "--token-file", short}, "--token-file"},
		{[]string{"none.py", "--listen", ":7000", "--token-file", short, "--insecure"}, "--insecure"},
		{[]string{"none.py", "--insecure"}, "--listen"},
		{[]string{"none.py", "--listen", ":7000", "--insecure"}, "none.py"},
		{[]string{"none.py"}, "none.py"},
	} {
		code, stdout, stderr := run(t, append([]string{"launch"}, c.args...)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) || strings.Count(stderr, "launch:") > 1 {
			t.Errorf("%q: exit %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
}

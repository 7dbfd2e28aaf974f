package postgres

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// cluster is a server that a test can stop and start.
type cluster struct {
	t    testing.TB
	bin  string
	data string
	port int
}

// ownCluster makes a server for one test, or skips it and says why.
func ownCluster(t testing.TB) *cluster {
	t.Helper()
	bin := os.Getenv("PDP_TEST_POSTGRES_BIN")
	if bin == "" {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
		if len(found) == 0 {
			t.Skip("no PostgreSQL server is installed that the test could stop and start (Debian: apt-get install postgresql)")
		}
		bin = filepath.Dir(slices.Max(found))
	}
	// The server's user must reach it; t.TempDir lies below a directory of ours.
	dir, err := os.MkdirTemp("", "pdp-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, bin: bin, data: filepath.Join(dir, "data")}
	t.Cleanup(func() { os.RemoveAll(dir) })
	give(t, dir)
	c.run("initdb", "-D", c.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
	t.Cleanup(func() { _ = c.command("pg_ctl", "-D", c.data, "-m", "immediate", "stop").Run() })
	c.port = freePort(t)
	c.start()
	return c
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (c *cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir = filepath.Dir(c.data)
	asOwner(c.t, cmd)
	return cmd
}

func (c *cluster) run(name string, args ...string) {
	c.t.Helper()
	// pg_ctl's server keeps what it inherits: no pipes, or they would never end.
	log, err := os.CreateTemp(c.t.TempDir(), "log")
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	cmd := c.command(name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		c.t.Fatalf("%s: %v\n%s", name, err, text)
	}
}

func (c *cluster) start() {
	c.t.Helper()
	c.run("pg_ctl", "-D", c.data, "-w", "-t", "60", "-l", filepath.Join(filepath.Dir(c.data), "log"), "-o",
		fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=''", c.port), "start")
}

// crash stops the server as a loss of power would, but for the disk's cache.
func (c *cluster) crash() {
	c.t.Helper()
	c.run("pg_ctl", "-D", c.data, "-w", "-m", "immediate", "stop")
}

func (c *cluster) url() string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", c.port)
}

package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-pdp/pdp/internal/policyfile"
)

// ownFiles names the files that govern this service, so that no judged call may
// write them. A link and what it leads to are both named; empty names are left out.
func ownFiles(paths ...string) []string {
	var own []string
	for _, path := range paths {
		if path == "" {
			continue
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			abs = path // the compiler refuses what is not absolute
		}
		own = append(own, abs)
		if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
			own = append(own, real)
		}
	}
	return own
}

// ownPaths are the files that this service was started with.
func (c *serveCmd) ownPaths(a *app, at listenAddress) []string {
	paths := []string{c.Policy, c.StateDir, at.socket(), c.Config, c.AdminTokenFile, c.TLSCert, c.TLSKey, c.ClientCA}
	if a.config != nil && a.config.Auth.JWT != nil {
		paths = append(paths, a.config.Auth.JWT.KeysFile)
	}
	return append(paths, storeFiles(c.Store)...)
}

// inspectRoots names the directories that anybody may have inspected. A
// service that runs as root sees what its callers must not learn about.
func inspectRoots(f *policyfile.File) []string {
	if f.Inspect.AllowedRoots == nil {
		if os.Geteuid() == 0 {
			return nil
		}
		return []string{"/"} // everything, on every system
	}
	home, err := os.UserHomeDir()
	roots := make([]string, 0, len(f.Inspect.AllowedRoots))
	for _, root := range f.Inspect.AllowedRoots {
		below, inHome := strings.CutPrefix(root, "~")
		switch {
		case !inHome:
			roots = append(roots, root)
		case err == nil:
			roots = append(roots, home+below)
		}
	}
	return roots
}

// stateDir is where the service keeps what it must not lose.
func (a *app) stateDir() string {
	if dir := a.getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pdp")
	}
	home := a.getenv("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".local", "state", "pdp")
}

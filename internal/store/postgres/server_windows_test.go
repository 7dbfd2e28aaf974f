package postgres

import (
	"os/exec"
	"testing"
)

func give(testing.TB, string) {}

func asOwner(testing.TB, *exec.Cmd) {}

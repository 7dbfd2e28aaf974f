package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What docs/authentication.md names exists: flags, variables, keys and commands.
func TestTheDocumentedFlags(t *testing.T) {
	page, err := os.ReadFile("../../docs/authentication.md")
	if err != nil {
		t.Fatal(err)
	}
	model := modelForTest(t)
	var flags, variables []string
	for _, child := range model.Children {
		for _, n := range append(child.Children, child) {
			for _, f := range n.Flags {
				flags = append(flags, "--"+f.Name)
				variables = append(variables, f.Tag.Get("setting"))
			}
		}
	}
	variables = append(variables, "PDP_ADMIN_TOKEN")
	for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(string(page), -1) {
		if !slices.Contains(flags, flag) {
			t.Errorf("there is no %s", flag)
		}
	}
	for _, name := range regexp.MustCompile(`PDP_[A-Z_]+`).FindAllString(string(page), -1) {
		if !slices.Contains(variables, name) {
			t.Errorf("there is no %s", name)
		}
	}
	settings, _ := (&app{}).serverSettings(model)
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(strings.ReplaceAll(string(page), "\r\n", "\n"))[1]
	for _, key := range regexp.MustCompile(`(?m)^[a-z_]+`).FindAllString(block, -1) {
		if key != "auth" && !slices.Contains(settings, key) {
			t.Errorf("there is no key %s", key)
		}
	}
}

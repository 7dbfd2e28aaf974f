package main

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/spelling"
)

const environmentPrefix = "PDP_"

// notOurs are variables of that prefix that others set: the tests of this
// project, and Kubernetes for a service with the name pdp.
var notOurs = regexp.MustCompile(`^PDP_(?:TEST_.*|NIGHTLY|CRASH.*|BENCH_.*|SHELL_SEED|SHELL_TEXTS|UPDATE_SCRIPTS|(?:.*_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.*)?|PORT(?:_\d+_(?:TCP|UDP|SCTP).*)?))$`)

// environmentNames are the variables that a flag of some command reads.
func environmentNames() []string {
	var names []string
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		for field := range t.Fields() {
			if name := field.Tag.Get("setting"); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
			if field.Type.Kind() == reflect.Struct {
				walk(field.Type)
			}
		}
	}
	walk(reflect.TypeFor[cli]())
	slices.Sort(names)
	return append(names, adminTokenVariable)
}

// unknownVariables sorts out variables of pdp's prefix that nothing reads. One
// that is spelt nearly as another is an error: who misspells PDP_POLICY would
// else be served without a policy.
func unknownVariables(environ []string) (unknown []string, misspelt error) {
	known := environmentNames()
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if runtime.GOOS == "windows" { // where letter case does not count
			name = strings.ToUpper(name)
		}
		if len(name) < len(environmentPrefix) || !strings.EqualFold(name[:len(environmentPrefix)], environmentPrefix) ||
			value == "" || slices.Contains(known, name) || notOurs.MatchString(name) {
			continue
		}
		short := make([]string, len(known))
		for i, k := range known {
			short[i] = strings.TrimPrefix(k, environmentPrefix)
		}
		if near := spelling.Nearest(name[len(environmentPrefix):], short); near != "" {
			return nil, failure{exitUsage, fmt.Errorf("the environment variable %s is not known; did you mean %s%s?", plain(name), environmentPrefix, near)}
		}
		unknown = append(unknown, name)
	}
	slices.Sort(unknown)
	return unknown, nil
}

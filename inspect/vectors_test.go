package inspect

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The vectors are inspections with the answer of the library whose reports this
// package keeps. Each is replayed against the function that corresponds; every
// difference has a line with its reason in testdata/divergences.txt, and every
// line there is a difference.

// noCounterpart explains why a vector cannot be replayed.
type noCounterpart string

const (
	jsValue      noCounterpart = "a JavaScript value that neither Go nor JSON has"
	notText      noCounterpart = "the argument has another type: the decoder of the API refuses it, see the test over HTTP"
	jsNumber     noCounterpart = "negative numbers: modes are unsigned here"
	hostSpecific noCounterpart = "answer depends on the machine"
	needsRoot    noCounterpart = "needs root to prepare"
)

// replays answer a vector with a value that marshals to the vector's answer.
// A noCounterpart as the answer leaves the vector out.
var replays = map[string]func(t *testing.T, v vector) any{
	"modeBits": func(_ *testing.T, v vector) any {
		return withNumber(v.Args.Mode, func(n *uint32) any { return ModeBits(n) })
	},
	"formatPosixMode": func(_ *testing.T, v vector) any {
		return withNumber(v.Args.Mode, func(n *uint32) any { return FormatMode(*n) })
	},
	"formatOctal": func(_ *testing.T, v vector) any {
		return withNumber(v.Args.Bits, func(n *uint32) any { return FormatOctal(n) })
	},
	"isWorldWritable": func(_ *testing.T, v vector) any {
		return withNumber(v.Args.Bits, func(n *uint32) any { return IsWorldWritable(n) })
	},
	"isGroupWritable": func(_ *testing.T, v vector) any {
		return withNumber(v.Args.Bits, func(n *uint32) any { return IsGroupWritable(n) })
	},
	"isWorldReadable": func(_ *testing.T, v vector) any {
		return withNumber(v.Args.Bits, func(n *uint32) any { return IsWorldReadable(n) })
	},
	"isGroupReadable": func(_ *testing.T, v vector) any {
		return withNumber(v.Args.Bits, func(n *uint32) any { return IsGroupReadable(n) })
	},
	"formatPermissionDetail": func(_ *testing.T, v vector) any {
		p := v.Args.Perms
		return FormatDetail(v.Args.Path, Report{Source: p.Source, Bits: p.Bits, ACLSummary: p.ACLSummary})
	},
	"formatPermissionRemediation": replayRemediation,
	"createIcaclsResetCommand": func(_ *testing.T, v vector) any {
		return resetOf(v, v.Args.Path).Command()
	},
	"formatIcaclsResetCommand": func(_ *testing.T, v vector) any { return displayOf(resetOf(v, v.Args.Path)) },
	"resolveWindowsUserPrincipal": func(_ *testing.T, v vector) any {
		if user := UserPrincipal(v.Args.Env, osUserOf(v)); user != "" {
			return user
		}
		return nil
	},
	"parseIcaclsOutput": func(_ *testing.T, v vector) any {
		return fromEntries(ParseIcacls(v.Args.Output, v.Args.Path).Entries)
	},
	"parseAndSummarize": func(_ *testing.T, v vector) any {
		s := Summarize(ParseIcacls(v.Args.Output, v.Args.Path).Entries, v.Args.Env, "")
		return map[string]any{
			"trusted": principals(s.Trusted), "untrustedWorld": principals(s.UntrustedWorld),
			"untrustedGroup": principals(s.UntrustedGroup), "summary": FormatSummary(s),
		}
	},
	"summarizeWindowsAcl": func(t *testing.T, v vector) any {
		t.Setenv("USERNAME", "")
		t.Setenv("USERDOMAIN", "")
		s := Summarize(toEntries(v.Args.Entries), v.Args.Env, "root")
		return map[string]any{
			"trusted": fromEntries(s.Trusted), "untrustedWorld": fromEntries(s.UntrustedWorld),
			"untrustedGroup": fromEntries(s.UntrustedGroup),
		}
	},
	"formatWindowsAclSummary": func(_ *testing.T, v vector) any { return FormatSummary(v.Args.Summary.summary()) },
	"formatPermissionErrorDetail": func(_ *testing.T, v vector) any {
		if v.Args.Repeat != nil {
			return Bound(strings.Repeat(v.Args.Repeat.S, v.Args.Repeat.N))
		}
		return Bound(*v.Args.Value)
	},
	"formatCaughtPermissionFailure": func(_ *testing.T, v vector) any {
		if text, ok := v.Args.Reject.text(); ok {
			return BoundFailure(text)
		}
		return jsValue
	},
	"inspectWindowsAcl":      replayACL,
	"inspectPathPermissions": replayPath,
	"safeStat":               replayStat,
	"readOwnerAndDacl": func(*testing.T, vector) any {
		return UnsupportedOwnerDACL()
	},
	"readOwnerAndDaclBatch":  replayBatch,
	"createPrivateDirectory": replayPrivate,
}

// thrown is an error in the words of the vectors. Their codes and classes are
// those of JavaScript where the library checks its own arguments.
func thrown(err error) any {
	e := errorOf(err)
	m := map[string]any{"message": e.Message, "code": string(e.Code)}
	if e.Reason != "" {
		m["reason"] = e.Reason
	}
	return m
}

// replayBatch: what is no list of text cannot be written in Go, and is refused by
// the decoder of the API.
func replayBatch(t *testing.T, v vector) any {
	var paths []string
	timeout := DefaultTimeout
	if v.Args.Sparse || json.Unmarshal(v.Args.Paths, &paths) != nil || paths == nil {
		return notText
	}
	if ms := v.Args.Options.TimeoutMS; ms != nil {
		number, ok := ms.(float64)
		if !ok || number != float64(int64(number)) {
			return notText
		}
		timeout = time.Duration(number) * time.Millisecond
		if number == 0 {
			timeout = -1 // zero is the default here
		}
	}
	results, err := ReadOwnerDACLs(t.Context(), paths, timeout)
	if err != nil {
		return thrown(err)
	}
	return results
}

func replayPrivate(_ *testing.T, v vector) any {
	if v.Args.Options.Platform == "win32" {
		return thrown(checkPrivatePath(v.Args.Path))
	}
	return thrown(CreatePrivateDirectory(v.Args.Path))
}

func withNumber(raw json.RawMessage, use func(*uint32) any) any {
	if string(raw) == "null" {
		return use(nil)
	}
	var n uint32
	if json.Unmarshal(raw, &n) != nil {
		return jsNumber
	}
	return use(&n)
}

func replayRemediation(_ *testing.T, v vector) any {
	if v.Args.Perms.Source == SourceWindowsACL {
		return displayOf(resetOf(v, v.Args.TargetPath))
	}
	mode, err := v.Args.PosixMode.Int64()
	if err != nil || mode < 0 {
		return jsNumber
	}
	return FormatChmod(v.Args.TargetPath, uint32(mode))
}

func resetOf(v vector, path string) Reset {
	return Reset{Path: path, IsDir: v.Args.IsDir, Env: v.Args.Env, OSUser: osUserOf(v)}
}

func displayOf(r Reset) any {
	if cmd := r.Command(); cmd != nil {
		return cmd.Display
	}
	return nil
}

func osUserOf(v vector) string {
	switch u := v.Args.UserInfo; {
	case u == nil:
		return "osuser"
	case u.Username == nil:
		return ""
	default:
		return *u.Username
	}
}

// factsOfReply reads what the injected query answered.
func factsOfReply(v vector) (SecurityFacts, error, bool) {
	exec := v.Args.Exec
	if exec == nil || exec.Reply == nil && exec.Reject == nil {
		return SecurityFacts{}, nil, false
	}
	if exec.Reject != nil {
		text, ok := exec.Reject.text()
		return SecurityFacts{}, errors.New(text), ok
	}
	document := []byte(exec.Reply)
	var text string
	if json.Unmarshal(document, &text) == nil {
		document = []byte(text)
	}
	facts, err := ParseFacts(document, CamelCase)
	return facts, err, true
}

func replayACL(t *testing.T, v vector) any {
	facts, err, ok := factsOfReply(v)
	if !ok {
		return jsValue
	}
	if IsNamespaceAlias(v.Args.Path) {
		err = errors.New("Error: " + aliasError)
	}
	c := Classify(facts, err, ClassifyOptions{
		CurrentUserSID:             v.Args.CurrentUserSID,
		PrincipalTranslationFailed: v.Args.PrincipalTranslationFailed,
	})
	got := map[string]any{
		"ok": c.OK, "entries": fromEntries(c.Entries), "trusted": fromEntries(c.Trusted),
		"untrustedWorld": fromEntries(c.UntrustedWorld), "untrustedGroup": fromEntries(c.UntrustedGroup),
	}
	if c.Error != "" {
		got["error"] = c.Error
	}
	return got
}

// reportFields is a report with the names and the optional fields of the vectors.
func reportFields(r Report) map[string]any {
	m := map[string]any{
		"ok": r.OK, "isSymlink": r.IsSymlink, "isDir": r.IsDir, "mode": r.Mode, "bits": r.Bits, "source": r.Source,
		"worldWritable": r.WorldWritable, "groupWritable": r.GroupWritable,
		"worldReadable": r.WorldReadable, "groupReadable": r.GroupReadable,
	}
	for name, text := range map[string]string{"error": r.Error, "ownerError": r.OwnerError, "ownerSid": r.OwnerSID} {
		if text != "" {
			m[name] = text
		}
	}
	if r.OwnerTrusted != nil {
		m["ownerTrusted"] = *r.OwnerTrusted
	}
	if r.ACLSummary != nil {
		m["aclSummary"] = *r.ACLSummary
	}
	return m
}

func (v vector) path(dir string) string {
	if v.Args.PathB64 == "" {
		return v.Args.Path
	}
	raw, err := base64.StdEncoding.DecodeString(v.Args.PathB64)
	if err != nil {
		panic(err)
	}
	return dir + "/" + v.Args.DirPrefix + string(raw)
}

func TestVectors(t *testing.T) {
	dir := makeFixtures(t)
	reasons := readDivergences(t)
	seen := map[string]bool{}
	left := map[string]int{}
	replayed, differ := 0, 0
	for _, v := range readVectors(t, dir) {
		replay, ok := replays[v.Fn]
		if !ok {
			t.Fatalf("%s: no replay for %s", v.ID, v.Fn)
		}
		got := replay(t, v)
		if why, out := got.(noCounterpart); out {
			left[fmt.Sprintf("%s (%s): %s", v.Fn, v.Group, why)]++
			continue
		}
		replayed++
		seen[v.ID] = true
		same := reflect.DeepEqual(plain(t, got), plain(t, v.want()))
		_, listed := reasons[v.ID]
		if !same {
			differ++
		}
		switch {
		case !same && !listed:
			gotText, _ := json.Marshal(got)
			t.Errorf("%s (%s) differs and is not listed\n got %s\nwant %s", v.ID, v.Fn, gotText, v.Want)
		case same && listed:
			t.Errorf("%s is listed as a divergence, but does not differ", v.ID)
		}
	}
	for id := range reasons {
		if !seen[id] && !needsFixturesOfRoot(id) {
			t.Errorf("divergence %s names no vector that was replayed", id)
		}
	}
	t.Logf("%d vectors replayed, %d of them differ on purpose", replayed, differ)
	for _, line := range sortedKeys(left) {
		t.Logf("%4d without counterpart: %s", left[line], line)
	}
}

// The table of the documentation accounts for every difference.
func TestDocumentedDivergences(t *testing.T) {
	text, err := os.ReadFile("../docs/inspect.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| kind of difference |")
	table, _, _ = strings.Cut(table, "\n\n")
	sum := 0
	for _, cell := range regexp.MustCompile(`\| (\d+) \|`).FindAllStringSubmatch(table, -1) {
		n, _ := strconv.Atoi(cell[1])
		sum += n
	}
	if want := len(readDivergences(t)); !found || sum != want {
		t.Errorf("the table counts %d differences, there are %d", sum, want)
	}
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// plain is a value as any JSON reader sees it, without the fields that describe
// the process which the library would run.
func plain(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	if object, ok := out.(map[string]any); ok {
		for _, key := range []string{"_calls", "hasErrorCause", "errorDetail"} {
			delete(object, key)
		}
	}
	return out
}

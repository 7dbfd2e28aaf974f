package audit

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/agent-pdp/pdp/internal/store"
)

// Fault is a way in which a log is not what was written.
type Fault string

// The faults that are told apart.
const (
	Changed        Fault = "changed"         // the header, or its hash
	ContentChanged Fault = "content_changed" // what a person reads
	Missing        Fault = "missing"
	Reordered      Fault = "reordered"
	Duplicated     Fault = "duplicated"
	Added          Fault = "added"   // where no record can be
	CutOff         Fault = "cut_off" // the end is behind what was signed
	BadSignature   Fault = "bad_signature"
	Unsigned       Fault = "unsigned"    // a chain without any checkpoint
	ForeignKey     Fault = "foreign_key" // a chain by somebody else
	BadPrune       Fault = "bad_prune"   // the beginning is gone, and nobody signed that
	BadErasure     Fault = "bad_erasure" // content is gone, and no signed record says why
	IdleKey        Fault = "idle_key"    // a key that was given has signed no checkpoint
	Altered        Fault = "altered"     // a line of a file that is not as an export writes it
	Unreadable     Fault = "unreadable"  // a line of a file that is no part of an export
)

// Finding says what is wrong with which record.
type Finding struct {
	Fault  Fault  `json:"fault"`
	Writer string `json:"writer"`
	Seq    int64  `json:"seq"`          // 0: the chain as a whole
	Until  int64  `json:"until"`        // the last of several; else the same as seq
	ID     string `json:"id,omitempty"` // of the record, if there is one
	Text   string `json:"text"`
}

// Chain is what was found of one writer's chain.
type Chain struct {
	Writer  string `json:"writer"`
	Key     string `json:"key"` // fingerprint of the public key
	Records int64  `json:"records"`
	First   int64  `json:"first"`
	Last    int64  `json:"last"`
	// Signed is the number of the last record that a good checkpoint speaks of: what
	// comes after it can be taken away unseen. -1: there is no such checkpoint.
	Signed      int64 `json:"signed"`
	Checkpoints int64 `json:"checkpoints"`
	// Unsigned counts the records after that one.
	Unsigned int64 `json:"unsigned"`
	Erased   int64 `json:"erased"` // records without content
	Pruned   int64 `json:"pruned"` // number of the last record that retention took

	unchecked int64 // records without content that were not looked up
}

// Report is what [Verify] found.
type Report struct {
	Chains   []Chain   `json:"chains"`
	Records  int64     `json:"records"`
	Erased   int64     `json:"erased"`
	Findings []Finding `json:"findings"`
	// More counts findings beyond those that are listed.
	More int64 `json:"more"`
	// Partial says that a file holds only some records of each chain, so that
	// missing ones cannot be told.
	Partial bool `json:"partial"`
	// Unchecked counts records without content whose erasure was not looked up, as
	// there were too many of them.
	Unchecked int64 `json:"unchecked"`
	// Strays counts records and checkpoints in the store that belong to no writer's
	// chain: no service of this kind can have put them there.
	Strays int64 `json:"strays"`
}

// Good reports whether there is a log, nothing was found in it, and everything
// was looked at. A log that was never written is not one that is whole: it may be
// the wrong one.
func (r *Report) Good() bool {
	return len(r.Chains) > 0 && len(r.Findings) == 0 && r.Unchecked == 0 && r.Strays == 0
}

// Known is a checkpoint that was kept where the log's keepers cannot change it.
type Known struct {
	store.Checkpoint
	Key ed25519.PublicKey // nil: that of the log
}

// VerifyOptions say what is known from elsewhere; without it a log can only be
// compared with itself.
type VerifyOptions struct {
	// Keys are those that may sign; empty: those that the log names.
	Keys []ed25519.PublicKey
	// Known are checkpoints that the log must agree with.
	Known []Known
}

// Bounds of a verification.
const (
	maxFindings = 1000
	maxErasures = 500_000 // sessions, in each chain, whose erasure is looked up
	maxGroup    = 64      // records that are tried in another order
	maxHoles    = 10_000  // places of a file whose records may come later
)

// Fingerprint names a public key.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// verifier gathers a report.
type verifier struct {
	options VerifyOptions
	report  Report
	hasher  hasher
	found   map[string]int // writer → index of its chain
	gone    []*gone        // records without content, by chain and session
	erased  map[string][]erasureAt
	signers map[string]bool // keys of which there is a good checkpoint
	// unsigned holds one erasure of a session that explains nothing.
	unsigned map[string]erasureAt
	// unexplained says that for some content no erasure was found.
	unexplained bool
}

func newVerifier(o VerifyOptions) *verifier {
	return &verifier{
		options: o, found: map[string]int{}, erased: map[string][]erasureAt{}, signers: map[string]bool{}, unsigned: map[string]erasureAt{},
		report: Report{Chains: []Chain{}, Findings: []Finding{}},
	}
}

func (v *verifier) tell(f Finding) {
	if f.Until == 0 {
		f.Until = f.Seq
	}
	if len(v.report.Findings) >= maxFindings {
		v.report.More++
		return
	}
	v.report.Findings = append(v.report.Findings, f)
}

// trusted reports whether a key may sign.
func (v *verifier) trusted(key ed25519.PublicKey) bool {
	for _, k := range v.options.Keys {
		if k.Equal(key) {
			return true
		}
	}
	return len(v.options.Keys) == 0
}

// add takes over what was found of a chain.
func (v *verifier) add(c *check) {
	v.found[c.chain.Writer] = len(v.report.Chains)
	v.report.Chains = append(v.report.Chains, c.chain)
	v.report.Records += c.chain.Records
	v.report.Erased += c.chain.Erased
	if len(c.marks) > 0 {
		v.signers[string(c.writer.PublicKey)] = true
	}
	v.addErasures(c)
}

// absent tells of chains that are known from elsewhere and are not there at all.
func (v *verifier) absent() {
	told := map[string]bool{}
	for _, k := range v.options.Known {
		if _, ok := v.found[k.Writer]; ok || told[k.Writer] || k.Seq == 0 {
			continue
		}
		told[k.Writer] = true
		v.tell(Finding{
			Fault: CutOff, Writer: k.Writer, Seq: 1, Until: k.Seq,
			Text: fmt.Sprintf("the whole chain is gone; a checkpoint kept elsewhere speaks of record %d", k.Seq),
		})
	}
}

// idle tells of keys that were given and have signed nothing: what is there was
// not written by whom the caller trusts, also if nothing is. A chain by somebody
// else says that already.
func (v *verifier) idle() {
	if slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Fault == ForeignKey }) {
		return
	}
	for _, key := range v.options.Keys {
		if !v.signers[string(key)] {
			v.tell(Finding{Fault: IdleKey, Text: "no checkpoint is signed by the given key " + Fingerprint(key)})
		}
	}
}

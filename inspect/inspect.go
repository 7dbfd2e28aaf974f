package inspect

// Source says where the four access flags of a report come from.
type Source string

const (
	// SourceUnknown: the flags are not verified and all false.
	SourceUnknown Source = "unknown"
	// SourcePOSIX: the mode bits of the file system.
	SourcePOSIX Source = "posix"
	// SourceSynthetic: mode bits that the mount makes up (drvfs without metadata,
	// FAT, SMB): they are reported, but say nothing about who gets access.
	SourceSynthetic Source = "posix-synthetic"
	// SourceWindowsACL: the owner and the discretionary access list.
	SourceWindowsACL Source = "windows-acl"
)

// isModes reports whether there are mode bits, whatever they are worth.
func (s Source) isModes() bool { return s == SourcePOSIX || s == SourceSynthetic }

// Report says what is known about the permissions of one path.
//
// OK false means that the path, or what a link points to, could not be
// inspected: Error says why, and no flag means anything. OK true with
// SourceUnknown means that the object exists, but who may use it could not be
// verified. A flag that is false in a report without OK and a known source is
// not a statement that access is closed.
type Report struct {
	OK        bool `json:"ok"`
	IsSymlink bool `json:"is_symlink"`
	// IsDir is about the target when the path is a link.
	IsDir bool `json:"is_dir"`
	// Mode is the whole st_mode with the type, Bits the nine permission bits.
	// Both are the target's when the path is a link.
	Mode   *uint32 `json:"mode"`
	Bits   *uint32 `json:"bits"`
	Source Source  `json:"source"`

	WorldWritable bool `json:"world_writable"`
	GroupWritable bool `json:"group_writable"`
	WorldReadable bool `json:"world_readable"`
	GroupReadable bool `json:"group_readable"`

	OwnerSID     string  `json:"owner_sid,omitempty"`
	OwnerTrusted *bool   `json:"owner_trusted,omitempty"`
	OwnerError   string  `json:"owner_error,omitempty"`
	ACLSummary   *string `json:"acl_summary,omitempty"`

	Error string `json:"error,omitempty"`
	// ErrorCode is [CodeTimeout] when the path had no answer in time, or too many
	// others wait for the same file system; else "".
	ErrorCode   Code            `json:"error_code,omitempty"`
	ErrorDetail *CommandFailure `json:"error_detail,omitempty"`

	// Detail is one line for people, without control characters.
	Detail string `json:"detail"`
	// Remediation is nil when the required mode holds already, or when nothing
	// can be suggested that is sure to help and not to harm.
	Remediation *Remediation `json:"remediation"`
	// Findings are what a person should know, the worst first.
	Findings []Finding `json:"findings"`
	// Effective and Profile answer Options.EffectiveFor and Options.Profile.
	Effective *EffectiveAccess `json:"effective_access,omitempty"`
	Profile   *ProfileResult   `json:"profile,omitempty"`
	Facts     Facts            `json:"facts"`
}

// Expect is the kind of object that the caller needs at the path.
type Expect string

const (
	ExpectAny  Expect = ""
	ExpectFile Expect = "file"
	ExpectDir  Expect = "directory"
)

// Options tune a report. The zero value asks for a private object.
type Options struct {
	// RequiredMode is the most that the mode bits may allow; 0 stands for 0600,
	// or 0700 for a directory. A stricter mode satisfies it.
	RequiredMode uint32
	// Profile judges the path by the rule of one consumer, and takes its mode
	// for the required one when that is 0.
	Profile Profile
	// EffectiveFor asks what a user may do with the path.
	EffectiveFor *Subject
	// TrustedUIDs are users whom the inspecting one trusts like itself.
	TrustedUIDs []uint32
	// Plain leaves it at the mode bits: two system calls at most, no facts, no
	// findings, no suggestion.
	Plain bool
	// Expect makes an object of another kind an error (a missing secret that was
	// mounted as a directory is not a permission problem).
	Expect Expect
	// Env and OSUser name the user whom a suggested Windows command would grant
	// access, see [Reset]. They are not used elsewhere.
	Env    map[string]string
	OSUser string
}

// asksForUser reports whether the access of one user has to be computed.
func (o *Options) asksForUser() bool {
	rule := o.Profile.rule()
	return o.EffectiveFor != nil || rule != nil && rule.reads
}

// Path reports on path, which is used as given: relative paths are relative to
// the working directory of the process. It never fails: what goes wrong is in
// the report. It takes as long as the file system takes; [Pool] has a deadline.
func Path(path string, opts Options) Report {
	if opts.Plain {
		return plainReport(path)
	}
	s := newSession(&opts)
	defer s.close()
	return s.report(path)
}

// desk is where a session works on the one report that it makes at a time.
type desk struct {
	x    examination
	made Report
}

// report makes one report. A session may make many, one after the other.
func (s *session) report(path string) Report {
	if s.opts.Plain {
		return plainReport(path)
	}
	x, r := &s.x, &s.made
	*x = examination{path: path, opts: s.opts, view: s.view, report: r}
	*r = s.examine(x)
	if r.OK {
		r.expect(s.opts.Expect)
		x.gather(s.admit)
		x.judge()
	}
	if rule := s.opts.Profile.rule(); rule != nil {
		r.Profile = rule.judge(r, x.asUser().UID, x.evidence)
	}
	r.Detail = FormatDetail(path, *r)
	return *r
}

// judge adds what follows from the facts of an object that could be examined.
func (x *examination) judge() {
	r := x.report
	x.mode = requiredMode(r, x.opts)
	if m := r.Facts.Mount; m != nil && is(m.SyntheticModes) && r.Source == SourcePOSIX {
		r.Source = SourceSynthetic
	}
	if r.Bits != nil && r.Source.isModes() {
		x.excess = *r.Bits &^ x.mode
		x.findings()
	}
	if x.opts.EffectiveFor != nil && x.object != nil {
		r.Effective = effective(*x.opts.EffectiveFor, &r.Facts, x.object, x.chain)
	}
	r.Remediation = x.suggest()
}

// asUser is whose view a profile takes.
func (x *examination) asUser() Subject {
	if x.opts.EffectiveFor != nil {
		return *x.opts.EffectiveFor
	}
	return Subject{UID: x.view.uid, GIDs: ownGroups()}
}

// gather looks at what the rule of a profile needs beside the report. Admit says
// of what the caller may be told, see [BatchOptions].
func (x *examination) gather(admit func(string) string) {
	rule := x.opts.Profile.rule()
	if rule == nil || x.object == nil {
		return
	}
	if rule.reads {
		x.evidence.read = effective(x.asUser(), &x.report.Facts, x.object, x.chain).Read
	}
	if rule.repository && x.chain.real != "" {
		x.evidence.repo = findRepository(x.chain.real, admit)
	}
}

// plainReport says what the mode bits say.
func plainReport(path string) Report {
	r := plainBits(path)
	r.Detail = FormatDetail(path, r)
	return r
}

func plainBits(path string) Report {
	if text := refusePath(path); text != "" {
		return failed(text)
	}
	o, err := statOf(path, false)
	if err != nil {
		return failed(statError("lstat", path, err))
	}
	isLink := o.isLink()
	if isLink {
		if o, err = statOf(path, true); err != nil {
			r := failed(statError("stat", path, err))
			r.IsSymlink = true
			return r
		}
	}
	r := reportOf(&o, isLink)
	r.Facts.Kind = o.kind()
	return r
}

// reportOf starts the report of an object. Only POSIX systems have mode bits
// that mean something.
func reportOf(o *object, isLink bool) Report {
	r := Report{
		OK: true, IsSymlink: isLink, IsDir: o.isDir(), Mode: known(o.mode), Source: SourceUnknown,
		Findings: []Finding{}, Facts: noFacts(),
	}
	r.Bits = ModeBits(r.Mode)
	if !modesDecide {
		r.Error = notVerified
		return r
	}
	return withModeBits(r)
}

// notVerified is what a report says while the security descriptor of the object
// is not read.
const notVerified = "the Windows security descriptor was not read: who may use this path is not verified"

// failed is the report of a path about which nothing is known.
func failed(text string) Report {
	return Report{Source: SourceUnknown, Error: text, Findings: []Finding{}, Facts: noFacts()}
}

// withModeBits takes the flags from the mode bits.
func withModeBits(r Report) Report {
	r.Source = SourcePOSIX
	r.WorldWritable = IsWorldWritable(r.Bits)
	r.GroupWritable = IsGroupWritable(r.Bits)
	r.WorldReadable = IsWorldReadable(r.Bits)
	r.GroupReadable = IsGroupReadable(r.Bits)
	return r
}

func (r *Report) expect(want Expect) {
	isFile := r.Facts.Kind == KindFile
	switch {
	case want == ExpectFile && !isFile:
		r.Error = "wrong_type: expected a regular file, found " + string(r.Facts.Kind)
	case want == ExpectDir && !r.IsDir:
		r.Error = "wrong_type: expected a directory, found " + string(r.Facts.Kind)
	}
}

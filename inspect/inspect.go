package inspect

// Source says where the four access flags of a report come from.
type Source string

const (
	// SourceUnknown: the flags are not verified and all false.
	SourceUnknown Source = "unknown"
	// SourcePOSIX: the mode bits of the file system.
	SourcePOSIX Source = "posix"
	// SourceWindowsACL: the owner and the discretionary access list.
	SourceWindowsACL Source = "windows-acl"
)

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

	Error       string          `json:"error,omitempty"`
	ErrorDetail *CommandFailure `json:"error_detail,omitempty"`

	// Detail is one line for people, without control characters.
	Detail string `json:"detail"`
	// Remediation is nil when the required mode holds already, or when nothing
	// can be suggested that is sure to help and not to harm.
	Remediation *Remediation `json:"remediation"`
	Facts       Facts        `json:"facts"`
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
	// Expect makes an object of another kind an error (a missing secret that was
	// mounted as a directory is not a permission problem).
	Expect Expect
	// Env and OSUser name the user whom a suggested Windows command would grant
	// access, see [Reset]. They are not used elsewhere.
	Env    map[string]string
	OSUser string
}

// Path reports on path, which is used as given: relative paths are relative to
// the working directory of the process. It never fails: what goes wrong is in
// the report.
func Path(path string, opts Options) Report {
	r, st := inspectPath(path)
	if r.OK {
		r.expect(opts.Expect)
	}
	r.Detail = FormatDetail(path, r)
	r.Remediation = suggest(path, r, st, opts)
	return r
}

// inspectPath follows a link once for the effective mode. A link whose target
// cannot be examined has no mode: the kernel's 0777 for links would read as an
// object that everybody may write.
func inspectPath(path string) (Report, Stat) {
	st := SafeStat(path)
	if !st.OK {
		r := failed(st.Error)
		r.Facts = missingFacts(path)
		return r, st
	}
	link := st
	if st.IsSymlink {
		st = statTarget(path)
		if !st.OK {
			r := failed(st.Error)
			r.IsSymlink = true
			r.Facts = factsOf(path, link)
			r.Facts.Target = TargetUnresolved
			return r, st
		}
	}
	r := Report{
		OK:        true,
		IsSymlink: link.IsSymlink,
		IsDir:     st.IsDir,
		Mode:      st.Mode,
		Bits:      ModeBits(st.Mode),
		Source:    SourceUnknown,
		Facts:     factsOf(path, st),
	}
	if link.IsSymlink {
		r.Facts.Target = TargetResolved
	}
	return verify(path, r), st
}

// failed is the report of a path about which nothing is known.
func failed(text string) Report { return Report{Source: SourceUnknown, Error: text} }

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

package auth

import "fmt"

// Role says what a caller may do. The zero Role is nobody: such a caller has
// no credential, and only the stateless calls work for it.
type Role uint8

const (
	Nobody   Role = iota
	Runtime       // decide, and keep its own sessions; may narrow, never widen
	Viewer        // read the audit log, sessions, approvals and events
	Approver      // resolve approvals, mint and revoke grants, widen sessions
	Admin         // everything
)

var roleNames = [...]string{Nobody: "", Runtime: "runtime", Viewer: "viewer", Approver: "approver", Admin: "admin"}

func (r Role) String() string { return roleNames[r] }

// ParseRole reads a role's name; the empty text is no role.
func ParseRole(name string) (Role, error) {
	for r := Runtime; r <= Admin; r++ {
		if roleNames[r] == name {
			return r, nil
		}
	}
	return Nobody, fmt.Errorf("%q is not a role; use runtime, viewer, approver or admin", name)
}

// Caller is who sent a request. The zero Caller has shown no credential.
type Caller struct {
	ID   string // stable name of the credential: "token:…", "jwt:…", "cert:…", "uid:1000"
	Name string // for people; may be empty
	Role Role
}

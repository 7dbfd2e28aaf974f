package auth

import (
	"context"
	"fmt"
	"net"
	"strconv"
)

// Peers says which users of this machine have which role on the Unix socket.
type Peers struct {
	own   uint32
	roles map[uint32]Role
}

// overflowUID is the user that the kernel shows in place of every user of
// another namespace that has none here: many users, none of them known.
const overflowUID = 65534

// NewPeers returns the roles of users on a Unix socket of a service that runs
// as own. The service's own user is a runtime, whatever the table says: agents
// run as that user too, and must not be able to approve themselves.
func NewPeers(own uint32, roles map[uint32]Role) (*Peers, error) {
	p := &Peers{own: own, roles: make(map[uint32]Role, len(roles)+1)}
	for uid, role := range roles {
		if uid == overflowUID {
			return nil, fmt.Errorf("uid %d stands for every user of other namespaces and can have no role", uid)
		}
		p.roles[uid] = role
	}
	p.roles[own] = Runtime
	return p, nil
}

func (p *Peers) caller(at peer) Caller {
	role := p.roles[at.uid]
	if role == Nobody {
		return Caller{}
	}
	return Caller{ID: "uid:" + strconv.FormatUint(uint64(at.uid), 10), Role: role}
}

// WithPeer is for http.Server.ConnContext: it remembers who connected to a Unix
// socket. The kernel says so, as of the time of connecting; a request cannot.
// Other connections have no peer.
func WithPeer(ctx context.Context, conn net.Conn) context.Context {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return ctx
	}
	uid, err := peerUID(unix)
	if err != nil {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, peer{uid})
}

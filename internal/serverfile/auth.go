package serverfile

import (
	"fmt"
	"os/user"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pdp/pdp/internal/auth"
)

func (r *reader) auth(n *yaml.Node, at string, a *Auth) {
	r.object(n, at, map[string]field{
		"jwt":          func(n *yaml.Node, at string) { a.JWT = r.jwt(n, at) },
		"certificates": func(n *yaml.Node, at string) { a.Certificates = r.certificates(n, at) },
		"peers":        func(n *yaml.Node, at string) { a.Peers = r.peers(n, at) },
		"tokens":       func(n *yaml.Node, at string) { a.Tokens = r.tokens(n, at) },
	})
}

// defaultLeeway is for clocks that are not quite the same.
const defaultLeeway = 30 * time.Second

func (r *reader) jwt(n *yaml.Node, at string) *JWT {
	j := &JWT{}
	j.Leeway = defaultLeeway
	r.object(n, at, map[string]field{
		"issuer":     r.text(&j.Issuer),
		"audience":   r.text(&j.Audience),
		"jwks_file":  r.text(&j.KeysFile),
		"jwks_url":   r.text(&j.KeysURL),
		"role_claim": r.text(&j.RoleClaim),
		"leeway": func(n *yaml.Node, at string) {
			if value, ok := r.scalar(n, at); ok {
				leeway, err := time.ParseDuration(value)
				if err != nil {
					r.fail(n, at, "is no time, such as 30s")
				}
				j.Leeway = leeway
			}
		},
		"algorithms": func(n *yaml.Node, at string) {
			j.Algorithms = []string{}
			r.list(n, at, func(n *yaml.Node, at string) {
				var name string
				r.text(&name)(n, at)
				j.Algorithms = append(j.Algorithms, name)
			})
			if len(j.Algorithms) == 0 {
				r.fail(n, at, "names none; remove the key to admit all that are safe")
			}
		},
		"roles": func(n *yaml.Node, at string) { j.Roles = r.roles(n, at) },
	})
	if (j.KeysFile == "") == (j.KeysURL == "") {
		r.fail(n, at, "needs one of jwks_url and jwks_file")
		return j
	}
	// The rest is judged where it is used; the place of the keys is judged there too.
	spec := j.JWTSpec
	spec.Keys = auth.FileKeys(j.KeysFile)
	if j.KeysURL != "" {
		source, err := auth.URLKeys(j.KeysURL)
		if err != nil {
			r.fail(n, at+".jwks_url", "%v", err)
			return j
		}
		spec.Keys = source
	}
	if _, err := auth.NewJWT(spec); err != nil {
		r.fail(n, at, "%v", err)
	}
	return j
}

// roles reads a mapping of any texts to roles.
func (r *reader) roles(n *yaml.Node, at string) map[string]auth.Role {
	roles := map[string]auth.Role{}
	if n.Kind != yaml.MappingNode || n.Anchor != "" || len(n.Content) > 2*mostItems {
		r.fail(n, at, "must be a role for each value, such as agents: runtime")
		return roles
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		value, ok := r.scalar(k, at)
		if !ok {
			continue
		}
		if _, twice := roles[value]; twice {
			r.fail(k, join(at, value), "stands here a second time")
		}
		var role auth.Role
		r.role(&role)(v, join(at, value))
		roles[value] = role
	}
	return roles
}

func (r *reader) certificates(n *yaml.Node, at string) (rows []auth.SAN) {
	r.list(n, at, func(n *yaml.Node, at string) {
		var row auth.SAN
		before := len(r.errs)
		r.object(n, at, map[string]field{
			"uri": r.text(&row.URI), "dns": r.text(&row.DNS), "email": r.text(&row.Email),
			"name": r.text(&row.Name), "role": r.role(&row.Role),
		})
		rows = append(rows, row)
		if len(r.errs) > before {
			return
		}
		if _, err := auth.NewCertificates(rows); err != nil {
			r.fail(n, at, "%v", err)
			rows = rows[:len(rows)-1]
		}
	})
	return rows
}

func (r *reader) peers(n *yaml.Node, at string) map[uint32]auth.Role {
	peers := map[uint32]auth.Role{}
	r.list(n, at, func(n *yaml.Node, at string) {
		var number, name string
		var role auth.Role
		before := len(r.errs)
		r.object(n, at, map[string]field{"uid": r.text(&number), "user": r.text(&name), "role": r.role(&role)})
		switch {
		case len(r.errs) > before:
			return
		case (number == "") == (name == ""):
			r.fail(n, at, "needs one of uid and user")
			return
		case role == auth.Nobody:
			r.fail(n, at, "needs a role")
			return
		}
		uid, err := uidOf(number, name)
		if err != nil {
			r.fail(n, at, "%v", err)
			return
		}
		if _, ok := peers[uid]; ok {
			r.fail(n, at, "uid %d stands in the list twice", uid)
			return
		}
		if _, err := auth.NewPeers(0, map[uint32]auth.Role{uid: role}); err != nil {
			r.fail(n, at, "%v", err)
			return
		}
		peers[uid] = role
	})
	return peers
}

func uidOf(number, name string) (uint32, error) {
	if name != "" {
		found, err := user.Lookup(name)
		if err != nil {
			return 0, err
		}
		number = found.Uid
	}
	uid, err := strconv.ParseUint(number, 10, 32)
	if err != nil || strconv.FormatUint(uid, 10) != number {
		return 0, fmt.Errorf("uid %q is no number of a user", number)
	}
	return uint32(uid), nil
}

func (r *reader) tokens(n *yaml.Node, at string) (tokens []auth.Fixed) {
	r.list(n, at, func(n *yaml.Node, at string) {
		var name, hash string
		var role auth.Role
		before := len(r.errs)
		r.object(n, at, map[string]field{"name": r.text(&name), "sha256": r.text(&hash), "role": r.role(&role)})
		if len(r.errs) > before {
			return
		}
		token, err := auth.WrittenToken(name, role, hash)
		if err != nil {
			r.fail(n, at, "%v", err)
			return
		}
		for _, other := range tokens {
			if other.Name == token.Name || other.Digest == token.Digest {
				r.fail(n, at, "has the name or the hash of another token")
				return
			}
		}
		tokens = append(tokens, token)
	})
	return tokens
}

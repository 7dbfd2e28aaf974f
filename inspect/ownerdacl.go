package inspect

import (
	"encoding/json"
	"runtime"
)

// OwnerDACL is the answer to a query for raw owner and access list facts. On
// systems without such lists Descriptor is nil and Platform says which it is.
type OwnerDACL struct {
	Platform       string
	CurrentUserSID string
	IsLocal        bool
	Descriptor     *Descriptor
}

// UnsupportedOwnerDACL is the answer of this system, when it is not Windows.
func UnsupportedOwnerDACL() OwnerDACL { return OwnerDACL{Platform: runtime.GOOS} }

// MarshalJSON writes the facts beside a status: supported or
// unsupported-platform.
func (o OwnerDACL) MarshalJSON() ([]byte, error) {
	if o.Descriptor == nil {
		return json.Marshal(struct {
			Status   string `json:"status"`
			Platform string `json:"platform"`
		}{"unsupported-platform", o.Platform})
	}
	d := o.Descriptor
	types := make([]int, len(d.UnsupportedACETypes)) // bytes would be written as base64
	for i, kind := range d.UnsupportedACETypes {
		types[i] = int(kind)
	}
	return json.Marshal(struct {
		Status              string    `json:"status"`
		OwnerSID            string    `json:"owner_sid"`
		CurrentUserSID      string    `json:"current_user_sid"`
		DACLPresent         bool      `json:"dacl_present"`
		IsLocal             bool      `json:"is_local"`
		Complete            bool      `json:"complete"`
		UnsupportedACETypes []int     `json:"unsupported_ace_types"`
		ACEs                []RuleACE `json:"aces"`
	}{"supported", d.OwnerSID, o.CurrentUserSID, d.DACLPresent, o.IsLocal, d.Complete, types, d.ACEs})
}

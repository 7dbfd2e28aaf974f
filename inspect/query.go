package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// Spelling is how the keys of a document are written.
type Spelling int

const (
	// CamelCase: ownerSid, inheritOnly, as Windows helpers reply.
	CamelCase Spelling = iota
	// SnakeCase: owner_sid, inherit_only, as this module's own API.
	SnakeCase
)

// maxFactsBytes bounds a document. The largest access list is 64 KiB.
const maxFactsBytes = 1 << 20

type about int

const (
	aboutNothing about = iota
	aboutOwner
	aboutACL
)

// problem is why facts cannot be used. A problem with the list leaves what is
// known of the owner.
type problem struct {
	about about
	text  string
}

func (p problem) Error() string { return p.text }

var (
	invalidSID      = problem{aboutOwner, "Windows owner query returned invalid SID data"}
	invalidLocality = problem{aboutOwner, "Windows owner query returned invalid locality data"}
	invalidJSON     = problem{aboutOwner, "SyntaxError: Windows owner query returned invalid JSON"}
	oversized       = problem{aboutOwner, "Windows owner query returned more than 1 MiB"}
	incompleteACL   = problem{aboutACL, "Windows ACL query returned incomplete descriptor data"}
	invalidRule     = problem{aboutACL, "Windows ACL query returned invalid access-rule data"}
)

// problemOf reads an error of [ParseFacts]. Any other error is a query that
// failed as a whole.
func problemOf(err error) problem {
	if err == nil {
		return problem{}
	}
	var p problem
	if errors.As(err, &p) {
		return p
	}
	return problem{aboutOwner, BoundFailure(err.Error())}
}

// ParseFacts reads the JSON object with the owner and the access list of one
// object. White space and a byte order mark around it are tolerated, unknown
// keys ignored, keys compared exactly. The error is meant for [Classify], along
// with the facts: when only the access list is bad, the owner is still in them.
func ParseFacts(document []byte, keys Spelling) (SecurityFacts, error) {
	if len(document) > maxFactsBytes {
		return SecurityFacts{}, oversized
	}
	value, err := decodeJSON(trim(string(document)))
	if err != nil {
		return SecurityFacts{}, invalidJSON
	}
	object, ok := value.(map[string]any)
	if !ok {
		return SecurityFacts{}, invalidSID
	}
	return readFacts(fields{object, keys})
}

func decodeJSON(text string) (any, error) {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if strings.Trim(text[dec.InputOffset():], " \t\r\n") != "" {
		return nil, errors.New("text after the value")
	}
	return value, nil
}

func readFacts(f fields) (SecurityFacts, error) {
	var facts SecurityFacts
	var ok bool
	if facts.OwnerSID, ok = f.sid("ownerSid"); !ok {
		return SecurityFacts{}, invalidSID
	}
	if facts.CurrentUserSID, ok = f.sid("currentUserSid"); !ok {
		return SecurityFacts{}, invalidSID
	}
	if facts.Remote, ok = f.bool("remote"); !ok {
		return SecurityFacts{}, invalidLocality
	}
	facts.CurrentUserName, _ = f.get("currentUserName").(string)
	rows, isList := f.get("aces").([]any)
	complete, _ := f.bool("complete")
	if facts.DACLPresent, ok = f.bool("daclPresent"); !ok || !complete || !isList {
		return facts, incompleteACL
	}
	for _, row := range rows {
		ace, ok := readACE(row, f.keys)
		if !ok {
			facts.ACEs = nil
			return facts, invalidRule
		}
		facts.ACEs = append(facts.ACEs, ace)
	}
	facts.Complete = true
	return facts, nil
}

func readACE(row any, keys Spelling) (ACE, bool) {
	object, isObject := row.(map[string]any)
	f := fields{object, keys}
	sid, okSID := f.sid("sid")
	mask, okMask := f.mask("mask")
	deny, okDeny := f.bool("deny")
	inheritOnly, okInherit := f.bool("inheritOnly")
	ok := isObject && okSID && okMask && okDeny && okInherit
	name, _ := f.get("name").(string)
	return ACE{SID: sid, Mask: mask, Deny: deny, InheritOnly: inheritOnly, Name: name}, ok
}

// fields reads typed values from a decoded object.
type fields struct {
	object map[string]any
	keys   Spelling
}

var snakeKeys = map[string]string{
	"ownerSid": "owner_sid", "currentUserSid": "current_user_sid", "daclPresent": "dacl_present", "currentUserName": "current_user_name", "inheritOnly": "inherit_only",
}

func (f fields) get(key string) any {
	if snake, ok := snakeKeys[key]; ok && f.keys == SnakeCase {
		key = snake
	}
	return f.object[key]
}

func (f fields) bool(key string) (value, ok bool) {
	value, ok = f.get(key).(bool)
	return value, ok
}

func (f fields) sid(key string) (string, bool) {
	text, ok := f.get(key).(string)
	if !ok || !IsSID(text) {
		return "", false
	}
	return normalizeSID(text), true
}

// mask accepts every spelling of an integer that fits: 5, 5.0 and 0.5e1.
func (f fields) mask(key string) (uint32, bool) {
	number, ok := f.get(key).(json.Number)
	if !ok {
		return 0, false
	}
	value, err := strconv.ParseFloat(number.String(), 64)
	if err != nil || value != math.Trunc(value) || value < 0 || value > math.MaxUint32 {
		return 0, false
	}
	return uint32(value), true
}

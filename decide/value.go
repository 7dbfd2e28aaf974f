package decide

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deeply arguments and metadata may nest.
const MaxDepth = 64

// ErrTooDeep is returned for JSON that nests deeper than MaxDepth.
var ErrTooDeep = fmt.Errorf("nests deeper than %d levels", MaxDepth)

// Kind is the JSON type of a Value.
type Kind uint8

const (
	Absent Kind = iota // the zero Value: no such member
	Null
	Bool
	Number
	String
	List
	Object
)

// Value is one JSON value as it was sent: members keep their order and
// numbers their digits, so a check and the tool cannot read different things.
// The zero Value is absent.
type Value struct {
	kind    Kind
	text    string // a string's content, a number's digits, "true" or "false"
	members []Member
}

// Member is an element of an object; Name is empty in a list.
type Member struct {
	Name  string
	Value Value
}

// ParseValue reads exactly one JSON value: names are unique at every depth,
// text is valid UTF-8, and nesting is at most MaxDepth.
func ParseValue(raw []byte) (Value, error) {
	dec := jsontext.NewDecoder(strings.NewReader(string(raw)))
	var v Value
	if err := v.UnmarshalJSONFrom(dec); err != nil {
		return Value{}, err
	}
	if _, err := dec.ReadToken(); err == nil {
		return Value{}, errors.New("more than one JSON value")
	}
	return v, nil
}

// Text makes a string value.
func Text(s string) Value { return Value{kind: String, text: s} }

// NewObject makes an object of members whose names must differ.
func NewObject(members ...Member) Value { return Value{kind: Object, members: members} }

// UnmarshalJSONFrom reads the next value of dec.
func (v *Value) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.StackDepth() > MaxDepth {
		return ErrTooDeep
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch tok.Kind() {
	case 'n':
		*v = Value{kind: Null}
	case 't', 'f':
		*v = Value{kind: Bool, text: tok.String()}
	case '0':
		*v = Value{kind: Number, text: tok.String()}
	case '"':
		*v = Value{kind: String, text: tok.String()}
	case '[':
		return v.readMembers(dec, List, ']')
	case '{':
		return v.readMembers(dec, Object, '}')
	}
	return nil
}

func (v *Value) readMembers(dec *jsontext.Decoder, kind Kind, end jsontext.Kind) error {
	*v = Value{kind: kind}
	for dec.PeekKind() != end {
		var m Member
		if kind == Object {
			name, err := dec.ReadToken()
			if err != nil {
				return err
			}
			m.Name = name.String()
		}
		if err := m.Value.UnmarshalJSONFrom(dec); err != nil {
			return err
		}
		v.members = append(v.members, m)
	}
	_, err := dec.ReadToken()
	return err
}

// MarshalJSONTo writes the value as it was read.
func (v Value) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch v.kind {
	case Bool, Number:
		return enc.WriteValue(jsontext.Value(v.text))
	case String:
		return enc.WriteToken(jsontext.String(v.text))
	case List, Object:
		return v.writeMembers(enc)
	default:
		return enc.WriteToken(jsontext.Null)
	}
}

func (v Value) writeMembers(enc *jsontext.Encoder) error {
	begin, end := jsontext.BeginArray, jsontext.EndArray
	if v.kind == Object {
		begin, end = jsontext.BeginObject, jsontext.EndObject
	}
	if err := enc.WriteToken(begin); err != nil {
		return err
	}
	for _, m := range v.members {
		if v.kind == Object {
			if err := enc.WriteToken(jsontext.String(m.Name)); err != nil {
				return err
			}
		}
		if err := m.Value.MarshalJSONTo(enc); err != nil {
			return err
		}
	}
	return enc.WriteToken(end)
}

// Kind returns the value's JSON type.
func (v Value) Kind() Kind { return v.kind }

// Get returns an object's member of exactly this name, or an absent value.
func (v Value) Get(name string) Value {
	if v.kind == Object {
		for i := range v.members {
			if v.members[i].Name == name {
				return v.members[i].Value
			}
		}
	}
	return Value{}
}

// Members returns an object's members or a list's elements; do not change them.
func (v Value) Members() []Member { return v.members }

// AsString returns a string's content, and whether the value is a string.
func (v Value) AsString() (string, bool) { return v.text, v.kind == String }

// Literal returns a number's digits or a truth value as they were sent; empty
// for other kinds.
func (v Value) Literal() string {
	if v.kind == Number || v.kind == Bool {
		return v.text
	}
	return ""
}

// Truthy follows the original engine's language: null, false, zero and
// everything empty are false.
func (v Value) Truthy() bool {
	switch v.kind {
	case Bool:
		return v.text == "true"
	case Number:
		return strings.ContainsAny(mantissa(v.text), "123456789")
	case String:
		return v.text != ""
	case List, Object:
		return len(v.members) > 0
	default:
		return false
	}
}

func mantissa(number string) string {
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		return number[:i]
	}
	return number
}

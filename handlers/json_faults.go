package handlers

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/internal/spelling"
)

// faults lists what of a body does not fit a type: members that it does not
// know and values of another type, in the order of the body, and no more than
// an answer names. The decoder itself stops at the first. body is one JSON
// value, and not too deep.
func faults(body []byte, t reflect.Type) []FieldError {
	f := faultFinder{dec: jsontext.NewDecoder(bytes.NewReader(body))}
	f.value(t, "")
	return f.found
}

type faultFinder struct {
	dec   *jsontext.Decoder
	found []FieldError
}

func (f *faultFinder) full() bool { return len(f.found) == maxFieldErrors }

var ownDecoder = reflect.TypeFor[json.UnmarshalerFrom]()

// value looks at the next value of the body, which stands for a value of type t.
func (f *faultFinder) value(t reflect.Type, at jsontext.Pointer) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	like := reflect.Invalid
	if !reflect.PointerTo(t).Implements(ownDecoder) {
		like = t.Kind()
	}
	switch kind := f.dec.PeekKind(); {
	case kind == '{' && like == reflect.Struct:
		f.members(fieldsOf(t), nil, at)
	case kind == '{' && like == reflect.Map:
		f.members(nil, t.Elem(), at)
	case kind == '[' && like == reflect.Slice:
		f.items(t.Elem(), at)
	case kind == 'n', kind == '"' && like == reflect.String, (kind == 't' || kind == 'f') && like == reflect.Bool:
		// Fits: a long list is not decoded once more, item by item.
		_ = f.dec.SkipValue()
	default:
		f.whole(t, at)
	}
}

// members looks at the object that is next. What is not among its fields is of
// the type other, or not known if there is none.
func (f *faultFinder) members(fields map[string]reflect.Type, other reflect.Type, at jsontext.Pointer) {
	_, _ = f.dec.ReadToken()
	for !f.full() && f.dec.PeekKind() == '"' {
		token, err := f.dec.ReadToken()
		if err != nil {
			return
		}
		name := token.String()
		member := at.AppendToken(name)
		t, known := fields[name]
		if other != nil {
			t, known = other, true
		}
		if !known {
			f.found = append(f.found, fieldError(codeUnknownField, string(member), unknownField(name, fields)))
			_ = f.dec.SkipValue()
			continue
		}
		f.value(t, member)
	}
	_, _ = f.dec.ReadToken()
}

func (f *faultFinder) items(t reflect.Type, at jsontext.Pointer) {
	_, _ = f.dec.ReadToken()
	for i := 0; !f.full() && f.dec.PeekKind() != ']' && f.dec.PeekKind() != 0; i++ {
		f.value(t, at.AppendToken(strconv.Itoa(i)))
	}
	_, _ = f.dec.ReadToken()
}

// whole takes the next value as the decoder does.
func (f *faultFinder) whole(t reflect.Type, at jsontext.Pointer) {
	value, err := f.dec.ReadValue()
	if err != nil {
		return
	}
	if err := json.Unmarshal(value, reflect.New(t).Interface(), strict); err != nil {
		if fault, ok := faultOf(err, at); ok {
			f.found = append(f.found, fault)
		}
	}
}

// fieldsOf are the types of a struct's members by their names. A field of the
// struct hides one of the same name in what is embedded.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if _, outer := fields[name]; name == "" || outer && len(field.Index) > 1 {
			continue
		}
		fields[name] = field.Type
	}
	return fields
}

func unknownField(name string, fields map[string]reflect.Type) string {
	known := make([]string, 0, len(fields))
	for name := range fields {
		known = append(known, name)
	}
	slices.Sort(known)
	text := "this field is not known; names are matched exactly"
	if near := spelling.Nearest(name, known); near != "" {
		text += "; did you mean " + near + "?"
	}
	return text
}

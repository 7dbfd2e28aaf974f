package handlers

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-playground/validator/v10"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/inspect"
)

// check applies the rules in the validate tags of v, and turns what is wrong
// into a problem. It is the one place that makes field errors from rules.
func check(v any) error {
	err := rules.Struct(v)
	if err == nil {
		return nil
	}
	var broken validator.ValidationErrors
	if !errors.As(err, &broken) {
		return err
	}
	fields := make([]FieldError, 0, min(len(broken), maxFieldErrors))
	for _, b := range broken[:min(len(broken), maxFieldErrors)] {
		fields = append(fields, fieldError(codeValidation, pointerOf(b.Namespace()), ruleText(b)))
	}
	return fieldsProblem(fields)
}

// maxFieldErrors bounds the answer to a body in which everything is wrong.
const maxFieldErrors = 50

// fieldsProblem is a problem about fields: of the kind of the first, which it
// tells; of the others it tells that there are more.
func fieldsProblem(fields []FieldError) *Problem {
	detail := fields[0].Pointer + ": " + fields[0].Detail
	if more := len(fields) - 1; more > 0 {
		detail += " (and " + strconv.Itoa(more) + " more in errors)"
	}
	return problem(fields[0].Code, detail, fields...)
}

var rules = newRules()

func newRules() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	})
	for name, rule := range map[string]validator.Func{
		"maxnote":  func(fl validator.FieldLevel) bool { return fl.Field().Len() <= maxNote },
		"maxbytes": func(fl validator.FieldLevel) bool { return fl.Field().Len() <= maxName },
		"octal":    func(fl validator.FieldLevel) bool { _, ok := parseOctal(fl.Field().String()); return ok },
		"profile": func(fl validator.FieldLevel) bool {
			_, err := inspect.ParseProfile(fl.Field().String())
			return err == nil
		},
		"nonul":   func(fl validator.FieldLevel) bool { return !strings.ContainsRune(fl.Field().String(), 0) },
		"abspath": func(fl validator.FieldLevel) bool { return isAbsolute(fl.Field().String()) },
	} {
		if err := v.RegisterValidation(name, rule); err != nil {
			panic(err) // only a name that is taken or reserved
		}
	}
	return v
}

// maxNote is how many bytes a person's note may have.
const maxNote = 4096

// maxName is how many bytes a tool's name or a session's id may have.
const maxName = 256

func ruleText(e validator.FieldError) string {
	switch e.Tag() {
	case "required":
		return "is required"
	case "required_without":
		return "either a context or a session_id is required"
	case "excluded_with":
		return "a context and a session_id exclude each other"
	case "maxbytes":
		return "has more than 256 bytes"
	case "maxnote":
		return "has more than 4096 bytes"
	case "oneof":
		return "must be one of " + strings.ReplaceAll(e.Param(), " ", ", ")
	case "nonul":
		return "has a NUL"
	case "min", "max":
		if e.Field() == "ttl_seconds" {
			return "must be a whole number of seconds from 1 to 7776000 (90 days)"
		}
		if e.Kind() == reflect.Slice {
			return "must have at most " + e.Param() + " items"
		}
		return "must be a whole number from 1 to 2147483647"
	case "profile":
		return "must be one of " + profileNames()
	case "octal":
		return `must be octal text from "001" to "7777", such as "0600"`
	case "abspath":
		return "must be an absolute path"
	}
	return "is not valid"
}

// pointerOf turns the validator's "type.context.roots[1].path" into
// "/context/roots/1/path". No field has a dot or a bracket in its name. An
// embedded struct is no member of the body.
func pointerOf(namespace string) string {
	_, path, _ := strings.Cut(namespace, ".")
	path = strings.TrimPrefix(path, "ContextSpec.")
	path = strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(path)
	return "/" + path
}

// specProblem reports what the engine found wrong with a part of the body that
// stands at prefix.
func specProblem(prefix string, err *decide.SpecError) error {
	fields := make([]FieldError, 0, min(len(err.Issues), maxFieldErrors))
	for _, issue := range err.Issues[:min(len(err.Issues), maxFieldErrors)] {
		fields = append(fields, fieldError(codeValidation, prefix+issue.Pointer, issue.Detail))
	}
	if len(fields) == 0 {
		fields = append(fields, fieldError(codeValidation, prefix, "is not valid"))
	}
	return fieldsProblem(fields)
}

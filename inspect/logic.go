package inspect

// Three-valued logic: nil is not known.

func isKnown(v *bool, want bool) bool { return v != nil && *v == want }

func and(a, b *bool) *bool {
	switch {
	case isKnown(a, false) || isKnown(b, false):
		return &no
	case a == nil || b == nil:
		return nil
	}
	return &yes
}

func or(a, b *bool) *bool {
	switch {
	case is(a) || is(b):
		return &yes
	case a == nil || b == nil:
		return nil
	}
	return &no
}

func not(v *bool) *bool {
	if v == nil {
		return nil
	}
	return boolFact(!*v)
}

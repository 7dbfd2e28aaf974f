package decide

import "strconv"

// ambiguousArguments asks a person about arguments whose names differ only in
// letter case: the tool behind may read the one that was not judged.
func ambiguousArguments(f *facts) (refusal, bool) {
	name, hit := ambiguous(f.call.Arguments)
	if !hit {
		return refusal{}, false
	}
	return refusal{AskHuman, CodeAmbiguousArguments, "the argument " + strconv.Quote(clip(name)) + " is there twice, in different letter case"}, true
}

func ambiguous(v Value) (string, bool) {
	const few = 16 // up to here comparing pairs beats a map
	if v.kind == Object && len(v.members) > 1 {
		var seen map[string]bool
		if len(v.members) > few {
			seen = make(map[string]bool, len(v.members))
		}
		for i := range v.members {
			folded := foldName(v.members[i].Name)
			if seen != nil {
				if seen[folded] {
					return v.members[i].Name, true
				}
				seen[folded] = true
				continue
			}
			for j := range i {
				if foldName(v.members[j].Name) == folded {
					return v.members[i].Name, true
				}
			}
		}
	}
	for i := range v.members {
		if name, hit := ambiguous(v.members[i].Value); hit {
			return name, true
		}
	}
	return "", false
}

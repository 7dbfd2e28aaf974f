package inspect

// findRepository finds none: git asks for owners of another kind here, and a rule
// about user numbers cannot be answered.
func findRepository(string, func(string) string) repository {
	return repository{unknown: "who owns the repository is not examined on this system"}
}

package programs

type Spec struct {
	Names      []string
	Attributes map[string][]string
}
type SpecError struct{ Index int }

func (SpecError) Error() string                                 { return "" }
func (t *Table) Extend(specs []Spec) (*Table, []SpecError) { return t, nil }

func (t *Table) Suggest(words []string) (int, bool) { return 1, true }
func (t *Table) Hosts(words []string) []string      { return nil }

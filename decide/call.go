package decide

import "strings"

// Call is one proposed tool call.
type Call struct {
	Tool      string
	Arguments Value // an object; absent and null count as one without members
	Metadata  Metadata
}

// Metadata is the runtime's word about a tool. It may make a call stricter; it
// makes one milder only for a tool that nobody else classifies.
type Metadata struct {
	Connector        bool   // category is "connector"
	MCP              bool   // category is "mcp", or MCP annotations were sent
	RequiresApproval bool   // truthy as in the original engine
	Risk             Risk   // claimed class
	Definition       string // fingerprint of the tool's definition
	Hints            Hints

	sent Value // as it came, for what must not change between two calls
}

// Hints are MCP tool annotations: claims of the server, not facts.
type Hints struct {
	ReadOnly, Destructive, OpenWorld bool
	Writes                           bool // readOnlyHint is there and false
}

// ParseMetadata reads the wire form: an object, null, or nothing. Members that
// pdp does not know are ignored, an unknown risk class is an error.
func ParseMetadata(v Value) (Metadata, error) {
	m := Metadata{sent: v}
	if v.kind != Object {
		return m, nil
	}
	category, _ := v.Get("category").AsString()
	annotations := v.Get("annotations")
	m.Connector = category == "connector"
	m.MCP = category == "mcp" || annotations.kind == Object
	m.RequiresApproval = v.Get("requires_approval").Truthy()
	m.Definition, _ = v.Get("definition").AsString()
	m.Hints = Hints{
		ReadOnly:    annotations.Get("readOnlyHint").Truthy(),
		Destructive: annotations.Get("destructiveHint").Truthy(),
		OpenWorld:   annotations.Get("openWorldHint").Truthy(),
		Writes:      annotations.Get("readOnlyHint").kind == Bool && !annotations.Get("readOnlyHint").Truthy(),
	}
	if claimed, ok := v.Get("risk").AsString(); ok {
		risk, err := ParseRisk(claimed)
		if err != nil {
			return Metadata{}, err
		}
		m.Risk = risk
	}
	return m, nil
}

// fromMCP reports whether a tool comes from an MCP server: such a tool's
// behaviour can change under a name that was granted.
func (c Call) fromMCP() bool {
	return c.Metadata.MCP || strings.HasPrefix(c.Tool, "mcp__") || strings.HasPrefix(c.Tool, "mcp_")
}

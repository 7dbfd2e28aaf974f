// Package api holds the contract of the service and the page that shows it.
package api

import "embed"

// OpenAPI is the contract: an OpenAPI 3.1 document in YAML.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Docs is the page under /docs/, without the viewer itself.
//
//go:embed docs
var Docs embed.FS

// SwaggerUI is the viewer that the page loads; `make swagger-ui` renews it.
//
//go:embed swaggerui
var SwaggerUI embed.FS

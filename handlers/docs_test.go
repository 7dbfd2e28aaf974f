package handlers

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/api"
)

func TestDocs(t *testing.T) {
	s := trustingService(t, nil)
	for _, row := range []struct{ path, contentType, holds string }{
		{"/docs/", "text/html; charset=utf-8", "<title>"},
		{"/docs/init.js", "text/javascript; charset=utf-8", "SwaggerUIBundle("},
		{"/docs/page.css", "text/css; charset=utf-8", "#docs"},
		{"/docs/icon.svg", "image/svg+xml", "<svg"},
		{"/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8", "SwaggerUIBundle"},
		{"/docs/swagger-ui.css", "text/css; charset=utf-8", ".swagger-ui"},
	} {
		a := ask(t, s, "GET", row.path, "")
		if a.status != 200 || a.header.Get("Content-Type") != row.contentType || !strings.Contains(a.text, row.holds) {
			t.Errorf("%s: got %d %v", row.path, a.status, a.header)
		}
		csp := a.header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") {
			t.Errorf("%s: the policy is %q", row.path, csp)
		}
		if again := ask(t, s, "GET", row.path, "", "If-None-Match: "+a.header.Get("Etag")); again.status != 304 || again.text != "" {
			t.Errorf("%s: got %d again", row.path, again.status)
		}
	}
	if a := ask(t, s, "GET", "/docs", ""); a.status != 308 || a.header.Get("Location") != "/docs/" {
		t.Errorf("got %d %v", a.status, a.header)
	}
	for _, row := range []struct {
		method, accept string
		status         int
	}{
		{"GET", "text/html,application/xhtml+xml,*/*;q=0.8", 307},
		{"HEAD", "text/html", 307},
		{"GET", "*/*", 404}, // curl
		{"GET", "application/json", 404},
		{"GET", "", 404},
		{"POST", "text/html", 405},
	} {
		a := ask(t, s, row.method, "/", "", "Accept: "+row.accept)
		location := map[int]string{307: "/docs/"}[row.status]
		if a.status != row.status || a.header.Get("Location") != location || row.status != 405 && a.header.Get("Vary") != "Accept" {
			t.Errorf("%s with %q: got %d %v", row.method, row.accept, a.status, a.header)
		}
	}
	want(t, ask(t, s, "GET", "/", "", "Accept: text/html", "Host: evil.example"), 403, "forbidden")
	for _, path := range []string{"/docs/nothing.js", "/docs/VERSION", "/docs/..%2fembed.go", "/docs/swaggerui/swagger-ui.css"} {
		want(t, ask(t, s, "GET", path, ""), 404, "not_found")
	}
}

// The page runs no script but its files, and names no other host.
func TestDocsPageIsSelfContained(t *testing.T) {
	page := ask(t, trustingService(t, nil), "GET", "/docs/", "").text
	for _, tag := range regexp.MustCompile(`(?s)<script[^>]*>.*?</script>`).FindAllString(page, -1) {
		if !strings.Contains(tag, "src=") || !strings.Contains(tag, "></script>") {
			t.Errorf("inline script: %s", tag)
		}
	}
	for _, bad := range []string{"://", `="//`, "<style", "style=", "onload=", "onclick="} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %s", bad)
		}
	}
}

func TestOpenAPIDocuments(t *testing.T) {
	s := trustingService(t, nil)
	if a := ask(t, s, "GET", "/openapi.yaml", ""); a.text != string(api.OpenAPI) || a.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("got %d %v", a.status, a.header)
	}
	a := ask(t, s, "GET", "/openapi.json", "")
	if a.header.Get("Content-Type") != "application/json" || a.field("openapi") != "3.1.0" || !strings.HasPrefix(a.text, `{"openapi":"3.1.0","info":{"title":"pdp"`) {
		t.Errorf("got %d %s", a.status, clip(a.text, 200))
	}
}

func TestYAMLToJSON(t *testing.T) {
	for _, row := range []struct{ yaml, json string }{
		{"b: 1\na: [true, null, 1.5, x, '1', \"true\"]\n200:\n  c: |\n    text\n", `{"b":1,"a":[true,null,1.5,"x","1","true"],"200":{"c":"text\n"}}`},
		{"a: &x 1\nb: *x", ""},
		{"", ""},
		{"a: [", ""},
	} {
		got, err := yamlToJSON([]byte(row.yaml))
		if string(got) != row.json || (err == nil) != (row.json != "") {
			t.Errorf("%q: got %s, %v", row.yaml, got, err)
		}
	}
}

func TestHEAD(t *testing.T) {
	s := trustingService(t, nil)
	for _, path := range []string{"/healthz", "/docs/", "/openapi.json"} {
		if a := ask(t, s, "HEAD", path, ""); a.status != 200 {
			t.Errorf("%s: got %d", path, a.status)
		}
	}
}

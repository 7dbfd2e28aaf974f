# Everything a person or the CI does with this project has a name here.
# Versions of the tools stand in tools/go.mod, tools/helm/go.mod and tools/redocly/package.json.

SHELL         := bash
.SHELLFLAGS   := -euo pipefail -c
MAKEFLAGS     += --no-builtin-rules
.DEFAULT_GOAL := help

BIN    := bin
TOOLS  := .tools
LISTEN ?= 127.0.0.1:8080

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

# RACE=1 looks for data races (needs cgo and a C compiler).
# TESTFLAGS goes to go test as it is: make test TESTFLAGS='-run TestDecide -v'.
RACE      ?=
TESTFLAGS ?=
RACEFLAG  := $(if $(filter-out 0,$(RACE)),-race)

FUZZTIME           ?= 60s
SWAGGER_UI_VERSION ?= $(shell cat api/swaggerui/VERSION)
IMAGE              ?= pdp:$(VERSION)

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## "; print "make TARGET" } /^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Build and run

.PHONY: run
run: build ## Build and serve on 127.0.0.1:8080 (LISTEN=…), with no configuration
	@exec $(BIN)/pdp serve --listen $(LISTEN)

.PHONY: build
build: ## Build bin/pdp
	@echo "building $(BIN)/pdp … (the first time, this takes a minute or two)" >&2
	@CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/pdp ./cmd/pdp

.PHONY: docker
docker: ## Build the container image (IMAGE=…)
	@docker build --build-arg VERSION=$(VERSION) --build-arg COMMIT=$(COMMIT) -t $(IMAGE) .

##@ Check

.PHONY: test
test: ## Run the tests (RACE=1: with the race detector)
	@if [ -z "$${PDP_TEST_POSTGRES_URL:-}" ] && ! (exec 3<>/dev/tcp/127.0.0.1/5432) 2>/dev/null && [ ! -S /var/run/postgresql/.s.PGSQL.5432 ]; then \
		echo "PostgreSQL is not tested: PDP_TEST_POSTGRES_URL is not set and nothing answers on 127.0.0.1:5432 or /var/run/postgresql; make postgres-test starts a server" >&2; \
	fi
	@go test $(RACEFLAG) $(TESTFLAGS) ./...

.PHONY: postgres-test
postgres-test: ## Test what can use PostgreSQL with a server made for it
	@tools/postgres.sh go test $(RACEFLAG) $(TESTFLAGS) ./internal/store/... ./cmd/pdp

.PHONY: browser-test
browser-test: ## Run the tests that drive a real Chromium
	@tools/browser-test.sh $(TESTFLAGS)

.PHONY: vet
vet: ## go vet
	@go vet ./...

.PHONY: lint
lint: fmt-check staticcheck import-rule ## Formatting, static analysis, import rule

.PHONY: fmt
fmt: $(TOOLS)/gofumpt ## Format the Go code
	@find . -name '*.go' -not -path '*/testdata/*' -print0 | xargs -0 $(TOOLS)/gofumpt -l -w

.PHONY: fmt-check
fmt-check: $(TOOLS)/gofumpt ## Fail, and say where, if the Go code is not formatted
	@bad=$$(find . -name '*.go' -not -path '*/testdata/*' -print0 | xargs -0 $(TOOLS)/gofumpt -l); \
	if [ -n "$$bad" ]; then printf 'not formatted, run make fmt:\n%s\n' "$$bad"; exit 1; fi

.PHONY: staticcheck
staticcheck: $(TOOLS)/staticcheck ## Static analysis
	@$(TOOLS)/staticcheck ./...

.PHONY: import-rule
import-rule: ## Fail if decide or inspect reach what they must not know
	@tools/import-rule.sh

.PHONY: cross
cross: ## Build for Windows and macOS, and vet what only they compile
	@tools/cross.sh

.PHONY: windows-test
windows-test: ## Run the Windows tests of inspect under wine, where it is installed
	@tools/windows-test.sh

.PHONY: openapi-lint
openapi-lint: tools/redocly/node_modules ## Lint api/openapi.yaml
	@REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
		tools/redocly/node_modules/.bin/redocly lint --config tools/redocly/redocly.yaml api/openapi.yaml

.PHONY: helm-lint
helm-lint: $(TOOLS)/helm build ## Lint and render the Helm chart, and have pdp read its policy
	@HELM=$(TOOLS)/helm PDP=$(BIN)/pdp tools/helm-check.sh helm/pdp

.PHONY: fuzz
fuzz: ## Fuzz each target for 60 s (FUZZTIME=…)
	@FUZZTIME=$(FUZZTIME) tools/fuzz.sh

.PHONY: nightly
nightly: ## The long run: tests with PDP_NIGHTLY=1, 200 crashes of each store, then ten minutes of each fuzz target
	@PDP_NIGHTLY=1 PDP_CRASHES=200 tools/postgres.sh go test -race -count=1 -timeout 60m ./...
	@FUZZTIME=$(if $(filter file,$(origin FUZZTIME)),10m,$(FUZZTIME)) tools/fuzz.sh

.PHONY: rates
rates: ## Count needless asks and wrong allows over everyday commands, and print them as tables
	@cd decide && go test -count=1 -run '^TestEverydayRates$$' -rates

.PHONY: bench
bench: ## Run the benchmarks and print them as a Markdown table
	@tools/bench.sh

##@ Upkeep

.PHONY: swagger-ui
swagger-ui: ## Vendor Swagger UI again (SWAGGER_UI_VERSION=…)
	@tools/swagger-ui.sh $(SWAGGER_UI_VERSION)

.PHONY: clean
clean: ## Remove what make built or installed here
	@rm -rf $(BIN) $(TOOLS) tools/redocly/node_modules

# Tools are built from their own modules, so that their dependencies stay out of
# go.mod; a changed pin rebuilds them.
GOTOOL = cd tools && GOWORK=off GOBIN=$(CURDIR)/$(TOOLS) go install

$(TOOLS)/gofumpt: tools/go.mod tools/go.sum
	@mkdir -p $(TOOLS)
	@$(GOTOOL) mvdan.cc/gofumpt
	@touch $@

$(TOOLS)/staticcheck: tools/go.mod tools/go.sum
	@mkdir -p $(TOOLS)
	@$(GOTOOL) honnef.co/go/tools/cmd/staticcheck
	@touch $@

# Compiling Helm takes some minutes, once.
$(TOOLS)/helm: tools/helm/go.mod tools/helm/go.sum
	@mkdir -p $(TOOLS)
	@cd tools/helm && GOWORK=off GOBIN=$(CURDIR)/$(TOOLS) CGO_ENABLED=0 go install -ldflags='-s -w' helm.sh/helm/v4/cmd/helm
	@touch $@

tools/redocly/node_modules: tools/redocly/package.json tools/redocly/package-lock.json
	@cd tools/redocly && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

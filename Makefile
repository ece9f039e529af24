# The commands of the house. `make run` needs nothing but Go.

SHELL := /bin/bash
.DEFAULT_GOAL := help

FUNCTIONS := $(notdir $(patsubst %/bootstrap/,%,$(wildcard functions/*/bootstrap/)))
DYNAMODB  := .tools/dynamodb-local
MOTO      := .tools/moto
MCP       := .tools/mcp
WEB       := .tools/web
LDFLAGS   := -s -w

# make run FARES=panel.csv.gz NOW=2016-03-01 serves recorded fares at the time they were recorded.
UPSTREAM := $(if $(FARES),-upstream csv:$(FARES)) $(if $(NOW),-now $(NOW))
LISTEN   ?= 127.0.0.1:8080

.PHONY: help run test check build invoke bench tools generate clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: ## the whole service on 127.0.0.1:8080, with invented fares or FARES=panel.csv.gz NOW=2016-03-01
	go run ./infra/local serve -listen $(LISTEN) $(UPSTREAM)

test: tools ## every test; what cannot be run here is named at the end
	go run ./infra/testreport ./...

check: ## formatting, vet, staticcheck, govulncheck, tidy and generated files, then every test
	.ci/check
	$(MAKE) test

build: ## dist/FUNCTION/bootstrap for Lambda (linux/arm64)
	@for f in $(FUNCTIONS); do \
	  echo "dist/$$f/bootstrap"; \
	  CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -trimpath -tags lambda.norpc -ldflags '$(LDFLAGS)' -o dist/$$f/bootstrap ./functions/$$f/bootstrap || exit 1; \
	done

dist/host/%/bootstrap: FORCE
	CGO_ENABLED=0 go build -trimpath -tags lambda.norpc -ldflags '$(LDFLAGS)' -o $@ ./functions/$*/bootstrap
FORCE:

invoke: tools dist/host/$(FN)/bootstrap ## run a Lambda executable here: FN=analisi EVENT=events/analisi.json [FARES= NOW=]
	go run ./infra/local invoke -exec dist/host/$(FN)/bootstrap -event $(EVENT) $(if $(filter refresh,$(FN)),-empty) $(UPSTREAM)

bench: ## the benchmarks, as ratios side by side
	go test -run '^$$' -bench . -benchtime 0.5s ./shared/verdict ./shared/fare ./shared/places ./shared/store/... ./functions/analisi/agents ./infra/local

tools: $(DYNAMODB)/.complete $(MOTO)/.complete $(MCP)/.complete $(WEB)/.complete ## what the tests need beside Go: DynamoDB Local (Maven), moto (pip), what checks /mcp and the page (npm)

$(DYNAMODB)/.complete: tools/dynamodb-local/pom.xml
	@if command -v mvn >/dev/null && command -v java >/dev/null; then \
	  echo "fetching DynamoDB Local"; \
	  mvn -q -B -f tools/dynamodb-local/pom.xml dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(DYNAMODB) && touch $@; \
	else echo "no Maven or no Java here: tests over DynamoDB Local will be named as not run"; fi

$(MOTO)/.complete: tools/moto.txt
	@if python3 -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "fetching moto, which stands in for SES"; \
	  python3 -m venv $(MOTO) && $(MOTO)/bin/pip install -q --disable-pip-version-check -r tools/moto.txt && touch $@; \
	else echo "no Python with venv here: tests over moto will be named as not run"; fi

$(MCP)/.complete: tools/mcp/package.json
	@if command -v npm >/dev/null; then \
	  echo "fetching the conformance suite and the inspector of the Model Context Protocol, and the Node that they want"; \
	  mkdir -p $(MCP) && cp $< $(MCP)/package.json && npm install --prefix $(MCP) --no-package-lock --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "no npm here: tests of /mcp from outside will be named as not run"; fi

$(WEB)/.complete: tools/web/package.json tools/web/package-lock.json
	@if command -v npm >/dev/null; then \
	  echo "fetching axe-core, which the page is held against"; \
	  mkdir -p $(WEB) && cp $^ $(WEB) && npm ci --prefix $(WEB) --silent --no-audit --no-fund && touch $@; \
	else echo "no npm here: tests of the page in a browser will be named as not run"; fi

generate: ## make the committed tables again from their sources
	go generate ./...

clean:
	rm -rf dist .tools

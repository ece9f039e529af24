# The commands of the project; make help lists them. `make run` needs only Go.

SHELL := /bin/bash
.DEFAULT_GOAL := help

FUNCTIONS := $(notdir $(patsubst %/bootstrap/,%,$(wildcard functions/*/bootstrap/)))
DYNAMODB  := .tools/dynamodb-local
MOTO      := .tools/moto
MCP       := .tools/mcp
REGISTRY  := .tools/mcp-registry
OPENAPI   := .tools/openapi
OPENAPIPYTHON := .tools/openapi-python
SCHEMATHESIS := .tools/schemathesis
WEB       := .tools/web
LIGHTHOUSE := .tools/lighthouse
CDK       := .tools/cdk
CFNLINT   := .tools/cfn-lint
STRIPEMOCK := .tools/stripe-mock
PEBBLE    := .tools/pebble
DEBIAN    := .tools/debian
SAM       := .tools/sam
SDKS      := .tools/sdks
SDKJAVA   := .tools/sdk-java
LANGUAGETOOL := .tools/languagetool
RELEASE   := .tools/release
NFPM      := .tools/nfpm
X402      := .tools/x402
X402PYTHON := .tools/x402-python
LDFLAGS   := -s -w
VERSION   := $(shell sed -n 's/^const Version = "\(.*\)"/\1/p' shared/web/httpapi/version.go)

# With the same flags for all commands, a package that one command has compiled is not compiled again by another.
export CGO_ENABLED := 0
export GOFLAGS     := -trimpath $(GOFLAGS)

# make run FARES=panel.csv.gz NOW=2016-03-01 serves recorded fares at the time they were recorded; PRICE=outbound_price
# takes them from another column than price.
UPSTREAM := -upstream $(if $(FARES),csv:$(FARES),sample) $(if $(PRICE),-price $(PRICE)) $(if $(NOW),-now $(NOW))
LISTEN   ?= 127.0.0.1:8080

# make deploy CONFIG=verdetto.json deploys with the operator's choices; make synth without CONFIG uses those of the example.
# With ADOPT=1 a new stack takes over the table that remained when an earlier stack was deleted. With ANYWAY=1 make deploy
# deploys in spite of what preflight finds.
EXAMPLE := infra/cdk/example.json
CONFIG  ?= $(EXAMPLE)

.PHONY: help run test check evidence build image package release-snapshot release-image release-aws version synth preflight deploy back smoke invoke sam-invoke sam-start-api bench api tools generate clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: ## the whole service on 127.0.0.1:8080, with invented fares or FARES=panel.csv.gz NOW=2016-03-01 [PRICE=column]
	@echo "building Verdetto for http://$(LISTEN)/; the first build takes about two minutes" >&2
	@set -o pipefail; go build -v -o dist/host/verdetto ./cmd/verdetto 2>&1 | { n=0; while IFS= read -r line; do \
	  case $$line in *[\ :]*) echo "$$line";; *) printf '\r%d packages compiled' $$((++n));; esac; done; [ $$n = 0 ] || echo; } >&2
	@exec dist/host/verdetto serve -listen $(LISTEN) $(UPSTREAM)

# Tests of packages below a folder named check or infra need a tool or a clock, those below evidence take hours; make test runs
# the others, which need only Go. $(call tier,check) are the packages that make check adds, $(call tier) those of make test.
PKG ?= ./...
tier = $(shell go list $(PKG) | grep $(if $(1),'/\($(1)\|infra\)\(/\|$$\)',-v '/\(check\|evidence\|infra\)\(/\|$$\)'))

# gotestsum lists the failed and the skipped tests at the end. The long time limits end only tests that hang, even on a busy
# machine. The linters of make check include vet. Without symbols (-s -w), test binaries link faster. The CDK uses the first
# Node.js in PATH. That of the Linux distribution may be too old, so the one of .tools comes first.
GOTEST = PATH="$(CURDIR)/$(MCP)/node_modules/node/bin:$$PATH" go tool gotestsum --format pkgname --format-icons text --format-hide-empty-pkg -- \
	-count=1 -vet=off -ldflags='-s -w'

test: ## what Go alone can test: no tool, no network, no clock; it passes on a busy machine [PKG=./shared/verdict]
	$(GOTEST) -shuffle=on -timeout 30m -skip '^Test(Prove|Evidence)' $(call tier)

# $(call packages,prove) lists the folders with a file *_prove_test.go.
packages = $(sort $(dir $(shell find ./cmd ./e2e ./functions ./infra ./shared -name "*$(1)_test.go")))

# The proofs of these packages measure time, so they run one at a time.
MEASURING := ./cmd/verdetto/onemachine/ ./e2e/verdict/ ./functions/alerts/ ./functions/pro/ ./shared/fare/places/ ./shared/upstream/csvfile/

check: ## linters, then make test, then all that needs a tool or a clock; each test fetches its own tools
	.ci/check
	$(MAKE) test
	@failed=0; ( set -x; $(GOTEST) -p 2 -timeout 30m -skip '^TestEvidence' $(call tier,check) ) || failed=$$?; \
	  ( set -x; $(GOTEST) -p 2 -timeout 30m -run '^TestProve' $(filter-out ./e2e/check/% $(MEASURING),$(call packages,prove)) ) || failed=$$?; \
	  ( set -x; $(GOTEST) -p 1 -timeout 30m -run '^TestProve' $(MEASURING) ) && exit $$failed

evidence: ## hours: whole panels, hundreds of kills, every set-up of a browser
	$(GOTEST) -p 1 -timeout 12h -run '^TestEvidence' $(call packages,evidence)

build: ## dist/FUNCTION/bootstrap for Lambda (linux/arm64), with sizes
	@for f in $(FUNCTIONS); do \
	  CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -trimpath -tags lambda.norpc -ldflags '$(LDFLAGS)' -o dist/$$f/bootstrap ./functions/$$f/bootstrap || exit 1; \
	  echo "dist/$$f/bootstrap $$(wc -c <dist/$$f/bootstrap) $$(gzip -9c dist/$$f/bootstrap | wc -c)" | awk '{printf "%-28s %5.1f MB, zipped %4.1f MB\n", $$1, $$2/1e6, $$3/1e6}'; \
	done

image: ## the image of this commit for infra/onemachine/compose.yaml, in the container engine of this machine
	@mkdir -p dist/host
	GOOS=linux go build -ldflags '$(LDFLAGS)' -o dist/host/verdetto ./cmd/verdetto
	go run ./infra/release/image -executables $$(go env GOARCH)=dist/host/verdetto -version $(VERSION) \
	  -commit $$(git rev-parse HEAD) -created $$(git log -1 --format=%ct) -to dist/image -load dist/image.tar
	docker load -i dist/image.tar

# goreleaser needs a tag and the address of the repository, which a local clone may lack.
SNAPSHOT = GORELEASER_CURRENT_TAG=v$(VERSION) GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url \
	GIT_CONFIG_VALUE_0=https://verdetto.example/verdetto.git PATH="$(CURDIR)/$(RELEASE):$$PATH"

release-snapshot: $(RELEASE)/.complete $(RELEASE)/cosign.key ## what a release of this commit would hold, in dist/release: archives, packages, image, signed checksums
	$(SNAPSHOT) COSIGN_KEY=$(CURDIR)/$(RELEASE)/cosign.key COSIGN_PASSWORD= goreleaser release --snapshot --clean --skip=publish
	cp dist/aws/*.zip dist/release
	$(MAKE) release-image

# The functions' zip files and a template with parameters, for a deployment without building. goreleaser calls it.
release-aws: build
	@mkdir -p dist/aws && rm -f dist/aws/*
	PATH="$(CURDIR)/$(MCP)/node_modules/node/bin:$$PATH" go run ./infra/cdk -release dist/aws/verdetto_$(or $(RELEASED),$(VERSION))_aws.zip

# nfpm alone builds the package that .goreleaser.yaml describes much faster than goreleaser does. sed removes the fields that
# nfpm does not know.
package: $(NFPM)/.complete ## the Debian package of this commit for this machine, in dist/package
	@rm -rf dist/package && mkdir -p dist/package
	GOOS=linux go build -buildvcs=false -ldflags "$(LDFLAGS) -X verdetto/shared/web/httpapi.commit=$$(git rev-parse HEAD)" -o dist/package/verdetto ./cmd/verdetto
	infra/packages/changelog.sh $(VERSION) $$(git log -1 --format=%ct) dist/changelog.gz
	@{ printf 'name: verdetto\narch: %s\nversion: %s\nmtime: %s\n' $$(go env GOARCH) $(VERSION)-snapshot.$$(git log -1 --format='%ct %cI'); \
	  sed -nE '/^nfpms:/,/^$$/{/^    (ids|package_name|file_name_template|formats|bindir|mtime):/d; s/^    //p}' .goreleaser.yaml; \
	  echo '  - {src: dist/package/verdetto, dst: /usr/bin/verdetto, file_info: {mode: 0755}}'; } >dist/package/nfpm.yaml
	$(NFPM)/nfpm package -f dist/package/nfpm.yaml -p deb -t dist/package

version:
	@echo $(VERSION)

# The image of the executables that goreleaser has built, for amd64 and arm64, as an OCI layout. PUSH=NAME,NAME pushes it.
release-image:
	go run ./infra/release/image -executables amd64=dist/release/verdetto_linux_amd64_v1/verdetto,arm64=dist/release/verdetto_linux_arm64_v8.0/verdetto \
	  -version $(VERSION) -commit $$(git rev-parse HEAD) -created $$(git log -1 --format=%ct) -to dist/release/image \
	  -load dist/release/verdetto_$(VERSION)_image_amd64.tar -push '$(PUSH)' >dist/release/image-digest
	@cat dist/release/image-digest

$(RELEASE)/cosign.key: | $(RELEASE)/.complete
	cd $(RELEASE) && COSIGN_PASSWORD= ./cosign generate-key-pair

synth: build ## the CloudFormation template, in cdk.out: [CONFIG=verdetto.json]
	@rm -rf cdk.out
	go run ./infra/cdk -config $(CONFIG) -assets dist -out cdk.out
	@echo "cdk.out/Verdetto.template.json"

preflight: ## what a deployment would miss, as make deploy asks before anything is made: CONFIG=verdetto.json
	@[ '$(CONFIG)' != '$(EXAMPLE)' ] || { echo 'say which choices to look at: make preflight CONFIG=verdetto.json' >&2; exit 1; }
	go run ./infra/preflight -config $(CONFIG)

deploy: ## build, deploy into the AWS account of CONFIG=verdetto.json, try the new versions, make them live [ADOPT=1] [ANYWAY=1]
	@[ '$(CONFIG)' != '$(EXAMPLE)' ] || { echo 'say which choices to deploy: make deploy CONFIG=verdetto.json; $(EXAMPLE) shows what they are' >&2; exit 1; }
	$(MAKE) $(CDK)/.complete
	$(MAKE) synth CONFIG='$(CONFIG)'
	$(if $(ANYWAY),-)go run ./infra/preflight -config $(CONFIG) $(if $(ADOPT),-adopt)
	$(CDK)/node_modules/.bin/cdk deploy --app cdk.out --all --require-approval broadening $(if $(ADOPT),--import-existing-resources)
	go run ./infra/rollout -config $(CONFIG)

back: ## have the versions from before the last deployment answer: CONFIG=verdetto.json
	@[ '$(CONFIG)' != '$(EXAMPLE)' ] || { echo 'say which service to take back: make back CONFIG=verdetto.json' >&2; exit 1; }
	@go run ./infra/rollout -back -config $(CONFIG)

smoke: ## test a deployed service with 22 calls of every kind: URL=https://...
	@go run ./cmd/verdetto smoke -url '$(URL)'

dist/host/%/bootstrap: FORCE
	CGO_ENABLED=0 go build -trimpath -tags lambda.norpc -ldflags '$(LDFLAGS)' -o $@ ./functions/$*/bootstrap
FORCE:

invoke: $(if $(and $(FN),$(EVENT)),$(DYNAMODB)/.complete dist/host/$(FN)/bootstrap) ## run a Lambda executable here: FN=analisi EVENT=events/analisi.json [FARES= NOW=]
	@[ '$(and $(FN),$(EVENT))' ] || { echo 'say which function and event: make invoke FN=analisi EVENT=events/analisi.json' >&2; exit 1; }
	go run ./cmd/lambdalocal invoke -exec dist/host/$(FN)/bootstrap -event $(EVENT) $(if $(filter refresh,$(FN)),-empty) $(UPSTREAM)

sam-invoke: $(SAM)/.complete $(DYNAMODB)/.complete $(MOTO)/.complete ## functions in Lambda's image, by SAM: every event against its golden, or EVENT=events/analisi.json
	@$(if $(EVENT),go run ./cmd/lambdalocal sam -config $(CONFIG) -fn $(or $(FN),$(firstword $(subst -, ,$(basename $(notdir $(EVENT)))))) -event $(EVENT) $(UPSTREAM),\
	  go test -count=1 -v -timeout 30m ./e2e/check/lambda -run '^TestProveSAMInvoke$$/^$(FN)' -all)

sam-start-api: $(SAM)/.complete $(DYNAMODB)/.complete $(MOTO)/.complete ## the functions in Lambda's image behind 127.0.0.1:8080, by SAM
	@go build -o dist/host/lambdalocal ./cmd/lambdalocal
	@exec dist/host/lambdalocal sam -config $(CONFIG) -listen $(LISTEN) $(UPSTREAM)

bench: ## the benchmarks, as ratios side by side
	go test -run '^$$' -bench . -benchtime 0.5s ./e2e/verdict ./shared/fare/places

api: $(OPENAPI)/.complete $(OPENAPIPYTHON)/.complete $(SCHEMATHESIS)/.complete ## write the description of the API anew, then prove it: linters, made-up calls, generated clients
	go test ./e2e/openapi -run '^TestOpenAPI$$' -update
	go test ./functions/analisi/reference
	go test -v -count=1 ./e2e/openapi ./e2e/check/openapi -run '^(TestOpenAPI|TestUndescribedAnswersAreSeen|TestSchemathesis|TestGeneratedClients)'

tools: $(addsuffix /.complete,$(DYNAMODB) $(MOTO) $(MCP) $(REGISTRY) $(OPENAPI) $(OPENAPIPYTHON) $(SCHEMATHESIS) $(WEB) $(LIGHTHOUSE) $(CDK) $(CFNLINT) $(STRIPEMOCK) $(PEBBLE) $(DEBIAN) $(SAM) $(X402) $(X402PYTHON) $(SDKS) $(SDKJAVA) $(LANGUAGETOOL)) ## what make check needs beside Go, from Maven, pip and npm

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

$(MCP)/.complete: tools/mcp/package.json tools/mcp/package-lock.json
	@if command -v npm >/dev/null; then \
	  echo "fetching the conformance suite and the inspector of the Model Context Protocol, and the Node that they want"; \
	  mkdir -p $(MCP) && cp $^ $(MCP) && npm ci --prefix $(MCP) --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "no npm here: tests of /mcp from outside will be named as not run"; fi

$(REGISTRY)/.complete: tools/mcp-registry.txt
	@echo "fetching the schema of the registry of MCP servers"
	@mkdir -p $(REGISTRY) && module=$$(GOFLAGS= go mod download -json $$(cat $<) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') && \
	  cp -f "$$module/internal/validators/schemas/2025-12-11.json" $(REGISTRY)/server.schema.json && touch $@ || \
	  echo "the schema cannot be had here: the entry for the registry will be named as not checked"

$(OPENAPI)/.complete: tools/openapi/package-lock.json examples/go/go.sum
	@cd examples/go && GOFLAGS= go mod download && GOFLAGS= go build -o /dev/null github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen || \
	  echo "the generator of Go clients cannot be had here: the example in Go will be named as not run"
	@if command -v npm >/dev/null; then \
	  echo "fetching linters and generators for OpenAPI"; \
	  mkdir -p $(OPENAPI) && cp tools/openapi/package.json tools/openapi/package-lock.json $(OPENAPI) && \
	  npm ci --prefix $(OPENAPI) --no-audit --no-fund --ignore-scripts --loglevel error && touch $@; \
	else echo "no npm here: tests with OpenAPI linters and generators will be named as not run"; fi

$(OPENAPIPYTHON)/.complete: tools/openapi-python.txt
	@if python3 -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "fetching a generator of Python clients"; \
	  python3 -m venv $(OPENAPIPYTHON) && $(OPENAPIPYTHON)/bin/pip install -q --disable-pip-version-check -r tools/openapi-python.txt && touch $@; \
	else echo "no Python with venv here: the example in Python will be named as not run"; fi

$(SCHEMATHESIS)/.complete: tools/schemathesis.txt
	@if python3 -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "fetching Schemathesis, which makes up calls"; \
	  python3 -m venv $(SCHEMATHESIS) && $(SCHEMATHESIS)/bin/pip install -q --disable-pip-version-check -r tools/schemathesis.txt && touch $@; \
	else echo "no Python with venv here: tests with Schemathesis will be named as not run"; fi

$(WEB)/.complete: tools/web/package.json tools/web/package-lock.json
	@if command -v npm >/dev/null; then \
	  echo "fetching axe-core, which the page is held against, and a host of cards"; \
	  mkdir -p $(WEB) && cp $^ $(WEB) && npm ci --prefix $(WEB) --silent --no-audit --no-fund && touch $@; \
	else echo "no npm here: tests of the page in a browser will be named as not run"; fi

$(LIGHTHOUSE)/.complete: tools/lighthouse/package.json tools/lighthouse/package-lock.json
	@if command -v npm >/dev/null; then \
	  echo "fetching Lighthouse, which measures the pages"; \
	  mkdir -p $(LIGHTHOUSE) && cp $^ $(LIGHTHOUSE) && npm ci --prefix $(LIGHTHOUSE) --silent --no-audit --no-fund --ignore-scripts && touch $@; \
	else echo "no npm here: measuring the pages will be named as not run"; fi

$(CDK)/.complete: tools/cdk/package.json tools/cdk/package-lock.json
	@if command -v npm >/dev/null; then \
	  echo "fetching the command line of the CDK"; \
	  mkdir -p $(CDK) && cp tools/cdk/package*.json $(CDK) && npm ci --silent --no-audit --no-fund --prefix $(CDK) && touch $@; \
	else echo "no npm here: there is no make deploy"; fi

$(CFNLINT)/.complete: tools/cfn-lint.txt
	@if python3 -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "fetching cfn-lint"; \
	  python3 -m venv $(CFNLINT) && $(CFNLINT)/bin/pip install -q --disable-pip-version-check -r tools/cfn-lint.txt && touch $@; \
	else echo "no Python with venv here: the template will not be linted"; fi

$(SAM)/.complete: tools/sam.txt
	@if python3 -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "fetching SAM's command line"; \
	  python3 -m venv $(SAM) && $(SAM)/bin/pip install -q --disable-pip-version-check -r tools/sam.txt && touch $@; \
	else echo "no Python with venv here: no function will be run by SAM"; fi

$(SDKS)/.complete: tools/sdks/requirements.txt tools/sdks/package.json tools/sdks/package-lock.json
	@if command -v npm >/dev/null && python3 -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "fetching the SDKs that functions/compat answers"; \
	  python3 -m venv $(SDKS) && $(SDKS)/bin/pip install -q --disable-pip-version-check -r tools/sdks/requirements.txt && \
	  cp tools/sdks/package*.json $(SDKS) && npm ci --silent --no-audit --no-fund --ignore-scripts --prefix $(SDKS) && touch $@; \
	else echo "no npm or no Python with venv here: tests with the SDKs that functions/compat answers will be named as not run"; fi

$(SDKJAVA)/.complete: tools/sdks/pom.xml
	@if command -v mvn >/dev/null && command -v java >/dev/null; then \
	  echo "fetching the Java SDK that functions/compat answers"; \
	  mvn -q -B -f tools/sdks/pom.xml dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(SDKJAVA) && touch $@; \
	else echo "no Maven or no Java here: the test with the Java SDK that functions/compat answers will be named as not run"; fi

$(LANGUAGETOOL)/.complete: tools/languagetool/pom.xml
	@if command -v mvn >/dev/null && command -v java >/dev/null; then \
	  echo "fetching LanguageTool"; \
	  mvn -q -B -f tools/languagetool/pom.xml dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(LANGUAGETOOL) && touch $@; \
	else echo "no Maven or no Java here: the grammar of texts will be named as not checked"; fi

$(X402)/.complete: tools/x402/package.json tools/x402/package-lock.json
	@if command -v npm >/dev/null; then \
	  echo "fetching a client of x402 and Solana's runtime"; \
	  mkdir -p $(X402) && cp $^ $(X402) && npm ci --prefix $(X402) --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "no npm here: payments by x402 will not be made on Solana's runtime"; fi

$(X402PYTHON)/.complete: tools/x402.txt
	@if python3 -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "fetching a client of x402 in Python"; \
	  python3 -m venv $(X402PYTHON) && $(X402PYTHON)/bin/pip install -q --disable-pip-version-check -r tools/x402.txt && touch $@; \
	else echo "no Python with venv here: no client in Python will pay by x402"; fi

$(STRIPEMOCK)/.complete: tools/stripe-mock.txt
	@echo "fetching stripe-mock"
	@GOBIN=$(CURDIR)/$(STRIPEMOCK) GOFLAGS=-trimpath go install $$(cat $<) && touch $@ || echo "stripe-mock cannot be had here: the test over it will be named as not run"

$(NFPM)/.complete: tools/nfpm.txt
	@GOBIN=$(CURDIR)/$(NFPM) GOFLAGS=-trimpath go install $$(cat $<) && touch $@ || echo "nfpm cannot be had here: tests of the package will be named as not run"

$(RELEASE)/.complete: tools/release.txt
	@echo "building the tools of releases, which takes some minutes"
	@mkdir -p $(RELEASE) && for m in $$(cat $<); do GOBIN=$(CURDIR)/$(RELEASE) GOFLAGS=-trimpath go install $$m || exit 1; done && touch $@ || \
	  echo "the tools of releases cannot be had here: tests of the release will be named as not run"

$(PEBBLE)/.complete: tools/pebble.txt
	@echo "fetching pebble, which stands in for who issues certificates"
	@GOBIN=$(CURDIR)/$(PEBBLE) GOFLAGS=-trimpath go install $$(cat $<) && touch $@ || echo "pebble cannot be had here: tests of certificates will be named as not run"

# A minimal Debian, in which a test follows docs/self-hosting.md. The packages that the document installs are downloaded
# here, because the test has no connection to the internet.
$(DEBIAN)/.complete:
	@if command -v mmdebstrap >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  echo "fetching a bare Debian"; \
	  mkdir -p $(DEBIAN) && mmdebstrap --quiet --variant=minbase --skip=cleanup/apt \
	    --customize-hook='chroot "$$1" apt-get install --quiet --download-only --yes --no-install-recommends ca-certificates curl >/dev/null' \
	    bookworm $(DEBIAN)/debian.tar && touch $@; \
	else echo "no mmdebstrap here, or not root: the page from a bare Debian to a service will be named as not followed"; fi

generate: ## make the committed tables again from their sources
	go generate ./...

clean:
	rm -rf dist cdk.out .tools

# Short names for people; CI calls .ci/run itself. `make help` lists them.

export CGO_ENABLED ?= 0

build: ## builds every package (the default)
	go build ./...

test: ## the tests of every change, in ten minutes
	go test -timeout 30m ./...

ci: ## what a change must pass, with one shard; KGEN_CI_SHARD=all or a name chooses others
	.ci/run

bench: ## measures emitted Go against other ways, as benchstat reads it
	go run ./testsuite/speed -rows 4194304 -benchfmt

release: ## writes archives for five platforms to the folder dist, and publishes nothing
	go run ./internal/release dist

generate: ## writes generated files anew
	go generate ./...

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

.PHONY: build test ci bench release generate help

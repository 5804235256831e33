# What steps run in a shell of their own, under the limit.

format_check() {
	local files
	files=$(git ls-files -z '*.go' | xargs -0 gofmt -l) || return 1
	[ -z "$files" ] || { echo "not gofmt-clean:"; echo "$files"; return 1; }
}
# `go test -timeout 30m ./...` of the README, without the tests that steps of their own run.
fast_tests() { # PATTERN PACKAGE...: all tests but those of a pattern in these packages; vet has had its step
	local slow=$1 packages
	shift
	packages=$(go list "$@") || return 1
	local failed=0
	go test -vet=off -timeout 30m $(go list ./... | grep -vxF "$packages") || failed=1
	go test -vet=off -timeout 30m -skip "$slow" "$@" || failed=1
	return $failed
}
modules_check() { # nested modules name the versions that the root's needs: of them, shards alone build most
	go mod verify || return
	local module out stale=
	for module in $(git ls-files '*/go.mod'); do
		out=$(go -C "$(dirname "$module")" list -m all 2>&1 >/dev/null) || case $out in
		*'go mod tidy'* | *'missing go.sum entry'*) stale="$stale $module" ;;
		*) echo "$module is not checked: $out" ;;
		esac
	done
	[ -z "$stale" ] || { echo "go mod tidy is needed for$stale"; return 1; }
}

cross_build() {
	local target
	for target in $1; do
		echo "$target"
		GOOS=${target%/*} GOARCH=${target#*/} go build ./... || return 1
	done
}
same_tree() {
	local now
	now=$(git status --porcelain)
	[ "$now" = "$1" ] || { echo "the working tree has changed:"; diff <(printf "%s" "$1") <(printf "%s" "$now"); git diff --stat; return 1; }
}
fuzz_all() {
	local file name seconds output
	output=$(mktemp)
	git grep -lE '^func Fuzz' -- '*_test.go' | while read -r file; do
		seconds=$1
		case $file in examples/*|*_kgen_test.go) seconds=3 ;; esac # generated, all alike
		grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | while read -r _ name; do
			echo "$(dirname "$file") $name"
			if ! go -C "$(dirname "$file")" test -run '^$' -fuzz "^$name\$" -fuzztime "${seconds}s" -fuzzminimizetime 20x . >"$output" 2>&1; then
				cat "$output"
				# Go sometimes calls the end of the time a failure, without an input that fails.
				grep -q '^    context deadline exceeded' "$output" && ! grep -q 'Failing input' "$output" || exit 1
			else
				tail -n 1 "$output"
			fi
		done || exit 1
	done && rm -f "$output"
}
duckdb_oracle() {
	cd testsuite/oracle && export CGO_ENABLED=1 && go vet ./... && go test -count=1 ./... && go run ./speed -rows 1000000 -rounds 1
}
consumer() { # a module of its own
	cd examples/consumer && go generate ./... && go vet ./... && KGEN_TEST_DEVICE=cudaemu go test ./... && go run "$1" ./...
}
beam_example() { # a module of its own
	cd examples/beam && go vet . && go test -count=1 . && go run . --scale 0.01 --repeat 2
}
arrow_module() { # a module of its own
	cd arrow && go vet ./... && go test -count=1 ./... && go run "$1" ./...
}
cuda_stand_in() { # PACKAGES
	driver=$(mktemp -d) || return 1 # not local: the trap comes later
	trap 'rm -rf "$driver"' EXIT
	gcc -Wall -shared -fPIC -I"$1/include" -Wl,-soname,libcuda.so.1 -o "$driver/libcuda.so.1" internal/device/cuda/testdata/driver.c || return 1
	export CGO_ENABLED=1 CGO_CFLAGS="-O2 -I$1/include" CGO_LDFLAGS="-L$1/lib" KGEN_NVRTC="$1/lib/libnvrtc.so.11.2" KGEN_REQUIRE_CUDA=1
	go vet -tags cuda ./backends/cuda/... ./internal/device/cuda/... ./cmd/kgen-cuda &&
		LD_LIBRARY_PATH=$driver go test -count=1 -tags cuda ./internal/device/cuda ./cmd/kgen-cuda
}
tree_sitter_grammar() { # PROGRAM; what it makes has to be what is there
	(cd editors/tree-sitter-kgen && "$1" generate --no-bindings && "$1" test) &&
		KGEN_TREE_SITTER=$1 go test -count=1 -v -run '^TestTreeSitterAgrees$' ./testsuite/docs
}
device_suite() { # "pocl" or "", PART: built, and run where go does not work; PoCL runs a part of the corpus, one pipeline of seven
	local i=0 file
	folder=$(mktemp -d) || return 1 # not local: the trap comes later
	trap 'rm -rf "$folder"' EXIT
	.ci/device-suite "$folder/suite" && mkdir "$folder/broken" && printf '#!/bin/sh\nexit 1\n' >"$folder/broken/go" && chmod +x "$folder/broken/go" || return 1
	PATH="$folder/broken:$PATH"
	"$folder/suite/device-suite" -out "$folder/out" -devices gocpu || return 1
	[ "$1" = pocl ] || return 0
	for file in "$folder"/suite/corpus/*.kg; do
		((i++ % 7 == $2)) || rm "$file"
	done
	"$folder/suite/device-suite" -out "$folder/out-pocl" -devices pocl -levels auto -only scheme=published
}
release_archives() { # TAGS of the workers: all are built, and that of this platform runs elsewhere
	local program version
	folder=$(mktemp -d) || return 1 # not local: the trap comes later
	trap 'rm -rf "$folder"' EXIT
	go run ./internal/release -workers "$1" "$folder/dist" && cp examples/grades/grades.kg examples/grades/students.csv "$folder" && cd "$folder" &&
		(cd dist && sha256sum -c SHA256SUMS) && [ "$(wc -l <dist/SHA256SUMS)" = 5 ] && tar -xzf dist/kgen-*-linux-amd64.tar.gz && cd kgen-*-linux-amd64 || return 1
	version=${PWD##*/kgen-} program=$PWD/kgen
	ls && "$program" version | grep -F "kgen ${version%-linux-amd64} " && cd "$folder" && "$program" run grades.kg --in students.csv | grep '^5 rows$' || return 1
	[[ $1 != *opencl* ]] || "$program" devices | grep '^opencl:0 *yes'
}
export -f release_archives
# No function that neither a program nor a test reaches. What becomes part of
# emitted programs is reached there, and build.Main by users.
dead_code() {
	local all dead
	all=$(go run "$1" -test -tags opencl ./...) || return 1
	dead=$(grep -vE '^(templates/internal/gosupport|internal/device/gocpu/harness)/|^build/main\.go.*: Main$' <<<"$all")
	[ -z "$dead" ] || { echo "$dead"; return 1; }
}

export -f modules_check fast_tests dead_code consumer arrow_module beam_example format_check cross_build same_tree fuzz_all duckdb_oracle cuda_stand_in tree_sitter_grammar device_suite


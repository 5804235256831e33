# What every run does, in the root of the repository.

step "format" 1m bash -c format_check
step "modules" 3m bash -c modules_check
step "vet" 5m go vet ./...
step "cross builds" 10m bash -c "cross_build '$targets'"
# Slow tests take a sample in go test ./..., which runs here without them: then all of them, of the corpus a part, and
# of its settings some, chosen by the commit (docs/testing.md).
slow='^Test(Agreement|Papers|WorkGroups|Variants|Parts|Published|TilePrograms|Emitted(OpenCL(WithPTX)?|SharedDestination|Tests|Device(s|Tests)|Partials(OfRandomPipelines)?|Code)|CUDAEmulation(Variants|Parts|Persistent(Folds)?|Ranking|Large|Children)?|CUDAMutants|PersistentCorpus|Planted|Correct|NotFused|MalformedSource|ReservedNames|ProgramsAreValid|Orders|Coverage|Same|Shrinks|ExplainEverything|LevelRules|SearchByParts|GroupsByHash|Probes|AutoCostsLeast|Footprint|Tutorial|RaceIsReported|HostCuPy|ManyCalls)$'
slow_packages=". ./testsuite ./testsuite/cuda ./testsuite/docs ./testsuite/emitted ./testsuite/opencl ./testsuite/papers ./testsuite/tables ./backends/cuda/emu ./internal/kernels ./internal/device/gocpu ./internal/difftest ./internal/difftest/random ./fuse ./internal/table/generate ./cmd/kgen"
# Of the longest the commit chooses a quarter, apart from the turn, by which some of these choose settings.
later=
long_tests=(
	'Papers|Planted|Correct|RaceIsReported'
	'Same|Shrinks|Orders|ReservedNames'
	'AutoCostsLeast|ExplainEverything|LevelRules|EmittedSharedDestination|CUDAEmulationPersistent(Folds)?|PersistentCorpus'
	'CUDAEmulation(Variants|Parts)|EmittedOpenCLWithPTX|EmittedTests|EmittedDeviceTests|EmittedPartialsOfRandomPipelines'
)
for i in "${!long_tests[@]}"; do
	[ "$i" = $rota ] || later="$later|${long_tests[$i]}"
done
later="^Test(${later#|})$"
not_run+=("slow tests that another commit has: $later")
step "tests, documents' commands included" 17m bash -c 'fast_tests "$@"' - "$slow|^TestEmittedCUDA$" $slow_packages # the latter has a step below
step "tests, all of the slow ones" 20m env KGEN_TEST_PART=$part KGEN_TEST_TURN=$turn KGEN_TEST_ALL=1 go test -vet=off -count=1 -timeout 20m -run "$slow" -skip "$later" $slow_packages
export KGEN_TEST_ALL=1 # for all that follows
step "vet with the tag opencl" 5m "${opencl[@]}" go vet -tags opencl ./backends/opencl/... ./internal/device/opencl ./cmd/kgen-opencl ./testsuite
step "OpenCL devices: PoCL" 10m "${opencl[@]}" go test -count=1 -tags opencl ./backends/opencl/... ./internal/device/opencl ./cmd/kgen-opencl
# Of two kinds of hosts of PoCL the commit chooses one.
if [ $((turn / 2)) = 0 ]; then
	not_run+=("a host in Python on PoCL: kgen as a library was chosen")
	worker=$(mktemp -d)
	step "OpenCL devices: kgen as a library" 6m "${opencl[@]}" bash -c 'go build -tags opencl -o "$0" ./cmd/kgen-opencl && export KGEN_OPENCL_WORKER=$0/kgen-opencl && go test -count=1 . && KGEN_TEST_DEVICE=opencl:0 go -C examples/consumer test -count=1 -short ./prices' "$worker"
elif pyopencl_found; then
	not_run+=("kgen as a library on PoCL: a host in Python was chosen")
	step "a host in Python on PoCL" 12m env KGEN_TEST_TURN=$turn KGEN_HOST_PYTHON=1 go test -count=1 -timeout 12m -parallel 2 -run '^TestHostPython' ./testsuite
else
	not_run+=("a host in Python: there is no PyOpenCL")
fi
# A part of the corpus, chosen by the commit; shards have other levels.
step "OpenCL devices: a part of the corpus" 12m "${opencl[@]}" KGEN_TEST_PART=$part KGEN_TEST_TURN=$turn KGEN_OPENCL_LEVELS=onepass go test -count=1 -timeout 12m -tags opencl -run '^TestOpenCL$' ./testsuite
# Level onepass is among the tests above; of the other two the commit chooses one.
if [ $((turn % 2)) = 0 ]; then
	step "CUDA emulation: corpus, unfused" 8m env KGEN_TEST_PART=$part KGEN_CUDAEMU_LEVELS=none go test -count=1 -run '^TestCUDAEmulation$' ./testsuite/cuda
else
	step "CUDA emulation: corpus, tiles numbered by blocks" 5m env KGEN_TEST_PART=$part KGEN_CUDAEMU_SCHEDULE=static go test -count=1 -run '^TestCUDAEmulation$' ./testsuite/cuda
fi
step "emitted CUDA C++ compiled, a part of the corpus" 18m "${nvrtc[@]}" KGEN_TEST_PART=$part KGEN_TEST_TURN=$turn KGEN_CUDA_LEVELS=onepass go test -count=1 -timeout 18m -v -run '^Test(EmittedCUDA|CUDACompilersRefuse(Persistent)?)$' ./testsuite/cuda
if [ $cuda_found ] && has gcc; then
	step "the worker for CUDA devices, on a stand-in for the driver" 6m bash -c 'cuda_stand_in "$0"' "$cuda"
fi
step "agreement: random programs" 8m go run ./cmd/kgen difftest --random 60 --seed 1 --devices gocpu,emulated
past=() i=0 # a quarter
for file in testsuite/fixedbugs/*.kg; do
	((i++ % 4 == turn)) && past+=("$file")
done
step "agreement: differences of the past" 6m go run ./cmd/kgen difftest $(printf -- '--replay %s ' "${past[@]}") --levels all --devices gocpu,cudaemu:check
step "pipelines: format" 2m go run ./cmd/kgen fmt -l .
step "pipelines: vet" 2m go run ./cmd/kgen vet examples testsuite/corpus
if [ "$tree_sitter" ]; then
	step "tree-sitter's grammar, made again and tested" 5m bash -c 'tree_sitter_grammar "$0"' "$tree_sitter/tree-sitter"
fi
if [ $((turn % 2)) = 0 ]; then
	not_run+=("staticcheck: another commit has it")
	step "dead code" 5m "${opencl[@]}" bash -c 'dead_code "$0"' "$deadcode"
else
	not_run+=("dead code: another commit has it")
	step "staticcheck" 5m go run "$staticcheck" ./...
fi
step "regenerate" 5m go generate ./...
step "a module that uses kgen" 5m bash -c 'consumer "$0"' "$staticcheck"
step "same tree after regenerating" 1m bash -c 'same_tree "$0"' "$before"

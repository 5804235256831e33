// A stand-in for libcuda.so.1 where there is no GPU. It has one device, whose
// memory is the host's, and knows the kernels of the tests by name: whatever
// was compiled for them, their functions here run. So the tests show what the
// driver is asked for and what kgen makes of its answers, not what kernels do.
//
//	KGEN_TEST_DEVICES=0   as a driver without a GPU
#define _GNU_SOURCE
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef long long i64;

static CUresult failed; // what every call answers from then on
static CUresult coming; // that, once a call waits, allocates or loads
static i64 hung;        // the mark behind a kernel that never ends, or 0
static i64 marks;       // how many events were recorded

#define ANSWER do { if (failed) return failed; } while (0)
#define SETTLE do { if (coming) failed = coming; ANSWER; } while (0)
#define WAIT do { SETTLE; while (hung) pause(); } while (0)

#define ARG(i, type) (*(type *)arguments[i])
#define BUFFER(i, type) ((type *)ARG(i, CUdeviceptr))

static void divide(void **arguments) {
	i64 row0 = ARG(0, i64), rows = ARG(1, i64), *a = BUFFER(2, i64), *b = BUFFER(3, i64), *quotient = BUFFER(4, i64), *errors = BUFFER(5, i64);
	for (i64 i = 0; i < rows; i++) {
		quotient[i] = b[i] ? a[i] / b[i] : 0;
		if (!b[i] && row0 + i < errors[0])
			errors[0] = row0 + i;
	}
}

static void reduce(void **arguments) {
	i64 row0 = ARG(0, i64), rows = ARG(1, i64), *x = BUFFER(2, i64), *sum = BUFFER(3, i64);
	for (i64 i = 0; i < rows; i++)
		sum[0] += x[row0 + i];
}

static void slow(void **arguments) {
	i64 rows = ARG(1, i64), *sums = BUFFER(3, i64), sum = 0;
	int *x = BUFFER(2, int);
	for (i64 i = 0; i < rows; i++)
		sums[i] = sum += x[i];
}

static void scan(void **arguments) {
	if (ARG(7, i64) == 0 && ARG(1, i64) > 64)
		*BUFFER(6, int) = 1;
	slow(arguments);
}

static void grow(void **arguments) {
	*BUFFER(2, int) = (int)ARG(1, i64);
	*BUFFER(3, int) = ARG(1, i64) < 100;
}

static void scalars(void **arguments) {
	static const int sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 4, 8, 8};
	for (int i = 0; i < 14; i++)
		memcpy(BUFFER(16 + i, void), arguments[2 + i], sizes[i]);
}

static void report(void **arguments) {
	if (hung || coming) // of a kernel before
		return;
	memcpy(BUFFER(1, void), BUFFER(0, void), 8 * ARG(2, i64));
	*BUFFER(3, i64) = ARG(4, i64);
}
static void together(void **arguments) { *BUFFER(2, int) = -1; } // launched as others are
static void print(void **arguments) { puts("{}"); *BUFFER(2, int) = 7; }
static void endless(void **arguments) { hung = marks + 1; }
static void crash(void **arguments) { failed = CUDA_ERROR_ILLEGAL_ADDRESS; }
static void late(void **arguments) { coming = CUDA_ERROR_ILLEGAL_ADDRESS; }
static void crack(void **arguments) { grow(arguments); if (ARG(1, i64) > 50) late(arguments); } // later runs do
static void hang(void **arguments) { grow(arguments); if (ARG(1, i64) > 50) endless(arguments); }
static void trap(void **arguments) { failed = CUDA_ERROR_LAUNCH_FAILED; }

typedef struct { const char *name; int count; void (*run)(void **); i64 local; } function;
static function functions[] = {{"divide", 6, divide}, {"reduce", 4, reduce}, {"scan", 8, scan}, {"slow", 4, slow}, {"grow", 4, grow},
	{"scalars", 30, scalars}, {"kgen_report", 5, report}, {"print", 3, print}, {"together", 4, together}, {"endless", 3, endless}, {"crash", 3, crash}, {"late", 3, late}, {"trap", 3, trap},
	{"crack", 4, crack}, {"hang", 4, hang}};

CUresult cuInit(unsigned flags) {
	const char *devices = getenv("KGEN_TEST_DEVICES");
	return devices && !atoi(devices) ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *version) { *version = 12040; return 0; }
CUresult cuDeviceGetCount(int *count) { *count = 1; ANSWER; return 0; }
CUresult cuDeviceGet(CUdevice *device, int number) { *device = number; ANSWER; return 0; }
CUresult cuDeviceGetName(char *name, int size, CUdevice device) { snprintf(name, size, "a stand-in"); return 0; }
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) { *bytes = 1 << 30; return 0; }
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute what, CUdevice device) {
	switch ((int)what) {
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 9; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 << 10; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 227 << 10; break;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	return 0;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) { *context = (CUcontext)1; ANSWER; return 0; }
CUresult cuCtxSetCurrent(CUcontext context) { ANSWER; return 0; }
CUresult cuCtxPushCurrent_v2(CUcontext context) { return 0; }
CUresult cuCtxPopCurrent_v2(CUcontext *context) { return 0; }
CUresult cuCtxSynchronize(void) { WAIT; return 0; }

CUresult cuMemAlloc_v2(CUdeviceptr *place, size_t bytes) {
	SETTLE;
	return (*place = (CUdeviceptr)malloc(bytes)) ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFree_v2(CUdeviceptr place) { free((void *)place); ANSWER; return 0; }
static struct { char *start; size_t bytes; unsigned flags; } pinned; // one at a time
CUresult cuMemHostRegister_v2(void *place, size_t bytes, unsigned flags) {
	ANSWER;
	if (pinned.start)
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	pinned.start = place, pinned.bytes = bytes, pinned.flags = flags;
	return 0;
}
CUresult cuMemHostUnregister(void *place) {
	ANSWER;
	if (pinned.start != place)
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	pinned.start = 0;
	return 0;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) { WAIT; memcpy((void *)to, from, bytes); return 0; }
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
	WAIT;
	if (pinned.start == to && pinned.flags & CU_MEMHOSTREGISTER_READ_ONLY)
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	memcpy(to, (void *)from, bytes);
	return 0;
}
CUresult cuMemAllocHost_v2(void **place, size_t bytes) { ANSWER; return (*place = malloc(bytes)) ? 0 : CUDA_ERROR_OUT_OF_MEMORY; }
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) { ANSWER; memcpy(to, (void *)from, bytes); return 0; }
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) { ANSWER; memcpy((void *)to, (void *)from, bytes); return 0; }
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char x, size_t count, CUstream stream) { ANSWER; memset((void *)to, x, count); return 0; }
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short x, size_t count, CUstream stream) {
	ANSWER;
	for (size_t i = 0; i < count; i++) ((unsigned short *)to)[i] = x;
	return 0;
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned x, size_t count, CUstream stream) {
	ANSWER;
	for (size_t i = 0; i < count; i++) ((unsigned *)to)[i] = x;
	return 0;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
	SETTLE;
	*module = (CUmodule)1;
	return memcmp(image, "\177ELF", 4) == 0 || strncmp(image, "//", 2) == 0 || strstr(image, ".version") ? 0 : CUDA_ERROR_INVALID_IMAGE;
}
CUresult cuModuleGetFunction(CUfunction *f, CUmodule module, const char *name) {
	SETTLE;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (strcmp(functions[i].name, name) == 0) {
			*f = (CUfunction)&functions[i];
			return 0;
		}
	return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute what, CUfunction f) { *value = 1024; ANSWER; return 0; }
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute what, int value) {
	if (what != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value > 227 << 10)
		return CUDA_ERROR_INVALID_VALUE;
	((function *)f)->local = value;
	return 0;
}
CUresult cuFuncGetParamInfo(CUfunction f, size_t number, size_t *offset, size_t *size) {
	return (int)number < ((function *)f)->count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, CUfunction f, int size, size_t local) { *count = 2048 / size; return 0; }
CUresult cuLaunchKernel(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned size, unsigned sizeY, unsigned sizeZ, unsigned local, CUstream stream,
	void **arguments, void **extra) {
	ANSWER;
	if (x == 0 || size == 0 || size > 1024 || (local > 48 << 10 && local > ((function *)f)->local))
		return CUDA_ERROR_INVALID_VALUE;
	((function *)f)->run(arguments);
	return 0;
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned size, unsigned sizeY, unsigned sizeZ, unsigned local, CUstream stream,
	void **arguments) {
	ANSWER;
	if (x > 4 * 2048 / size)
		return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	*BUFFER(2, int) = (int)x;
	return 0;
}

// A graph is its nodes, and its nodes end with it. What is made of it has copies. Of the nodes
// that can run, the one added last does. KGEN_TEST_GRAPHS names the call that fails: instantiate,
// change or launch.
typedef struct { CUDA_KERNEL_NODE_PARAMS kernel; CUDA_MEMSET_NODE_PARAMS fill; void *places[32]; char words[32][8]; unsigned long long behind; } node;
typedef struct { node *nodes[64]; int count; } graph;
typedef struct { graph *of; node nodes[64]; int count; } executable;
static int fails(const char *what) {
	const char *named = getenv("KGEN_TEST_GRAPHS");
	return named && strcmp(named, what) == 0;
}
static void give(node *n, const CUDA_KERNEL_NODE_PARAMS *params) {
	n->kernel = *params;
	for (int i = 0; i < ((function *)params->func)->count; i++)
		memcpy(n->words[i], params->kernelParams[i], 8);
}
static CUresult add(CUgraphNode *made, CUgraph in, const CUgraphNode *behind, size_t count, node **n) {
	graph *g = (graph *)in;
	unsigned long long found = 0;
	for (size_t i = 0; i < count; i++)
		for (int j = 0; j < g->count; j++)
			if ((node *)behind[i] == g->nodes[j])
				found |= 1ull << j;
	if (__builtin_popcountll(found) != count || g->count == 64)
		return CUDA_ERROR_INVALID_VALUE;
	*made = (CUgraphNode)(*n = g->nodes[g->count++] = calloc(1, sizeof **n));
	(*n)->behind = found;
	return 0;
}
CUresult cuGraphCreate(CUgraph *made, unsigned flags) { ANSWER; *made = calloc(1, sizeof(graph)); return 0; }
CUresult cuGraphAddKernelNode(CUgraphNode *made, CUgraph in, const CUgraphNode *behind, size_t count, const CUDA_KERNEL_NODE_PARAMS *params) {
	node *n;
	CUresult wrong = add(made, in, behind, count, &n);
	if (!wrong)
		give(n, params);
	return wrong;
}
CUresult cuGraphAddMemsetNode(CUgraphNode *made, CUgraph in, const CUgraphNode *behind, size_t count, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context) {
	node *n;
	CUresult wrong = add(made, in, behind, count, &n);
	if (!wrong)
		n->fill = *params;
	return wrong;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *made, CUgraph in, unsigned long long flags) {
	ANSWER;
	if (fails("instantiate"))
		return CUDA_ERROR_OUT_OF_MEMORY;
	executable *e = calloc(1, sizeof *e);
	e->of = (graph *)in, e->count = e->of->count;
	for (int i = 0; i < e->count; i++)
		e->nodes[i] = *e->of->nodes[i];
	*made = (CUgraphExec)e;
	return 0;
}
static node *find(CUgraphExec in, CUgraphNode changed) {
	executable *e = (executable *)in;
	for (int i = 0; i < e->of->count && !fails("change"); i++) // none if the graph has ended
		if (e->of->nodes[i] == (node *)changed)
			return &e->nodes[i];
	return 0;
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec in, CUgraphNode changed, const CUDA_KERNEL_NODE_PARAMS *params) {
	ANSWER;
	node *n = find(in, changed);
	if (!n || n->kernel.func != params->func)
		return CUDA_ERROR_INVALID_VALUE;
	give(n, params);
	return 0;
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec in, CUgraphNode changed, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context) {
	ANSWER;
	node *n = find(in, changed);
	if (!n || n->kernel.func)
		return CUDA_ERROR_INVALID_VALUE;
	n->fill = *params;
	return 0;
}
CUresult cuGraphLaunch(CUgraphExec launched, CUstream stream) {
	ANSWER;
	if (fails("launch"))
		return CUDA_ERROR_INVALID_VALUE;
	executable *e = (executable *)launched;
	unsigned long long ended = 0;
	for (int left = e->count; left > 0; left--) {
		int i = e->count - 1;
		while (ended >> i & 1 || e->nodes[i].behind & ~ended)
			i--;
		ended |= 1ull << i;
		node *n = &e->nodes[i];
		CUDA_KERNEL_NODE_PARAMS *k = &n->kernel;
		CUDA_MEMSET_NODE_PARAMS *f = &n->fill;
		for (int j = 0; j < 32; j++)
			n->places[j] = n->words[j];
		CUresult wrong = k->func ?
			cuLaunchKernel(k->func, k->gridDimX, 1, 1, k->blockDimX, 1, 1, k->sharedMemBytes, stream, n->places, 0) :
			f->elementSize == 4 ? cuMemsetD32Async(f->dst, f->value, f->width, stream) :
			f->elementSize == 2 ? cuMemsetD16Async(f->dst, f->value, f->width, stream) : cuMemsetD8Async(f->dst, f->value, f->width, stream);
		if (wrong)
			return k->func && failed ? 0 : wrong; // a kernel that fails is noticed later
	}
	return 0;
}
CUresult cuGraphDestroy(CUgraph g) { ((graph *)g)->count = 0; ANSWER; return 0; } // the memory stays, for those who look there
CUresult cuGraphExecDestroy(CUgraphExec exec) { free(exec); ANSWER; return 0; }

CUresult cuEventCreate(CUevent *event, unsigned flags) { *event = calloc(1, sizeof(i64)); ANSWER; return 0; }
CUresult cuEventRecord(CUevent event, CUstream stream) { *(i64 *)event = ++marks; return failed; }
CUresult cuEventQuery(CUevent event) { SETTLE; return hung && *(i64 *)event >= hung ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) { *milliseconds = 0.001f; ANSWER; return 0; }
CUresult cuEventDestroy_v2(CUevent event) { free(event); return 0; }

CUresult cuGetErrorName(CUresult code, const char **name) {
	switch ((int)code) {
#define NAME(code) case code: *name = #code; return 0;
	NAME(CUDA_ERROR_INVALID_VALUE) NAME(CUDA_ERROR_OUT_OF_MEMORY) NAME(CUDA_ERROR_NO_DEVICE) NAME(CUDA_ERROR_INVALID_IMAGE)
	NAME(CUDA_ERROR_NOT_FOUND) NAME(CUDA_ERROR_ILLEGAL_ADDRESS) NAME(CUDA_ERROR_LAUNCH_FAILED) NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
	}
	return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult code, const char **text) {
	const char *name;
	*text = code == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" :
		code == CUDA_ERROR_LAUNCH_FAILED ? "unspecified launch failure" :
		code == CUDA_ERROR_NO_DEVICE ? "no CUDA-capable device is detected" : "an error";
	return cuGetErrorName(code, &name);
}

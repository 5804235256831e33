//go:build cuda

package cuda

/*
#cgo CFLAGS: -D_GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// A fill of memory with a word, or a launch of a kernel if there is a function. Arguments are 8
// bytes each, in a list of those of all commands.
typedef struct {
	CUfunction function;
	unsigned groups, size, local, first, count;
	unsigned with, width;
	CUdeviceptr to;
	unsigned long long words;
	unsigned long long behind; // a bit for each command that has to end before this one begins
} command;

typedef unsigned long long word;

// The graph stays, to which the nodes belong.
typedef struct {
	CUgraph in;
	CUgraphExec exec;
	CUgraphNode nodes[];
} graph;

// Calls of the driver by their names, which one before CUDA 11.4 lacks.
static struct {
	CUresult (*create)(CUgraph *, unsigned);
	CUresult (*kernel)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS *);
	CUresult (*fill)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMSET_NODE_PARAMS *, CUcontext);
	CUresult (*instantiate)(CUgraphExec *, CUgraph, unsigned long long);
	CUresult (*setKernel)(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *);
	CUresult (*setFill)(CUgraphExec, CUgraphNode, const CUDA_MEMSET_NODE_PARAMS *, CUcontext);
	CUresult (*launch)(CUgraphExec, CUstream);
	CUresult (*end)(CUgraph);
	CUresult (*endExec)(CUgraphExec);
} calls;

static int graphsFound(void) {
	static int found = -1;
	static const struct { const char *name; void *place; } all[] = {
		{"cuGraphCreate", &calls.create}, {"cuGraphAddKernelNode", &calls.kernel}, {"cuGraphAddMemsetNode", &calls.fill},
		{"cuGraphInstantiateWithFlags", &calls.instantiate}, {"cuGraphExecKernelNodeSetParams", &calls.setKernel},
		{"cuGraphExecMemsetNodeSetParams", &calls.setFill}, {"cuGraphLaunch", &calls.launch}, {"cuGraphDestroy", &calls.end},
		{"cuGraphExecDestroy", &calls.endExec}};
	if (found < 0) {
		found = 1;
		for (size_t i = 0; i < sizeof all / sizeof *all; i++)
			if (!(*(void **)all[i].place = dlsym(RTLD_DEFAULT, all[i].name)))
				found = 0;
	}
	return found;
}

// Either adds the node of a command to a graph, or changes it in what was made of the graph.
static CUresult setNode(graph *g, int i, const command *c, word *arguments, CUcontext context) {
	CUgraphNode behind[64];
	size_t count = 0;
	for (int j = 0; j < i; j++)
		if (c->behind >> j & 1)
			behind[count++] = g->nodes[j];
	if (!c->function) {
		CUDA_MEMSET_NODE_PARAMS p = {.dst = c->to, .value = c->with, .elementSize = c->width, .width = c->words, .height = 1};
		return g->exec ? calls.setFill(g->exec, g->nodes[i], &p, context) : calls.fill(&g->nodes[i], g->in, behind, count, &p, context);
	}
	void *places[c->count];
	for (unsigned i = 0; i < c->count; i++)
		places[i] = &arguments[c->first + i];
	CUDA_KERNEL_NODE_PARAMS p = {.func = c->function, .gridDimX = c->groups, .gridDimY = 1, .gridDimZ = 1,
		.blockDimX = c->size, .blockDimY = 1, .blockDimZ = 1, .sharedMemBytes = c->local, .kernelParams = places};
	return g->exec ? calls.setKernel(g->exec, g->nodes[i], &p) : calls.kernel(&g->nodes[i], g->in, behind, count, &p);
}

static CUresult newGraph(graph **made, const command *commands, int count, word *arguments, CUcontext context) {
	graph *g = calloc(1, sizeof *g + count * sizeof *g->nodes);
	CUresult result = calls.create(&g->in, 0);
	for (int i = 0; i < count && !result; i++)
		result = setNode(g, i, &commands[i], arguments, context);
	if (!result)
		result = calls.instantiate(&g->exec, g->in, 0);
	if (!result) {
		*made = g;
		return 0;
	}
	if (g->in)
		calls.end(g->in);
	free(g);
	return result;
}

static CUresult launchGraph(graph *g, const command *commands, int count, word *arguments, const unsigned char *changed, CUcontext context) {
	for (int i = 0; i < count; i++)
		if (changed[i]) {
			CUresult result = setNode(g, i, &commands[i], arguments, context);
			if (result)
				return result;
		}
	return calls.launch(g->exec, 0);
}

static void endGraph(graph *g) {
	calls.endExec(g->exec);
	calls.end(g->in);
	free(g);
}

static CUresult enqueue(const command *c, word *arguments) {
	if (!c->function)
		switch (c->width) {
		case 1: return cuMemsetD8Async(c->to, c->with, c->words, 0);
		case 2: return cuMemsetD16Async(c->to, c->with, c->words, 0);
		default: return cuMemsetD32Async(c->to, c->with, c->words, 0);
		}
	void *places[c->count];
	for (unsigned i = 0; i < c->count; i++)
		places[i] = &arguments[c->first + i];
	return cuLaunchKernel(c->function, c->groups, 1, 1, c->size, 1, 1, c->local, 0, places, 0);
}
*/
import "C"

import (
	"os"
	"slices"
	"unsafe"

	"gorgonia.org/cu"
)

// argument is one of a kernel, in 8 bytes.
type argument = C.word

// batch is commands that wait until the host reads, or there are many. Those of equal shape as
// once before go to the driver as one graph, which costs less than each of them.
type batch struct {
	commands []C.command
	names    []string // of kernels, for messages
	words    []argument
	uses     uses
}

// fewWaiting bounds how long an idle device waits while commands are put together, mostWaiting
// how many commands a graph has: as many as a word has bits.
const fewWaiting, mostWaiting = 16, 64

func (b *batch) clear() {
	b.commands, b.names, b.words = b.commands[:0], b.names[:0], b.words[:0]
	b.uses.clear()
}

// kernel adds a launch with the arguments that have been added to b.words from first on, and the
// uses that have been added to b.uses.
func (b *batch) kernel(name string, f cu.Function, groups, size, local int64, first int) {
	b.names = append(b.names, name)
	b.commands = append(b.commands, C.command{function: C.CUfunction(function(f)), groups: C.uint(groups), size: C.uint(size), local: C.uint(local),
		first: C.uint(first), count: C.uint(len(b.words) - first)})
	b.uses.end()
}

// fill adds a fill with a word of 1, 2 or 4 bytes.
func (b *batch) fill(to cu.DevicePtr, word []byte, bytes int64) {
	if len(word) == 1 && bytes%4 == 0 && to%4 == 0 {
		word = []byte{word[0], word[0], word[0], word[0]}
	}
	with := uint32(0)
	for i, part := range word {
		with |= uint32(part) << (8 * i)
	}
	b.names = append(b.names, "")
	b.commands = append(b.commands, C.command{to: C.CUdeviceptr(to), with: C.uint(with), width: C.uint(len(word)), words: C.ulonglong(bytes / int64(len(word)))})
	b.uses.add(to, bytes, changes)
	b.uses.end()
}

// arguments returns those of a command.
func (b *batch) arguments(c *C.command) []argument { return b.words[c.first : c.first+c.count] }

// enqueue passes one command to the driver.
func (b *batch) enqueue(i int) error {
	return result(C.enqueue(&b.commands[i], unsafe.SliceData(b.words)))
}

// graph is kernels and fills, each behind those that it depends on, with what they were given
// last.
type graph struct {
	made   *C.graph // nil for one that was met once, or that the driver does not take
	failed bool
	last   batch
}

// equals reports whether b has the same kernels and fills, which depend on each other as those
// of the graph do. That is found out if it matters: is b what the graph was given last, nothing is.
func (g *graph) equals(b *batch, isKnown *bool) bool {
	if !slices.EqualFunc(g.last.commands, b.commands, func(x, y C.command) bool { return x.function == y.function }) {
		return false
	}
	if !*isKnown && b.uses.equals(&g.last.uses) {
		for i := range b.commands {
			b.commands[i].behind = g.last.commands[i].behind
		}
		*isKnown = true
		return true
	}
	if !*isKnown {
		b.order()
		*isKnown = true
	}
	return slices.EqualFunc(g.last.commands, b.commands, func(x, y C.command) bool { return x.behind == y.behind })
}

// order finds out which commands depend on which.
func (b *batch) order() {
	for i, behind := range b.uses.dependences() {
		b.commands[i].behind = C.ulonglong(behind)
	}
}

// graphs are those of a device, the last used first.
type graphs struct {
	list     []*graph
	off      bool
	launched int // times
	changed  []C.uchar
}

// mostGraphs bounds the memory that the driver needs for them.
const mostGraphs = 64

func newGraphs() graphs {
	return graphs{off: os.Getenv("KGEN_CUDA_GRAPHS") == "off" || C.graphsFound() == 0}
}

// launch passes a batch on as a graph, if it has been met before; otherwise it reports false,
// and nothing has been queued.
func (l *graphs) launch(b *batch, context cu.CUContext) bool {
	if l.off || len(b.commands) < 2 {
		return false
	}
	isKnown := false
	i := slices.IndexFunc(l.list, func(g *graph) bool { return g.equals(b, &isKnown) })
	if i < 0 {
		if !isKnown {
			b.order()
		}
		if len(l.list) == mostGraphs {
			if g := l.list[mostGraphs-1]; g.made != nil {
				C.endGraph(g.made)
			}
			l.list = l.list[:mostGraphs-1]
		}
		g := &graph{}
		g.remember(b)
		l.list = slices.Insert(l.list, 0, g)
		return false
	}
	g := l.list[i]
	if i > 0 {
		copy(l.list[1:], l.list[:i])
		l.list[0] = g
	}
	return !g.failed && l.again(g, b, *(*C.CUcontext)(unsafe.Pointer(&context)))
}

// remember keeps what the graph is given.
func (g *graph) remember(b *batch) {
	g.last.commands, g.last.words = append(g.last.commands[:0], b.commands...), append(g.last.words[:0], b.words...)
	g.last.uses.copy(&b.uses)
}

func (l *graphs) again(g *graph, b *batch, context C.CUcontext) bool {
	commands, words, count := &b.commands[0], unsafe.SliceData(b.words), len(b.commands)
	l.changed = append(l.changed[:0], make([]C.uchar, count)...)
	if g.made == nil {
		g.failed = C.newGraph(&g.made, commands, C.int(count), words, context) != C.CUDA_SUCCESS
	} else {
		for i := range b.commands {
			if b.commands[i] != g.last.commands[i] || !slices.Equal(b.arguments(&b.commands[i]), g.last.arguments(&g.last.commands[i])) {
				l.changed[i] = 1
			}
		}
	}
	g.failed = g.failed || C.launchGraph(g.made, commands, C.int(count), words, &l.changed[0], context) != C.CUDA_SUCCESS
	if g.failed {
		if g.made != nil {
			C.endGraph(g.made)
			g.made = nil
		}
		return false
	}
	g.remember(b)
	l.launched++
	return true
}

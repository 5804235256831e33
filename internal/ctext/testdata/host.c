// host runs kernels of one OpenCL C file on the first device found, for the
// tests of the printer. Its arguments are the file and the build options; it
// reads what to run from its input, a word after the other:
//
//	in FILE | out FILE BYTES | value HEX    the next argument
//	run KERNEL GROUPS SIZE                  with the arguments so far
//
// An out file gets what the kernel left in that buffer, which starts as zeros.
// No device is exit code 77, anything else that fails 1.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 256 };

static struct {
	cl_mem buffer;
	char file[4096];
	size_t size;
} args[MAX];

static void check(cl_int status, const char *what) {
	if (status != CL_SUCCESS) {
		fprintf(stderr, "%s: error %d\n", what, status);
		exit(1);
	}
}

static void *read_all(const char *file, size_t *size) {
	FILE *f = fopen(file, "rb");
	if (!f) {
		perror(file);
		exit(1);
	}
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	char *bytes = calloc(*size + 1, 1);
	if (fread(bytes, 1, *size, f) != *size) {
		perror(file);
		exit(1);
	}
	fclose(f);
	return bytes;
}

int main(int argc, char **argv) {
	if (argc != 3) {
		return 1;
	}
	cl_platform_id platform;
	cl_device_id device;
	cl_uint count = 0;
	if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) != CL_SUCCESS || count == 0) {
		fprintf(stderr, "no OpenCL device\n");
		return 77;
	}
	cl_int status;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "context");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
	check(status, "queue");
	size_t size;
	const char *source = read_all(argv[1], &size);
	cl_program program = clCreateProgramWithSource(context, 1, &source, &size, &status);
	check(status, "program");
	status = clBuildProgram(program, 1, &device, argv[2], NULL, NULL);
	if (status != CL_SUCCESS) {
		static char log[1 << 16];
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fprintf(stderr, "%s\n", log);
	}
	check(status, "build");

	char word[4096], values[MAX][8];
	cl_kernel kernel;
	int n = 0;
	while (scanf("%4095s", word) == 1) {
		if (n == MAX) {
			return 1;
		}
		if (!strcmp(word, "in")) {
			if (scanf("%4095s", word) != 1) {
				return 1;
			}
			void *bytes = read_all(word, &size);
			args[n].buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, bytes, &status);
			check(status, word);
			args[n].file[0] = 0;
			free(bytes);
			n++;
		} else if (!strcmp(word, "out")) {
			if (scanf("%4095s %zu", args[n].file, &args[n].size) != 2) {
				return 1;
			}
			void *bytes = calloc(args[n].size, 1);
			args[n].buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, args[n].size, bytes, &status);
			check(status, args[n].file);
			free(bytes);
			n++;
		} else if (!strcmp(word, "value")) {
			if (scanf("%4095s", word) != 1) {
				return 1;
			}
			args[n].buffer = NULL;
			args[n].size = strlen(word) / 2;
			for (size_t i = 0; i < args[n].size && i < 8; i++) {
				unsigned byte;
				sscanf(word + 2 * i, "%2x", &byte);
				values[n][i] = (char)byte;
			}
			n++;
		} else {
			size_t groups, items;
			if (scanf("%4095s %zu %zu", word, &groups, &items) != 3) {
				return 1;
			}
			kernel = clCreateKernel(program, word, &status);
			check(status, word);
			for (int i = 0; i < n; i++) {
				if (args[i].buffer) {
					check(clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem), &args[i].buffer), "buffer argument");
				} else {
					check(clSetKernelArg(kernel, (cl_uint)i, args[i].size, values[i]), "argument");
				}
			}
			size_t global = groups * items;
			check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &items, 0, NULL, NULL), word);
			check(clFinish(queue), word);
			for (int i = 0; i < n; i++) {
				if (!args[i].buffer) {
					continue;
				}
				if (args[i].file[0]) {
					void *bytes = malloc(args[i].size);
					check(clEnqueueReadBuffer(queue, args[i].buffer, CL_TRUE, 0, args[i].size, bytes, 0, NULL, NULL), "read");
					FILE *f = fopen(args[i].file, "wb");
					if (!f || fwrite(bytes, 1, args[i].size, f) != args[i].size || fclose(f)) {
						perror(args[i].file);
						return 1;
					}
					free(bytes);
				}
				clReleaseMemObject(args[i].buffer);
			}
			clReleaseKernel(kernel);
			n = 0;
		}
	}
	return 0;
}

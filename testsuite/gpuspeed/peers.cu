// The peers of the speed bench: what CUB does for each workload, and the copy
// of device memory that all rates are shares of. Commands come as lines on
// standard input,
//
//	NAME [ARGUMENT...] REPEAT ROWS FILE...
//
// with a file per column; each is answered by a line of JSON with the time of
// each repetition in nanoseconds and a digest of each result. Times are between
// events around all that CUB queues. Repetitions follow each other closely;
// fills before the first keep the device busy while they are queued.
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static void check(cudaError_t e) {
	if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

// Memory is a buffer of the device; what results hold at first is no result.
struct Memory {
	void *at = nullptr;
	size_t bytes;
	explicit Memory(size_t n) : bytes(n < 256 ? 256 : n) {
		check(cudaMalloc(&at, bytes));
		check(cudaMemset(at, 0xa5, bytes));
	}
	~Memory() { cudaFree(at); }
	Memory(const Memory &) = delete;
	template <class T> T *as() { return static_cast<T *>(at); }
};

static void load(Memory &to, const std::string &file, size_t bytes) {
	int descriptor = open(file.c_str(), O_RDONLY);
	if (descriptor < 0) throw std::runtime_error("cannot open " + file);
	void *data = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
	close(descriptor);
	if (data == MAP_FAILED) throw std::runtime_error("cannot map " + file);
	cudaError_t e = cudaMemcpy(to.at, data, bytes, cudaMemcpyHostToDevice);
	munmap(data, bytes);
	check(e);
}

// Request is a line.
struct Request {
	std::string name;
	std::istringstream rest;
	std::vector<long long> arguments;
	int repeat = 0;
	int rows = 0;
	void begin(int count) {
		for (int i = 0; i < count; i++) {
			long long value;
			rest >> value;
			arguments.push_back(value);
		}
		if (!(rest >> repeat >> rows)) throw std::runtime_error("a line without its numbers");
	}
};

// Column is the next file of a request.
template <class T> struct Column : Memory {
	explicit Column(Request &r) : Memory(r.rows * sizeof(T)) {
		std::string file;
		r.rest >> file;
		load(*this, file, r.rows * sizeof(T));
	}
	T *data() { return as<T>(); }
};

template <class Work> static std::vector<long long> timed(int repeat, Work work) {
	Memory cover(256 << 20);
	std::vector<cudaEvent_t> marks(2 * repeat);
	for (cudaEvent_t &m : marks) check(cudaEventCreate(&m));
	for (int i = 0; i < 16; i++) check(cudaMemsetAsync(cover.at, 0, cover.bytes));
	for (int i = 0; i < repeat; i++) {
		check(cudaEventRecord(marks[2 * i]));
		check(work());
		check(cudaEventRecord(marks[2 * i + 1]));
	}
	check(cudaDeviceSynchronize());
	std::vector<long long> times;
	for (int i = 0; i < repeat; i++) {
		float milliseconds;
		check(cudaEventElapsedTime(&milliseconds, marks[2 * i], marks[2 * i + 1]));
		times.push_back((long long)(milliseconds * 1e6));
	}
	for (cudaEvent_t &m : marks) check(cudaEventDestroy(m));
	return times;
}

// cubTimed times a function of CUB, which first says how much memory it needs.
template <class Call> static std::vector<long long> cubTimed(int repeat, Call call) {
	size_t bytes = 0;
	check(call(nullptr, bytes));
	Memory scratch(bytes);
	return timed(repeat, [&] { return call(scratch.at, bytes); });
}

template <class Value> __global__ void digestKernel(Value value, long long rows, unsigned long long *sum) {
	unsigned long long local = 0;
	for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < rows; i += gridDim.x * (long long)blockDim.x) {
		unsigned long long h = ((unsigned long long)value(i) ^ i * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
		local += h ^ h >> 32;
	}
	atomicAdd(sum, local);
}

// digest returns the JSON of the digest of a result; value(i) is row i.
template <class Value> static std::string digest(Value value, long long rows) {
	Memory sum(8);
	check(cudaMemset(sum.at, 0, 8));
	digestKernel<<<1024, 256>>>(value, rows, sum.as<unsigned long long>());
	check(cudaGetLastError());
	unsigned long long host;
	check(cudaMemcpy(&host, sum.at, 8, cudaMemcpyDeviceToHost));
	return "{\"rows\":" + std::to_string(rows) + ",\"sum\":" + std::to_string(host) + "}";
}

template <class T> struct Elements {
	const T *at;
	__device__ long long operator()(long long i) const { return at[i]; }
};

template <class T> static std::string digestOf(Memory &m, long long rows) { return digest(Elements<T>{m.as<T>()}, rows); }

static long long count(Memory &m) {
	int host;
	check(cudaMemcpy(&host, m.at, sizeof host, cudaMemcpyDeviceToHost));
	return host;
}

static std::string answer(const std::vector<long long> &times, const std::string &results) {
	std::string text = "{\"times\":[";
	for (size_t i = 0; i < times.size(); i++) text += (i ? "," : "") + std::to_string(times[i]);
	return text + "]" + results + "}";
}

static std::string columns(const std::string &digests) { return ",\"columns\":[" + digests + "]"; }

static std::string copy(Request &r) { // of ROWS bytes
	r.begin(0);
	Memory from(r.rows), to(r.rows);
	return answer(timed(r.repeat, [&] { return cudaMemcpyAsync(to.at, from.at, r.rows, cudaMemcpyDeviceToDevice); }), "");
}

template <class T> static std::string scan(Request &r) {
	r.begin(0);
	Column<T> x(r);
	Memory out(r.rows * sizeof(T));
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceScan::InclusiveSum(scratch, bytes, x.data(), out.as<T>(), r.rows);
	});
	return answer(times, columns(digestOf<T>(out, r.rows)));
}

struct Below {
	int32_t limit;
	__host__ __device__ bool operator()(const int32_t &x) const { return x < limit; }
};

static std::string filter(Request &r) {
	r.begin(1);
	Column<int32_t> x(r);
	Memory out(r.rows * 4ull), found(8);
	Below below{(int32_t)r.arguments[0]};
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceSelect::If(scratch, bytes, x.data(), out.as<int32_t>(), found.as<int>(), r.rows, below);
	});
	return answer(times, columns(digestOf<int32_t>(out, count(found))));
}

struct BothBelow {
	const int32_t *x, *y;
	int32_t limit;
	__host__ __device__ bool operator()(int i) const { return x[i] < limit && y[i] < limit; }
};

// filterByOthers selects rows of a column by tests of two others.
static std::string filterByOthers(Request &r) {
	r.begin(1);
	Column<int32_t> x(r), y(r), z(r);
	Memory out(r.rows * 4ull), found(8);
	auto flags = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), BothBelow{x.data(), y.data(), (int32_t)r.arguments[0]});
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceSelect::Flagged(scratch, bytes, z.data(), flags, out.as<int32_t>(), found.as<int>(), r.rows);
	});
	return answer(times, columns(digestOf<int32_t>(out, count(found))));
}

static std::string countRuns(Request &r) {
	r.begin(0);
	Column<int32_t> key(r);
	Memory keys(r.rows * 4ull), counts(r.rows * 8ull), found(8);
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceRunLengthEncode::Encode(scratch, bytes, key.data(), keys.as<int32_t>(), counts.as<int64_t>(), found.as<int>(), r.rows);
	});
	long long runs = count(found);
	return answer(times, columns(digestOf<int32_t>(keys, runs) + "," + digestOf<int64_t>(counts, runs)));
}

// Pair is two aggregates of a run.
template <class T> struct Pair {
	T first, second;
};

template <class T> struct First {
	const Pair<T> *at;
	__device__ long long operator()(long long i) const { return at[i].first; }
};
template <class T> struct Second {
	const Pair<T> *at;
	__device__ long long operator()(long long i) const { return at[i].second; }
};

struct OneAndValue {
	__host__ __device__ Pair<int64_t> operator()(int32_t x) const { return {1, x}; }
};
struct Twice {
	__host__ __device__ Pair<int32_t> operator()(int32_t x) const { return {x, x}; }
};
struct AddPairs {
	__host__ __device__ Pair<int64_t> operator()(const Pair<int64_t> &a, const Pair<int64_t> &b) const {
		return {a.first + b.first, a.second + b.second};
	}
};
struct Extremes {
	__host__ __device__ Pair<int32_t> operator()(const Pair<int32_t> &a, const Pair<int32_t> &b) const {
		return {a.first < b.first ? a.first : b.first, a.second > b.second ? a.second : b.second};
	}
};
struct Add {
	__host__ __device__ int32_t operator()(int32_t a, int32_t b) const { return a + b; }
};

template <class T, class Make, class Combine> static std::string pairs(Request &r, Make make, Combine combine) {
	r.begin(0);
	Column<int32_t> key(r), value(r);
	Memory keys(r.rows * 4ull), out(r.rows * sizeof(Pair<T>)), found(8);
	auto values = thrust::make_transform_iterator(value.data(), make);
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceReduce::ReduceByKey(scratch, bytes, key.data(), keys.as<int32_t>(), values, out.as<Pair<T>>(), found.as<int>(), combine, r.rows);
	});
	long long runs = count(found);
	return answer(times, columns(digestOf<int32_t>(keys, runs) + "," + digest(First<T>{out.as<Pair<T>>()}, runs) + "," +
	                             digest(Second<T>{out.as<Pair<T>>()}, runs)));
}

// sum32 has sums of 32 bits alone; its result is not that of the workload.
static std::string sum32(Request &r) {
	r.begin(0);
	Column<int32_t> key(r), value(r);
	Memory keys(r.rows * 4ull), out(r.rows * 4ull), found(8);
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceReduce::ReduceByKey(scratch, bytes, key.data(), keys.as<int32_t>(), value.data(), out.as<int32_t>(), found.as<int>(), Add{}, r.rows);
	});
	return answer(times, columns(digestOf<int32_t>(keys, count(found))));
}

struct Revenue {
	const int32_t *date;
	const double *discount, *quantity, *price;
	int32_t from, to;
	__host__ __device__ double operator()(int i) const {
		bool hit = date[i] >= from && date[i] < to && discount[i] >= 0.05 && discount[i] <= 0.07 && quantity[i] < 24;
		return hit ? price[i] * discount[i] : 0;
	}
};
struct AddDoubles {
	__host__ __device__ double operator()(double a, double b) const { return a + b; }
};

static std::string q6(Request &r) {
	r.begin(2);
	Column<int32_t> date(r);
	Column<double> discount(r), quantity(r), price(r);
	Memory out(8);
	Revenue revenue{date.data(), discount.data(), quantity.data(), price.data(), (int32_t)r.arguments[0], (int32_t)r.arguments[1]};
	auto values = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), revenue);
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceReduce::Reduce(scratch, bytes, values, out.as<double>(), r.rows, AddDoubles{}, 0.0);
	});
	double sum;
	check(cudaMemcpy(&sum, out.at, sizeof sum, cudaMemcpyDeviceToHost));
	char text[64];
	snprintf(text, sizeof text, ",\"scalar\":%.17g", sum);
	return answer(times, text);
}

// histogram counts keys of [0, BINS).
template <class T> static std::string histogram(Request &r) {
	r.begin(1);
	Column<T> key(r);
	int bins = (int)r.arguments[0];
	Memory counts(bins * 4ull);
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceHistogram::HistogramEven(scratch, bytes, key.data(), counts.as<int>(), bins + 1, 0, bins, r.rows);
	});
	return answer(times, columns(digestOf<int32_t>(counts, bins)));
}

__global__ void numberRows(uint32_t *row, long long rows) {
	for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < rows; i += gridDim.x * (long long)blockDim.x) row[i] = (uint32_t)i;
}

// order sorts all rows, whose numbers lie there before; its result is the first
// LIMIT rows, or all if that is 0.
template <class Key> static std::string order(Request &r) {
	r.begin(1);
	long long limit = r.arguments[0];
	Column<Key> key(r);
	Memory keys(r.rows * sizeof(Key)), numbers(r.rows * 4ull), out(r.rows * 4ull);
	numberRows<<<1024, 256>>>(numbers.as<uint32_t>(), r.rows);
	check(cudaGetLastError());
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceRadixSort::SortPairs(scratch, bytes, key.data(), keys.as<Key>(), numbers.as<uint32_t>(), out.as<uint32_t>(), r.rows);
	});
	return answer(times, columns(digestOf<uint32_t>(out, limit > 0 && limit < r.rows ? limit : r.rows)));
}

// sortPairs sorts pairs of 32 bits by the lowest bits of the keys; those of a partition are signed.
static std::string sortPairs(Request &r, int bits) {
	Column<uint32_t> key(r), value(r);
	Memory keys(r.rows * 4ull), values(r.rows * 4ull);
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceRadixSort::SortPairs(scratch, bytes, key.data(), keys.as<uint32_t>(), value.data(), values.as<uint32_t>(), r.rows, 0, bits);
	});
	if (bits < 32) return answer(times, columns(digestOf<int32_t>(keys, r.rows) + "," + digestOf<int32_t>(values, r.rows)));
	return answer(times, columns(digestOf<uint32_t>(keys, r.rows) + "," + digestOf<uint32_t>(values, r.rows)));
}

static std::string pairs32(Request &r) {
	r.begin(0);
	return sortPairs(r, 32);
}

// partition sorts pairs of i32 by the lowest bits of the keys.
static std::string partition(Request &r) {
	r.begin(1);
	return sortPairs(r, (int)r.arguments[0]);
}

template <class Key> static std::string sortKeys(Request &r) {
	r.begin(0);
	Column<Key> key(r);
	Memory keys(r.rows * sizeof(Key));
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		return cub::DeviceRadixSort::SortKeys(scratch, bytes, key.data(), keys.as<Key>(), r.rows);
	});
	return answer(times, columns(digestOf<Key>(keys, r.rows)));
}

struct Widen {
	__host__ __device__ int64_t operator()(int32_t x) const { return x; }
};
struct AddLong {
	__host__ __device__ int64_t operator()(int64_t a, int64_t b) const { return a + b; }
};

static std::string sumsAndCounts(Memory &out, long long groups) {
	return digest(Second<int64_t>{out.as<Pair<int64_t>>()}, groups) + "," + digest(First<int64_t>{out.as<Pair<int64_t>>()}, groups);
}

// grouped sorts the rows, then reduces those of equal keys to a T; results are digests of these.
template <class T, class Make, class Combine, class Results> static std::string grouped(Request &r, Make make, Combine combine, Results results) {
	r.begin(0);
	Column<int32_t> key(r), value(r);
	// Values move as u32, as row numbers do: one kernel less for nvcc to compile.
	Memory sortedKeys(r.rows * 4ull), sortedValues(r.rows * 4ull), keys(r.rows * 4ull), out(r.rows * sizeof(T)), found(8);
	auto values = thrust::make_transform_iterator(sortedValues.as<int32_t>(), make);
	auto times = cubTimed(r.repeat, [&](void *scratch, size_t &bytes) {
		size_t sorting = bytes, reducing = bytes;
		cudaError_t e = cub::DeviceRadixSort::SortPairs(scratch, sorting, key.data(), sortedKeys.as<int32_t>(), value.as<uint32_t>(), sortedValues.as<uint32_t>(), r.rows);
		if (e != cudaSuccess) return e;
		e = cub::DeviceReduce::ReduceByKey(scratch, reducing, sortedKeys.as<int32_t>(), keys.as<int32_t>(), values, out.as<T>(), found.as<int>(), combine, r.rows);
		bytes = sorting > reducing ? sorting : reducing;
		return e;
	});
	long long groups = count(found);
	return answer(times, columns(digestOf<int32_t>(keys, groups) + "," + results(out, groups)));
}

static std::string respond(Request &r) {
	if (r.name == "copy") return copy(r);
	if (r.name == "scan") return scan<int32_t>(r);
	if (r.name == "scan64") return scan<int64_t>(r);
	if (r.name == "filter") return filter(r);
	if (r.name == "filter2") return filterByOthers(r);
	if (r.name == "count") return countRuns(r);
	if (r.name == "sum") return pairs<int64_t>(r, OneAndValue{}, AddPairs{});
	if (r.name == "sum32") return sum32(r);
	if (r.name == "extremes") return pairs<int32_t>(r, Twice{}, Extremes{});
	if (r.name == "bytes") return histogram<uint8_t>(r);
	if (r.name == "bins") return histogram<int32_t>(r);
	if (r.name == "q6") return q6(r);
	if (r.name == "order32") return order<int32_t>(r);
	if (r.name == "order64") return order<double>(r);
	if (r.name == "pairs32") return pairs32(r);
	if (r.name == "partition") return partition(r);
	if (r.name == "keys32") return sortKeys<uint32_t>(r);
	if (r.name == "keys64") return sortKeys<uint64_t>(r);
	if (r.name == "groups") return grouped<Pair<int64_t>>(r, OneAndValue{}, AddPairs{}, sumsAndCounts);
	if (r.name == "groupsums") return grouped<int64_t>(r, Widen{}, AddLong{}, digestOf<int64_t>);
	throw std::runtime_error("no such command");
}

int main() {
	std::string line;
	while (std::getline(std::cin, line)) {
		Request r;
		r.rest.str(line);
		r.rest >> r.name;
		std::string text;
		try {
			text = respond(r);
		} catch (const std::exception &e) {
			text = std::string("{\"error\":\"") + e.what() + "\"}";
		}
		std::cout << text << std::endl;
	}
}

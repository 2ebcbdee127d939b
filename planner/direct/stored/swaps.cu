// The swaps of swaps_test.go on a GPU: the same random numbers, the same swaps, the same results.
//
//	nvcc -O3 -arch=native -o swaps planner/direct/stored/swaps.cu
//	./swaps 480 256 200000 <planner/direct/stored/swaps.txt >swapped.txt
//	go test ./planner/direct/stored -run TestSwaps -swapped $PWD/swapped.txt
//
// It tries further seeds of all lines, so many in a round, until the seconds are over. The last
// argument is the number of swaps of a seed. A warp carries out the swaps of a seed. Its lanes are
// the nodes of the graph; a lane holds the ends of its node's circuits and, for every step, the
// shards that its node has. It writes, for every line, its first four words, the seeds tried, the
// least time of the busiest circuits in 420ths of a shard, or -1, and the first seed that takes
// it. The go command runs that seed again and adds the swaps to the file.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

using Word = unsigned long long;

constexpr unsigned everyone = 0xffffffff;
constexpr int part = 420;      // a shard in units of load: up to seven circuits divide it evenly
constexpr int patience = 4000; // swaps without success after which a search restarts
constexpr int mostPorts = 224; // 32 nodes of seven ports
constexpr int warps = 4;       // of a block

enum Way { oneWay, twoWay, gather };

// PCG-DXSM as in Go's math/rand/v2. All lanes draw the same numbers.
struct Random {
	Word hi, lo;
	__device__ Word next() {
		constexpr Word mulHi = 2549297995355413924ull, mulLo = 4865540595714422341ull;
		constexpr Word incHi = 6364136223846793005ull, incLo = 1442695040888963407ull;
		Word high = __umul64hi(lo, mulLo) + hi * mulLo + lo * mulHi;
		Word low = lo * mulLo + incLo;
		hi = high + incHi + (low < incLo);
		lo = low;
		Word x = hi;
		x ^= x >> 32;
		x *= 0xda942042e4dd58b5ull;
		x ^= x >> 48;
		return x * (lo | 1);
	}
	// below returns a number below n.
	__device__ int below(Word n) {
		if ((n & (n - 1)) == 0) return int(next() & (n - 1));
		Word x = next(), low = x * n;
		if (low < n) {
			Word least = (0 - n) % n;
			while (low < least) x = next(), low = x * n;
		}
		return int(__umul64hi(x, n));
	}
};

struct Loads {
	int missing, time, sum;
	__device__ bool less(const Loads &o) const {
		if (missing != o.missing) return missing < o.missing;
		if (time != o.time) return time < o.time;
		return sum < o.sum;
	}
};

// Search is the search of one warp: degree D, T steps, way W.
template <int D, int T, int W> struct Search {
	int nodes, ports, lane;
	uint8_t *mate;    // of each port, in shared memory; written by lane 0
	Random random;

	// Ends holds the nodes at the other ends of this lane's circuits, a byte each.
	using Ends = std::conditional_t<(D > 4), Word, unsigned>;
	Ends out, in;

	__device__ static void set(Ends &ends, int i, int node) {
		ends = (ends & ~(Ends(255) << 8 * i)) | Ends(node) << 8 * i;
	}

	__device__ void lead(int a, int b) {
		if (lane == 0) {
			mate[a] = b;
			if (W == twoWay) mate[b] = a;
		}
		if (lane == a / D) set(out, a % D, b / D);
		if (lane == b / D) set(W == twoWay ? out : in, b % D, a / D);
	}

	// draw sets up random circuits. It reports whether none leads from a node to itself.
	__device__ bool draw(uint8_t *order) {
		if (lane == 0)
			for (int i = 0; i < ports; i++) order[i] = i;
		for (int i = ports - 1; i > 0; i--) {
			int j = random.below(i + 1);
			if (lane == 0) {
				uint8_t x = order[i];
				order[i] = order[j];
				order[j] = x;
			}
		}
		__syncwarp();
		if (W == twoWay) {
			int i = 0;
			for (; i + 1 < ports; i += 2) lead(order[i], order[i + 1]);
			if (i < ports) lead(order[i], order[i]);
		} else {
			for (int i = 0; i < ports; i++) lead(i, order[i]);
		}
		__syncwarp();
		bool loops = false;
		for (int a = lane; a < ports; a += 32) loops |= a / D == mate[a] / D && !(W == twoWay && mate[a] == a);
		return !__any_sync(everyone, loops);
	}

	// exchange is its own inverse.
	__device__ void exchange(int a, int b) {
		int ma = mate[a], mb = mate[b];
		__syncwarp();
		if (W == twoWay && ma == a) {
			lead(a, mb);
			lead(b, b);
		} else if (W == twoWay && mb == b) {
			lead(b, ma);
			lead(a, a);
		} else {
			lead(a, mb);
			lead(b, ma);
		}
		__syncwarp();
	}

	__device__ bool swap(int &a, int &b) {
		a = random.below(ports), b = random.below(ports);
		int u = a / D, v = b / D, ma = mate[a], mb = mate[b], to = ma / D, other = mb / D;
		if (a == b || (W == twoWay && ma == b)) return false;
		if (W == twoWay && (ma == a || mb == b)) {
			if (u == v || u == other || v == to) return false;
		} else if (u == other || v == to || to == other || u == v) {
			return false;
		}
		exchange(a, b);
		return true;
	}

	// spread returns the number of shards of this lane that do not arrive.
	__device__ int spread(Ends ends, unsigned (&has)[T + 1]) {
		has[0] = lane < nodes ? 1u << lane : 0;
#pragma unroll
		for (int t = 0; t < T; t++) {
			unsigned all = has[t];
#pragma unroll
			for (int i = 0; i < D; i++) all |= __shfl_sync(everyone, has[t], int(ends >> 8 * i) & 31);
			has[t + 1] = lane < nodes ? all : 0;
		}
		return lane < nodes ? nodes - __popc(has[T]) : 0;
	}

	// busiest returns the load of the busiest circuit into a node.
	__device__ static int busiest(unsigned news, unsigned has, Ends ends) {
		unsigned rest[1 << D];
		rest[0] = news;
		int most = __popc(news) * (part / D);
#pragma unroll
		for (int i = 0; i < D; i++) {
			unsigned others = ~__shfl_sync(everyone, has, int(ends >> 8 * i) & 31);
#pragma unroll
			for (int s = 0; s < 1 << i; s++) {
				unsigned only = rest[s] & others;
				int both = 1 << i | s;
				rest[both] = only;
				int left = D - __popc(both);
				if (left > 0) most = max(most, __popc(only) * (part / left));
			}
		}
		return most;
	}

	__device__ void add(Loads &l, Ends ends, const unsigned (&has)[T + 1], int most) {
		int sum = 0;
#pragma unroll
		for (int t = 0; t < T; t++) {
			int own = busiest(has[t + 1] & ~has[t], has[t], ends);
			sum += own;
			l.time += __reduce_max_sync(everyone, own);
			if (l.time > most) return;
		}
		l.sum += __reduce_add_sync(everyone, sum);
	}

	__device__ Loads worth(const Loads &least) {
		unsigned there[T + 1], back[T + 1];
		int missing = spread(W == twoWay ? out : in, there);
		if (W == oneWay) missing += spread(out, back);
		Loads l = {__reduce_add_sync(everyone, missing), 0, 0};
		if (l.missing > least.missing) return l;
		int most = l.missing < least.missing ? 1 << 30 : least.time;
		add(l, W == twoWay ? out : in, there, most);
		if (W == oneWay && l.time <= most) add(l, out, back, most);
		return l;
	}

	// run returns the least time, or -1.
	__device__ int run(int moves, uint8_t *order) {
		const Loads anything = {1 << 30, 0, 0};
		Loads best = {1, 0, 0}, now = anything;
		for (int i = 0, stale = patience; i < moves; i++) {
			if (stale == patience) {
				while (!draw(order)) {}
				now = worth(anything);
				stale = 0;
			}
			stale++;
			int a, b;
			if (!swap(a, b)) continue;
			Loads after = worth(now);
			if (now.less(after)) {
				exchange(a, b);
				continue;
			}
			if (after.less(now)) stale = 0;
			now = after;
			if (now.less(best)) best = now;
		}
		return best.missing == 0 ? best.time : -1;
	}
};

// best takes the least time and, in its lower half, the first seed that finds it.
template <int D, int T, int W>
__global__ void __launch_bounds__(32 * warps) search(int nodes, int first, int seeds, int moves, Word *best) {
	__shared__ uint8_t mates[warps][mostPorts], orders[warps][mostPorts];
	int warp = threadIdx.x / 32, number = blockIdx.x * warps + warp;
	if (number >= seeds) return;
	Word seed = first + number;
	Search<D, T, W> s;
	s.nodes = nodes, s.ports = nodes * D, s.lane = threadIdx.x % 32;
	s.mate = mates[warp], s.out = s.in = 0;
	s.random = {seed, Word(nodes * 1000 + D * 100 + T)};
	int time = s.run(moves, orders[warp]);
	if (s.lane == 0 && time >= 0) atomicMin(best, Word(time) << 32 | seed);
}

using Kernel = void (*)(int, int, int, int, Word *);

// of returns the kernel for a degree, a number of steps and a way.
template <int D = 2, int T = 2, int W = oneWay> Kernel of(int degree, int steps, int way) {
	constexpr int slowest = D == 2 ? 7 : D == 3 ? 4 : D == 4 ? 3 : 2;
	if constexpr (D > 7 || T > slowest || W > gather) {
		return nullptr;
	} else {
		if (degree != D) return of<T == 2 && W == oneWay ? D + 1 : 8>(degree, steps, way);
		if (steps != T) return of<D, W == oneWay ? T + 1 : 8>(degree, steps, way);
		if (way != W) return of<D, T, W + 1>(degree, steps, way);
		return search<D, T, W>;
	}
}

void check(cudaError_t err) {
	if (err == cudaSuccess) return;
	fprintf(stderr, "swaps: %s\n", cudaGetErrorString(err));
	exit(1);
}

int main(int count, char **arguments) {
	if (count != 4) {
		fprintf(stderr, "usage: swaps SECONDS SEEDS SWAPS <swaps.txt\n");
		return 2;
	}
	int seconds = atoi(arguments[1]), seeds = atoi(arguments[2]), moves = atoi(arguments[3]);
	struct Line {
		std::string words;
		int nodes, first;
		Kernel kernel;
	};
	std::vector<Line> lines;
	char way[16], least[64];
	int nodes, degree, steps;
	Word swaps;
	while (scanf("%15s %d %d %d %llu %63s", way, &nodes, &degree, &steps, &swaps, least) == 6) {
		std::string w = way;
		int kind = w == "one" ? oneWay : w == "two" ? twoWay : gather;
		Kernel kernel = of(degree, kind == gather ? steps : steps / 2, kind);
		if (!kernel || nodes > 32) {
			fprintf(stderr, "swaps: no kernel for %s %d %d %d\n", way, nodes, degree, steps);
			return 1;
		}
		lines.push_back({w + " " + std::to_string(nodes) + " " + std::to_string(degree) + " " + std::to_string(steps), nodes, int(swaps / moves), kernel});
	}
	std::vector<Word> best(lines.size(), ~0ull);
	const size_t bytes = best.size() * sizeof(Word);
	Word *device;
	check(cudaMalloc(&device, bytes));
	check(cudaMemcpy(device, best.data(), bytes, cudaMemcpyHostToDevice));
	std::vector<cudaStream_t> streams(16);
	for (auto &s : streams) check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	const int blocks = (seeds + warps - 1) / warps;
	int tried = 0;
	auto begin = std::chrono::steady_clock::now();
	do {
		for (size_t i = 0; i < lines.size(); i++) {
			const Line &l = lines[i];
			l.kernel<<<blocks, 32 * warps, 0, streams[i % streams.size()]>>>(l.nodes, l.first + tried, seeds, moves, device + i);
			check(cudaGetLastError());
		}
		check(cudaDeviceSynchronize());
		tried += seeds;
		fprintf(stderr, "\r%d seeds of each of %zu lines", tried, lines.size());
	} while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(seconds));
	fprintf(stderr, "\n");
	check(cudaMemcpy(best.data(), device, bytes, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < lines.size(); i++) {
		bool found = best[i] != ~0ull;
		printf("%s %d %d %d\n", lines[i].words.c_str(), tried, found ? int(best[i] >> 32) : -1, found ? int(best[i] & everyone) : 0);
	}
}

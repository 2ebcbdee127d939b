// The search of search_test.go on a GPU, for graphs without a symmetry: the same random numbers, the
// same exchanges, the same graphs. A thread carries out the search of a seed.
//
//	nvcc -O3 -arch=native -o search planner/direct/short/search.cu
//	./search 300000 2 5 43 47 2 6 67 67
//
// The first argument is the number of exchanges, the others are ranges: degree, diameter, first and
// last number of nodes. It tries 264 blocks of seeds for each, then three times as many exchanges
// for those without a graph, and so on. It prints the task (nodes, degree, diameter, turns, moves,
// seed) with seed 0 where it has found none. TestSearch -given "67 2 6 1 300000 5434" runs a task
// again and adds its graph.
#include <cstdio>

using Word = unsigned long long;
using Byte = unsigned char;

// PCG-DXSM as in Go's math/rand/v2.
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

// search looks for a graph; V is the number of words of a set of nodes.
template <int V> __global__ void search(int n, int degree, int diameter, int moves, int seed, int *found) {
	extern __shared__ Word sets[]; // two for every node, interleaved by thread; behind them the ends
	const int threads = blockDim.x, thread = threadIdx.x, circuits = n * degree;
	Byte *ends = (Byte *)(sets + 2 * n * V * threads) + thread;
	seed += blockIdx.x * threads + thread;
	auto set = [&](int which, int v, int w) -> Word & { return sets[((which * n + v) * V + w) * threads + thread]; };
	auto end = [&](int i) -> Byte & { return ends[i * threads]; };
	auto only = [](int v, int w) { return Word(v / 64 == w) << v % 64; };
	Random random{Word(seed), Word(n) << 16 | Word(degree)};
	for (int i = 0; i < circuits; i++) end(i) = ((-degree * (i / degree) - 1 - i % degree) % n + n) % n;
	auto swap = [&](int i, int j) { Byte other = end(i); end(i) = end(j); end(j) = other; };
	if (seed & 1)
		for (int i = circuits - 1; i > 0; i--) swap(i, random.below(i + 1));
	auto tooFar = [&] { // counts the pairs that are too far apart
		int far = n * n, from = 0;
		for (int step = 0; step < diameter; step++, from = 1 - from)
			for (int v = 0; v < n; v++) {
				Word reached[V];
				for (int w = 0; w < V; w++) reached[w] = step ? set(from, v, w) : only(v, w);
				for (int i = v * degree; i < (v + 1) * degree; i++)
					for (int w = 0; w < V; w++) reached[w] |= step ? set(from, end(i), w) : only(end(i), w);
				for (int w = 0; w < V; w++)
					if (step < diameter - 1)
						set(1 - from, v, w) = reached[w];
					else
						far -= __popcll(reached[w]);
			}
		return far;
	};
	int far = tooFar();
	for (int m = 0; m < moves && far > 0; m++) {
		if (m % 1024 == 0 && *(volatile int *)found) return;
		int heat = 9 + (90 - 9) * (long long)(moves - m) / moves;
		int a = random.below(circuits), b = random.below(circuits);
		if (end(a) == end(b) || a / degree == b / degree) continue;
		swap(a, b);
		int next = tooFar();
		if (next <= far || (next - far) * 64 <= heat * (__ffsll(random.next()) - 1))
			far = next;
		else
			swap(a, b);
	}
	if (far == 0) *found = seed;
}

int main(int count, char **words) {
	constexpr int blocks = 264, shared = 113000, most = 128;
	static int tried[most + 1][most]; // seeds, or -1
	int *found, args[100] = {};
	for (int i = 1; i < count && i < 100; i++) sscanf(words[i], "%d", args + i);
	cudaMallocHost(&found, sizeof *found);
	for (long long moves = args[1];; moves *= 3)
		for (int i = 2; i + 3 < count; i += 4)
			for (int n = args[i + 2], d = args[i]; n <= args[i + 3]; n++) {
				int wide = n > 64 ? 2 : 1, threads = 128, bytes, &seeds = tried[n][d];
				if (seeds < 0) continue;
				while ((bytes = threads * n * (d + 16 * wide)) > shared) threads -= 32;
				auto kernel = wide == 2 ? search<2> : search<1>;
				cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
				*found = 0;
				kernel<<<blocks, threads, bytes>>>(n, d, args[i + 1], moves, seeds + 1, found);
				cudaDeviceSynchronize();
				printf("%d %d %d 1 %lld %d\n", n, d, args[i + 1], moves, *found);
				fflush(stdout);
				seeds = *found ? -1 : seeds + blocks * threads;
			}
}

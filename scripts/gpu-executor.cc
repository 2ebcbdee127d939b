// Runs execution plans with MSCCL++'s own executor and checks every element: gpu-executor RANKS LIST.
//
// Every rank is a process; ranks share the GPUs that there are. Each line of LIST is
//
//   NAME COLLECTIVE in|out BYTES REPEATS FILE..
//
// with the bytes of the larger buffer and the programs to run one after the other, on the same
// buffers, all ranks meeting in between. Rank 0 prints a line for each: name, collective, ranks,
// bytes, programs, wrong elements of all ranks, median time in nanoseconds (of rank 0, all programs,
// barriers included).

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mscclpp/core.hpp>
#include <mscclpp/executor.hpp>
#include <mscclpp/gpu_utils.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Job {
  std::string name, collective, place;
  size_t bytes = 0;
  int repeats = 0;
  std::vector<std::string> files;
};

// element i of what a rank begins with; sums of 64 ranks stay below 2^31
int element(int rank, size_t i) { return static_cast<int>((rank * 1000003u + i * 7919u) % 1000003u); }

// What a rank has to hold in the end, element j of its output.
int expected(const std::string& c, int ranks, int rank, size_t block, size_t j) {
  auto sum = [&](size_t i) {
    int total = 0;
    for (int r = 0; r < ranks; r++) total += element(r, i);
    return total;
  };
  if (c == "allreduce" || c == "reduce") return sum(j);
  if (c == "reducescatter") return sum(rank * block + j);
  if (c == "allgather" || c == "gather") return element(static_cast<int>(j / block), j % block);
  if (c == "alltoall") return element(static_cast<int>(j / block), rank * block + j % block);
  if (c == "scatter") return element(0, rank * block + j);
  return element(0, j);  // broadcast
}

size_t inputs(const Job& job, int ranks, int rank, size_t larger) {
  if (job.collective == "allgather" || job.collective == "gather") return larger / ranks;
  if (rank != 0 && (job.collective == "broadcast" || job.collective == "scatter")) return 0;
  return larger;
}

size_t outputs(const Job& job, int ranks, int rank, size_t larger) {
  if (job.collective == "reducescatter" || job.collective == "scatter") return larger / ranks;
  if (rank != 0 && (job.collective == "reduce" || job.collective == "gather")) return 0;
  return larger;
}

// Where the part of a rank begins in a buffer that input and output share.
size_t offset(const Job& job, int rank, size_t larger, size_t part) {
  return part < larger && (job.collective == "allgather" || job.collective == "reducescatter") ? rank * part : 0;
}

struct Rank {
  int rank, ranks;
  std::shared_ptr<mscclpp::TcpBootstrap> bootstrap;
  std::shared_ptr<mscclpp::Executor> executor;

  void run(const Job& job, FILE* out) {
    const bool in_place = job.place == "in";
    const size_t larger = job.bytes / sizeof(int);
    const size_t begins = inputs(job, ranks, rank, larger), ends = outputs(job, ranks, rank, larger);
    auto input = mscclpp::GpuBuffer<int>(larger).memory();
    auto output = in_place ? input : mscclpp::GpuBuffer<int>(larger).memory();
    const size_t in_at = in_place ? offset(job, rank, larger, begins) : 0;
    const size_t out_at = in_place ? offset(job, rank, larger, ends) : 0;
    std::vector<int> host(larger, -1);
    auto fill = [&] {
      std::fill(host.begin(), host.end(), -1);
      MSCCLPP_CUDATHROW(cudaMemcpy(output.get(), host.data(), larger * sizeof(int), cudaMemcpyHostToDevice));
      for (size_t i = 0; i < begins; i++) host[in_at + i] = element(rank, i);
      MSCCLPP_CUDATHROW(cudaMemcpy(input.get(), host.data(), larger * sizeof(int), cudaMemcpyHostToDevice));
      MSCCLPP_CUDATHROW(cudaDeviceSynchronize());
      bootstrap->barrier();
    };
    std::vector<mscclpp::ExecutionPlan> plans;
    for (const auto& file : job.files) plans.emplace_back(file, rank);
    mscclpp::CudaStreamWithFlags stream(cudaStreamNonBlocking);
    int* from = input.get() + in_at;
    int* to = output.get() + out_at;
    const size_t send = (begins ? begins : larger) * sizeof(int), receive = (ends ? ends : larger) * sizeof(int);
    auto once = [&] {
      for (size_t k = 0; k < plans.size(); k++) {
        if (k > 0) bootstrap->barrier();
        executor->execute(rank, from, to, send, receive, mscclpp::DataType::INT32, plans[k], stream);
        MSCCLPP_CUDATHROW(cudaStreamSynchronize(stream));
      }
    };
    fill();
    once();
    bootstrap->barrier();
    MSCCLPP_CUDATHROW(cudaMemcpy(host.data(), output.get(), larger * sizeof(int), cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (size_t j = 0; j < ends; j++) wrong += host[out_at + j] != expected(job.collective, ranks, rank, larger / ranks, j);
    std::vector<long> all(ranks);
    all[rank] = wrong;
    bootstrap->allGather(all.data(), sizeof(long));
    std::vector<double> times;
    for (int k = 0; k < job.repeats; k++) {
      fill();
      auto start = std::chrono::steady_clock::now();
      once();
      times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    }
    if (rank == 0) {
      long total = 0;
      for (long w : all) total += w;
      std::sort(times.begin(), times.end());
      std::fprintf(out, "%s,%s,%d,%zu,%zu,%ld,%.0f\n", job.name.c_str(), job.collective.c_str(), ranks, job.bytes, job.files.size(), total,
                   times.empty() ? 0.0 : times[times.size() / 2]);
      std::fflush(out);
    }
    bootstrap->barrier();
    executor->reset();
    bootstrap->barrier();
  }
};

int member(int rank, int ranks, const std::string& meet, const std::vector<Job>& jobs) {
  int gpus = 0;
  MSCCLPP_CUDATHROW(cudaGetDeviceCount(&gpus));
  MSCCLPP_CUDATHROW(cudaSetDevice(rank % gpus));
  Rank r{rank, ranks, std::make_shared<mscclpp::TcpBootstrap>(rank, ranks), nullptr};
  r.bootstrap->initialize(meet, 120);
  r.executor = std::make_shared<mscclpp::Executor>(std::make_shared<mscclpp::Communicator>(r.bootstrap));
  for (const auto& job : jobs) r.run(job, stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s RANKS LIST\n", argv[0]);
    return 2;
  }
  const int ranks = std::atoi(argv[1]);
  std::ifstream list(argv[2]);
  if (ranks < 2 || !list) {
    std::fprintf(stderr, "%s: want 2 ranks or more, and a list that can be read\n", argv[0]);
    return 2;
  }
  std::vector<Job> jobs;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    Job job;
    if (!(words >> job.name >> job.collective >> job.place >> job.bytes >> job.repeats)) continue;
    for (std::string file; words >> file;) job.files.push_back(file);
    jobs.push_back(job);
  }
  const std::string meet = "lo:127.0.0.1:" + std::to_string(20000 + getpid() % 20000);
  std::vector<pid_t> started;
  for (int rank = 0; rank < ranks; rank++) {
    pid_t pid = fork();
    if (pid == 0) {
      try {
        std::_Exit(member(rank, ranks, meet, jobs));
      } catch (const std::exception& e) {
        std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
        std::_Exit(1);
      }
    }
    started.push_back(pid);
  }
  int bad = 0;
  for (size_t k = 0; k < started.size(); k++) {
    int status = 0;
    pid_t ended = waitpid(-1, &status, 0);
    if (status != 0 && !bad) {
      bad = 1;
      for (pid_t other : started)
        if (other != ended) kill(other, SIGKILL);  // they would wait for it
    }
  }
  return bad;
}

#include "Runtime/Cpus.h"
#include <algorithm>
#include <fstream>
#include <limits>
#include <sched.h>
#include <sstream>
#include <thread>
#include <vector>

namespace clika {
namespace {

/// The least quota of the groups from `path` up to the root of the hierarchy mounted at `mount`; infinite for none.
class QuotaSearch {
public:
  void version2(const std::string &mount, std::string path) {
    forEachLevel(mount, std::move(path), [&](const std::string &folder) {
      std::ifstream file(folder + "/cpu.max");
      double quota, period;
      // "max" in place of a number: no limit.
      if (file >> quota >> period)
        add(quota, period);
    });
  }

  void version1(const std::string &mount, std::string path) {
    forEachLevel(mount, std::move(path), [&](const std::string &folder) {
      std::ifstream quotaFile(folder + "/cpu.cfs_quota_us"), periodFile(folder + "/cpu.cfs_period_us");
      double quota, period;
      if (quotaFile >> quota && periodFile >> period)
        add(quota, period);
    });
  }

  unsigned cpus() const {
    if (least == kNone)
      return 0;
    return static_cast<unsigned>(std::clamp(least, 1.0, 65536.0));
  }

private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  template <typename Visit>
  static void forEachLevel(const std::string &mount, std::string path, Visit visit) {
    for (;;) {
      visit(mount + path);
      std::size_t slash = path.find_last_of('/');
      if (slash == std::string::npos)
        return;
      path.resize(slash);
    }
  }

  void add(double quota, double period) {
    if (quota > 0 && period > 0)
      least = std::min(least, quota / period);
  }

  double least = kNone;
};

bool hasController(const std::string &list, const std::string &name) {
  std::istringstream stream(list);
  for (std::string one; std::getline(stream, one, ',');)
    if (one == name)
      return true;
  return false;
}

unsigned affinityCpus() {
  // Machines with more CPUs than a cpu_set_t holds need a larger one.
  for (std::size_t cpus = CPU_SETSIZE; cpus <= (std::size_t(1) << 16); cpus *= 2) {
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (!set)
      break;
    int count = sched_getaffinity(0, CPU_ALLOC_SIZE(cpus), set) == 0 ? CPU_COUNT_S(CPU_ALLOC_SIZE(cpus), set) : 0;
    CPU_FREE(set);
    if (count > 0)
      return static_cast<unsigned>(count);
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace

unsigned cpuQuota(const std::string &root) {
  QuotaSearch search;
  std::ifstream groups(root + "/proc/self/cgroup");
  // Each line: hierarchy:controllers:path; the one of version 2 has neither number nor controllers.
  for (std::string line; std::getline(groups, line);) {
    std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    while (!path.empty() && path.back() == '/')
      path.pop_back();
    if (controllers.empty()) {
      search.version2(root + "/sys/fs/cgroup", path);
      search.version2(root + "/sys/fs/cgroup/unified", path);
    } else if (hasController(controllers, "cpu")) {
      search.version1(root + "/sys/fs/cgroup/cpu", path);
      search.version1(root + "/sys/fs/cgroup/cpu,cpuacct", path);
    }
  }
  return search.cpus();
}

unsigned availableCpus() {
  unsigned cpus = affinityCpus(), quota = cpuQuota("");
  return quota ? std::min(cpus, quota) : cpus;
}

} // namespace clika

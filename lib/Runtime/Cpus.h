// How many CPUs this process may keep busy.
#pragma once
#include <string>

namespace clika {

/// The CPUs of this thread's affinity mask, or fewer where the process's container has a quota of CPU time; at least 1.
unsigned availableCpus();

/// The whole CPUs that control groups (v2 and v1) grant the process, read below `root`; 0: no limit is set.
unsigned cpuQuota(const std::string &root);

} // namespace clika

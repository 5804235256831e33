#include "report.h"

#include <initializer_list>
#include <map>
#include <vector>

namespace cudaemu {
namespace {

constexpr std::size_t most_reports = 32;
std::vector<std::string> lines;
std::vector<std::int64_t> counts;
std::map<std::string, std::size_t> known;

}  // namespace

void report(const char *kind, std::initializer_list<std::int64_t> numbers, unsigned unique) {
  std::string line = kind, key;
  unsigned i = 0;
  for (std::int64_t n : numbers) {
    line += ' ' + std::to_string(n);
    if (++i == unique) key = line;
  }
  if (unique == 0) key = kind;
  auto [at, added] = known.emplace(key, lines.size());
  if (!added) {
    counts[at->second]++;
  } else if (lines.size() < most_reports) {
    lines.push_back(line);
    counts.push_back(1);
  } else {
    known.erase(at);
  }
}

void clear_reports() {
  lines.clear();
  counts.clear();
  known.clear();
}

bool enough_reports() { return lines.size() >= most_reports; }

std::string reports() {
  std::string all;
  for (std::size_t i = 0; i < lines.size(); i++) all += lines[i] + ' ' + std::to_string(counts[i]) + '\n';
  return all;
}

}  // namespace cudaemu

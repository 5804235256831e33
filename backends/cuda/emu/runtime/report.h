// Reports: what is wrong with a launch, as words and numbers that the Go side
// puts into sentences.
#pragma once
#include <cstdint>
#include <string>

namespace cudaemu {

// report adds "KIND NUMBER..."; what repeats an earlier one in its kind and the
// first unique numbers is counted only.
void report(const char *kind, std::initializer_list<std::int64_t> numbers, unsigned unique);
void clear_reports();
bool enough_reports();
// reports are a line each, in order, ending with how often it happened.
std::string reports();

}  // namespace cudaemu

// Finds the first collective at which the ranks of a communicator disagree, from the digests of their streams.
#pragma once

#include "job/job_model.h"

namespace ncclwhy {

// "AllReduce count 65536 float32 sum".
std::string DescribeCall(const CollectiveCall& call);
// "float32", "sum"; the number itself when it is not one of NCCL's.
std::string DatatypeName(uint8_t datatype);
std::string ReductionName(uint8_t op);

// The call of this number, from 0; null when the window that is kept of the stream does not hold it.
const CollectiveCall* CallAt(const CollectiveStream& s, uint64_t index);

// Sets c.divergence. Streams of different length are not a divergence by themselves: a log may be cut.
void CompareCollectives(Communicator& c);

}  // namespace ncclwhy

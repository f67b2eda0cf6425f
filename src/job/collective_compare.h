// Finds the first collective at which the ranks of a communicator disagree, from the digests of their streams.
#pragma once

#include "job/job_model.h"

namespace ncclwhy {

// "AllReduce count 65536 float32 sum", "Broadcast count 1 int64 root 0": as reports print it. Elements, not bytes.
std::string DescribeCall(const CollectiveCall& call);
// "float32", "sum"; the number itself when it is not one of NCCL's.
std::string DatatypeName(uint8_t datatype);
std::string ReductionName(uint8_t op);

// The call of this number, from 0; null when the window that is kept of the stream does not hold it, or its line was
// lost. Valid as long as the stream.
const CollectiveCall* CallAt(const CollectiveStream& s, uint64_t index);

// Sets c.divergence, for which the ranks' streams must be set. Streams of different length are not a divergence by
// themselves: a log may be cut. What every rank has to call alike is the operation, count, type, reduction and root;
// the majority is right, and of two halves the one that does what it did in the rounds before.
void CompareCollectives(Communicator& c);

}  // namespace ncclwhy

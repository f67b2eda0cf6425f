// Questions to the timeline of SampleJob, and their answers.
#pragma once

namespace ncclwhy {

inline constexpr struct {
  const char* sql;
  const char* rows;
} kQueries[] = {
    {"SELECT id, name, bytes, lines, nccl_lines, foreign_lines FROM source ORDER BY id",
     "0|rank0.log|1600|20|18|0\n1|rank1.log|1600|0|0|0"},
    {"SELECT id, host, pid, rank, warns, aborted, last_line, last_text, pod FROM process ORDER BY id",
     "0|node-a|100|0|0|0|19|last|-\n1|node-b\\xff|200|1|1|1|19|last|-"},
    {"SELECT id, comm_id, nranks, ranks_seen, stage, aborted, divergence_kind, divergence_index, minority, parent "
     "FROM communicator",
     "0|0x1f|3|2|running|1|count|3|[1]|-"},
    {"SELECT rank, process, host, pid, seen, stage, init_start_line, init_complete_line, collectives, "
     "bootstrap_seconds "
     "FROM rank ORDER BY rank",
     "0|0|node-a|100|1|running|3|-|100|0.25\n1|1|node-b\\xff|200|1|aborted|4|-|3|0.25\n2|-|-|-|0|none|-|-|-|-"},
    {"SELECT source, line, kind, level, process, rank, communicator, subsystem, dialect FROM event ORDER BY id",
     "0|3|comm_init_start|INFO|0|0|0|INIT|nccl\n1|4|comm_init_start|INFO|1|1|0|INIT|nccl\n"
     "1|9|ib_completion|WARN|1|1|-|NET|nccl\n1|12|signal|-|-|-|-|-|slurm"},
    {"SELECT fields FROM event WHERE kind = 'comm_init_start' AND rank = 0",
     "{\"comm\":\"0xaa\",\"rank\":0,\"comm_id\":\"0x1f\"}"},
    {"SELECT fields->>'status' + 1, fields->>'address', message FROM event WHERE fields->>'status' = 12",
     "13|a\"\\\n\\xfd|Got completion \"x\"\t\\xfe status=12"},
    {"SELECT communicator, from_rank, to_rank, transport, gdr, channels, line FROM connection",
     "0|0|1|NET/IB/GDRDMA|1|4|8"},
    {"SELECT rank, host, variable, value, line FROM environment ORDER BY rank",
     "0|node-a|NCCL_DEBUG|INFO|2\n1|node-b\\xff|NCCL_DEBUG|INFO|2"},
    {"SELECT rank, count(*), min(seq), max(seq), max(count), max(line) FROM collective WHERE operation = 'AllReduce' "
     "GROUP BY rank",
     "0|64|36|99|1099|109\n1|3|0|2|1002|12"},
    {"SELECT communicator, rank, process, seq, root, datatype, op FROM collective WHERE operation = 'Send' AND rank = "
     "1",
     "0|1|1|0|1|int8|sum"},
    {"SELECT datatype, op, op_count FROM collective WHERE rank = 1 AND seq = 2 AND operation <> 'Send'",
     "float32|sum|2"},
    {"SELECT source, counter, value, loss FROM coverage ORDER BY 1, 2",
     "0|clipped_lines|2|1\n0|lines|20|0\n0|nccl|18|0"},
};

}  // namespace ncclwhy

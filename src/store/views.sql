-- The public, documented names (README.md). Columns are only added within one major version of ncclwhy.
CREATE VIEW source AS
  SELECT s.id, s.name, s.bytes,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'lines'), 0) AS lines,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'nccl'), 0) AS nccl_lines,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'recognised'), 0) AS recognised,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'unrecognised'), 0) AS unrecognised,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'foreign'), 0) AS foreign_lines,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'damaged'), 0) AS damaged
  FROM _source s;

CREATE VIEW process AS
  SELECT id, host, pod, pid, launcher_rank, rank, gpu, bus_id, nccl_version, cuda_version, driver_version,
    bootstrap_interface, bootstrap_address, network, net_interface, net_address, net_devices, lines, warns,
    first_source, first_line, last_source, last_line, last_text, last_torn, aborted, destroyed, log_just_ends, job
  FROM _process;

CREATE VIEW communicator AS
  SELECT id, comm_id, nranks, nnodes, ranks_seen, stage, parent, aborted, destroyed, divergence_kind,
    divergence_index, expected, found_instead, minority
  FROM _communicator;

CREATE VIEW rank AS
  SELECT r.communicator, r.rank, r.process, r.comm, r.host, p.pid AS pid, r.seen, r.nranks, r.stage, r.stage_order,
    r.aborted, r.destroyed, r.cuda_dev, r.nvml_dev, r.bus_id, r.local_rank, r.collectives, r.p2p_calls,
    r.bootstrap_seconds, r.init_source, r.init_start_line, r.init_complete_line, r.last_source, r.last_line,
    r.last_text, r.divergence_line, r.completed
  FROM _rank r LEFT JOIN _process p ON p.id = r.process;

CREATE VIEW event AS
  SELECT e.id, e.source, e.line, e.offset, e.time, p.host AS host, p.pid AS pid, e.tid, e.device, e.process,
    p.rank AS rank, e.communicator, e.level, e.subsystem, e.kind, e.file, e.file_line, e.message, e.fields, e.dialect
  FROM _event e LEFT JOIN _process p ON p.id = e.process;

CREATE VIEW connection AS
  SELECT communicator, from_rank, to_rank, transport, device, gdr, channels, source, line, id, process, direction,
    from_host, to_host, text
  FROM _connection;

CREATE VIEW trait AS
  SELECT t.process, p.rank AS rank, p.host AS host, t.trait, t.value, t.source, t.line
  FROM _trait t LEFT JOIN _process p ON p.id = t.process;

CREATE VIEW hardware AS
  SELECT id, host, kind, value, source, line, text FROM _hardware;

CREATE VIEW difference AS
  SELECT kind, name, groups_en, groups_zh, common, ranks, set_values, must_agree, rank, host, source, line, text
  FROM _difference;

CREATE VIEW doubtful_setting AS
  SELECT d.variable, d.value, d.problem, d.nearest, d.first, d.last, d.replaced_by, d.values_en, d.values_zh,
    d.text_en, d.text_zh, d.process, p.rank AS rank, p.host AS host, d.source, d.line, d.text
  FROM _doubtful_setting d LEFT JOIN _process p ON p.id = d.process;

CREATE VIEW environment AS
  SELECT v.process, p.rank AS rank, p.host AS host, v.variable, v.value, v.source, v.line
  FROM _environment v LEFT JOIN _process p ON p.id = v.process;

CREATE VIEW collective AS
  SELECT communicator, rank, process, source, line, seq, operation, count, datatype, op, root, op_count
  FROM _collective;

CREATE VIEW finding AS
  SELECT id, rule, role, cause, log_odds, causes, source, line, process, rank, host, text, repeats, fields
  FROM _finding;

CREATE VIEW cause AS
  SELECT position, id, title, confidence, summary, culprits, why_not FROM _cause;

CREATE VIEW coverage AS
  SELECT source, counter, value, loss, meaning FROM _coverage;

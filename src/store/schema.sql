-- The timeline. Views are the public, documented names (README.md): their columns are only added within one major version.
-- Tables begin with an underscore, are private and may change with every version (PRAGMA user_version says which one a
-- file has). A view stands behind the last table that it reads. NULL means: not known.
CREATE TABLE _source (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE _process (
  id INTEGER PRIMARY KEY, host TEXT, pod TEXT, pid INTEGER, launcher_rank INTEGER, rank INTEGER, gpu INTEGER,
  bus_id TEXT, nccl_version TEXT, cuda_version TEXT, driver_version TEXT, bootstrap_interface TEXT,
  bootstrap_address TEXT, network TEXT, net_interface TEXT, net_address TEXT, net_devices TEXT,
  lines INTEGER NOT NULL, warns INTEGER NOT NULL, first_source INTEGER, first_line INTEGER, last_source INTEGER,
  last_line INTEGER, last_text TEXT, last_torn INTEGER NOT NULL, aborted INTEGER NOT NULL, destroyed INTEGER NOT NULL,
  log_just_ends INTEGER NOT NULL, job INTEGER
) STRICT;

CREATE VIEW process AS
  SELECT id, host, pod, pid, launcher_rank, rank, gpu, bus_id, nccl_version, cuda_version, driver_version,
    bootstrap_interface, bootstrap_address, network, net_interface, net_address, net_devices, lines, warns,
    first_source, first_line, last_source, last_line, last_text, last_torn, aborted, destroyed, log_just_ends, job
  FROM _process;

CREATE TABLE _communicator (
  id INTEGER PRIMARY KEY, comm_id TEXT, nranks INTEGER, nnodes INTEGER, ranks_seen INTEGER NOT NULL,
  stage TEXT NOT NULL, parent INTEGER, aborted INTEGER NOT NULL, destroyed INTEGER NOT NULL, divergence_kind TEXT,
  divergence_index INTEGER, expected TEXT, found_instead TEXT, minority TEXT, tied INTEGER NOT NULL
) STRICT;

CREATE VIEW communicator AS
  SELECT id, comm_id, nranks, nnodes, ranks_seen, stage, parent, aborted, destroyed, divergence_kind,
    divergence_index, expected, found_instead, minority, tied
  FROM _communicator;

CREATE TABLE _rank (
  id INTEGER PRIMARY KEY, communicator INTEGER NOT NULL, rank INTEGER NOT NULL, process INTEGER, comm TEXT, host TEXT,
  seen INTEGER NOT NULL, nranks INTEGER, stage TEXT NOT NULL, stage_order INTEGER NOT NULL, aborted INTEGER NOT NULL,
  destroyed INTEGER NOT NULL, cuda_dev INTEGER, nvml_dev INTEGER, bus_id TEXT, local_rank INTEGER,
  collectives INTEGER, p2p_calls INTEGER, bootstrap_seconds REAL, init_source INTEGER, init_start_line INTEGER,
  init_complete_line INTEGER, last_source INTEGER, last_line INTEGER, last_text TEXT, divergence_line INTEGER, completed INTEGER,
  last_call_line INTEGER
) STRICT;

CREATE VIEW rank AS
  SELECT r.communicator, r.rank, r.process, r.comm, r.host, p.pid AS pid, r.seen, r.nranks, r.stage, r.stage_order,
    r.aborted, r.destroyed, r.cuda_dev, r.nvml_dev, r.bus_id, r.local_rank, r.collectives, r.p2p_calls,
    r.bootstrap_seconds, r.init_source, r.init_start_line, r.init_complete_line, r.last_source, r.last_line,
    r.last_text, r.divergence_line, r.completed, r.last_call_line
  FROM _rank r LEFT JOIN _process p ON p.id = r.process;

CREATE TABLE _event (
  id INTEGER PRIMARY KEY, source INTEGER NOT NULL, line INTEGER NOT NULL, offset INTEGER NOT NULL, time TEXT,
  process INTEGER, tid INTEGER, device INTEGER, communicator INTEGER, level TEXT, subsystem TEXT, kind TEXT NOT NULL,
  file TEXT, file_line INTEGER, message TEXT, fields TEXT NOT NULL, dialect TEXT NOT NULL
) STRICT;

CREATE VIEW event AS
  SELECT e.id, e.source, e.line, e.offset, e.time, p.host AS host, p.pid AS pid, e.tid, e.device, e.process,
    p.rank AS rank, e.communicator, e.level, e.subsystem, e.kind, e.file, e.file_line, e.message, e.fields, e.dialect
  FROM _event e LEFT JOIN _process p ON p.id = e.process;

CREATE TABLE _stack (
  id INTEGER PRIMARY KEY, source INTEGER NOT NULL, line INTEGER NOT NULL, text TEXT, process INTEGER,
  owner TEXT NOT NULL, rank INTEGER, host TEXT, pid INTEGER, thread TEXT, function TEXT, frames TEXT NOT NULL,
  program TEXT
) STRICT;

-- Whoever stands in such a frame waits for other ranks; `starts`: in the set-up of NCCL; `other`: a launcher, a worker
-- of a data loader, a server's loop.
CREATE VIEW stack AS
  SELECT id, source, line, text, process, owner, rank, host, pid, thread, function, frames, program,
    row_number() OVER (PARTITION BY owner ORDER BY thread IN ('MainThread','Thread 1') DESC, id DESC) = 1 AS main,
    ((' < ' || frames) GLOB '* < all_reduce*' OR frames LIKE '%all_gather%' OR frames LIKE '%reduce_scatter%'
      OR frames LIKE '%all_to_all%' OR (' < ' || frames) GLOB '* < barrier (*'
      OR (' < ' || frames) GLOB '* < broadcast (*' OR (' < ' || frames) GLOB '* < broadcast_object_list (*'
      OR (' < ' || frames) GLOB '* < synchronize (*streams.py*'
      OR (' < ' || frames) GLOB '* < synchronize (*cuda/__init__.py*' OR frames LIKE '%ncclGroupEnd%'
      OR frames LIKE '%ncclAll%' OR frames LIKE '%ncclReduce%' OR frames LIKE '%ncclBroadcast%'
      OR frames LIKE '%ProcessGroupNCCL::%wait%' OR frames LIKE '%cudaStreamSynchronize%'
      OR frames LIKE '%cuStreamSynchronize%' OR frames LIKE '%cudaEventSynchronize%'
      OR frames LIKE '%hipStreamSynchronize%' OR frames LIKE '%hipEventSynchronize%'
      OR frames LIKE '%aclrtSynchronize%' OR frames LIKE '%block_until_ready%'
      OR (' < ' || frames) GLOB '* < _value (jax/*' OR frames LIKE '%MPI_All%' OR frames LIKE '%MPI_Barrier%'
      OR frames LIKE '%MPI_Bcast%' OR frames LIKE '%MPI_Reduce%' OR frames LIKE '%/distributed_c10d.py%'
      OR frames LIKE '%horovod/torch/mpi_ops.py%' OR frames LIKE '%unshard (%fsdp/%'
      OR frames LIKE '%_functional_collectives.py%') AS waits,
    (frames GLOB '*bootstrap[A-Z]*' OR frames LIKE '%ncclCommInitRank%' OR frames LIKE '%ncclTransportP2pSetup%')
      AS starts,
    (frames LIKE '%launch_agent%' OR frames LIKE '%_invoke_run%' OR frames LIKE '%_worker_loop%'
      OR frames LIKE '%compile_worker/__main__%' OR frames LIKE '%resource_tracker.py%'
      OR frames LIKE '%forkserver.py%' OR frames LIKE '%uvicorn%' OR frames LIKE '%zmq/sugar%') AS other
  FROM _stack;

CREATE TABLE _connection (
  id INTEGER PRIMARY KEY, communicator INTEGER, from_rank INTEGER, to_rank INTEGER, transport TEXT, device TEXT,
  gdr INTEGER NOT NULL, channels INTEGER NOT NULL, source INTEGER, line INTEGER, process INTEGER, direction TEXT,
  from_host TEXT, to_host TEXT, text TEXT
) STRICT;

CREATE VIEW connection AS
  SELECT communicator, from_rank, to_rank, transport, device, gdr, channels, source, line, id, process, direction,
    from_host, to_host, text
  FROM _connection;

CREATE TABLE _trait (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, trait TEXT NOT NULL, value TEXT NOT NULL, source INTEGER,
  line INTEGER
) STRICT;

CREATE VIEW trait AS
  SELECT t.process, p.rank AS rank, p.host AS host, t.trait, t.value, t.source, t.line
  FROM _trait t LEFT JOIN _process p ON p.id = t.process;

CREATE TABLE _progress (
  id INTEGER PRIMARY KEY, process INTEGER, name TEXT, source INTEGER NOT NULL, first_line INTEGER NOT NULL,
  anew_line INTEGER NOT NULL, last_line INTEGER NOT NULL, beats INTEGER NOT NULL, first_value REAL NOT NULL,
  last_value REAL NOT NULL, total REAL, first_time TEXT, last_time TEXT
) STRICT;

CREATE VIEW progress AS
  SELECT g.process, p.rank AS rank, p.host AS host, g.name, g.source, g.first_line, g.anew_line, g.last_line, g.beats,
    g.first_value, g.last_value, g.total, g.first_time, g.last_time
  FROM _progress g LEFT JOIN _process p ON p.id = g.process;

CREATE TABLE _complaint (
  id INTEGER PRIMARY KEY, source INTEGER NOT NULL, line INTEGER NOT NULL, process INTEGER, text TEXT NOT NULL
) STRICT;

CREATE VIEW complaint AS
  SELECT c.source, c.line, c.process, p.rank AS rank, p.host AS host, c.text
  FROM _complaint c LEFT JOIN _process p ON p.id = c.process;

CREATE TABLE _hardware (
  id INTEGER PRIMARY KEY, host TEXT, kind TEXT NOT NULL, value TEXT NOT NULL, source INTEGER, line INTEGER, text TEXT
) STRICT;

CREATE VIEW hardware AS
  SELECT id, host, kind, value, source, line, text FROM _hardware;

CREATE TABLE _clock (
  id INTEGER PRIMARY KEY, host TEXT NOT NULL, reference TEXT NOT NULL, ahead REAL NOT NULL, error REAL NOT NULL,
  communicators INTEGER NOT NULL
) STRICT;

CREATE VIEW clock AS
  SELECT host, reference, ahead, error, communicators FROM _clock;

CREATE TABLE _difference (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, groups_en TEXT NOT NULL, groups_zh TEXT NOT NULL,
  common INTEGER NOT NULL, ranks INTEGER NOT NULL, set_values INTEGER NOT NULL, must_agree INTEGER NOT NULL,
  rank INTEGER, host TEXT, source INTEGER, line INTEGER, text TEXT
) STRICT;

CREATE VIEW difference AS
  SELECT kind, name, groups_en, groups_zh, common, ranks, set_values, must_agree, rank, host, source, line, text
  FROM _difference;

CREATE TABLE _doubtful_setting (
  id INTEGER PRIMARY KEY, variable TEXT NOT NULL, value TEXT NOT NULL, problem TEXT NOT NULL, nearest TEXT,
  first TEXT, last TEXT, replaced_by TEXT, values_en TEXT, values_zh TEXT, text_en TEXT, text_zh TEXT,
  process INTEGER, source INTEGER, line INTEGER, text TEXT
) STRICT;

CREATE VIEW doubtful_setting AS
  SELECT d.variable, d.value, d.problem, d.nearest, d.first, d.last, d.replaced_by, d.values_en, d.values_zh,
    d.text_en, d.text_zh, d.process, p.rank AS rank, p.host AS host, d.source, d.line, d.text
  FROM _doubtful_setting d LEFT JOIN _process p ON p.id = d.process;

CREATE TABLE _environment (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, variable TEXT NOT NULL, value TEXT NOT NULL, source INTEGER,
  line INTEGER
) STRICT;

CREATE VIEW environment AS
  SELECT v.process, p.rank AS rank, p.host AS host, v.variable, v.value, v.source, v.line
  FROM _environment v LEFT JOIN _process p ON p.id = v.process;

CREATE TABLE _collective (
  id INTEGER PRIMARY KEY, communicator INTEGER, rank INTEGER, process INTEGER, source INTEGER NOT NULL,
  line INTEGER NOT NULL, seq INTEGER NOT NULL, operation TEXT NOT NULL, count INTEGER, datatype TEXT, op TEXT,
  root INTEGER, op_count INTEGER
) STRICT;

CREATE VIEW collective AS
  SELECT communicator, rank, process, source, line, seq, operation, count, datatype, op, root, op_count
  FROM _collective;

CREATE TABLE _coverage (
  source INTEGER NOT NULL, counter TEXT NOT NULL, value INTEGER NOT NULL, loss INTEGER NOT NULL, meaning TEXT NOT NULL,
  PRIMARY KEY (source, counter)
) STRICT, WITHOUT ROWID;

CREATE VIEW source AS
  SELECT s.id, s.name, s.bytes,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'lines'), 0) AS lines,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'nccl'), 0) AS nccl_lines,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'recognised'), 0) AS recognised,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'unrecognised'), 0) AS unrecognised,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'foreign'), 0) AS foreign_lines,
    coalesce((SELECT value FROM _coverage WHERE source = s.id AND counter = 'damaged'), 0) AS damaged
  FROM _source s;

CREATE VIEW coverage AS
  SELECT source, counter, value, loss, meaning FROM _coverage;

CREATE TABLE _finding (
  id INTEGER PRIMARY KEY, rule TEXT NOT NULL, role TEXT NOT NULL, cause TEXT, log_odds REAL, causes TEXT NOT NULL,
  source INTEGER, line INTEGER, process INTEGER, rank INTEGER, host TEXT, text TEXT, repeats INTEGER NOT NULL,
  fields TEXT NOT NULL
) STRICT;

CREATE VIEW finding AS
  SELECT id, rule, role, cause, log_odds, causes, source, line, process, rank, host, text, repeats, fields
  FROM _finding;

CREATE TABLE _outcome (
  outcome TEXT NOT NULL, verdict TEXT NOT NULL, progress TEXT, decision TEXT, decision_confidence REAL,
  decision_why TEXT, decision_command TEXT
) STRICT;

CREATE VIEW outcome AS
  SELECT outcome, verdict, progress, decision, decision_confidence, decision_why, decision_command FROM _outcome;

CREATE TABLE _attempt (
  position INTEGER PRIMARY KEY, outcome TEXT NOT NULL, cause TEXT, file TEXT, first_line INTEGER, last_line INTEGER,
  sentence TEXT
) STRICT;

CREATE VIEW attempt AS
  SELECT a.position, a.outcome, a.cause, (SELECT s.id FROM _source s WHERE s.name = a.file) AS source, a.first_line,
    a.last_line, a.sentence
  FROM _attempt a;

CREATE TABLE _step (
  position INTEGER PRIMARY KEY, kind TEXT NOT NULL, time TEXT, seconds REAL, rank INTEGER, host TEXT,
  what TEXT NOT NULL, file TEXT, line INTEGER, text TEXT, count INTEGER NOT NULL
) STRICT;

CREATE VIEW step AS
  SELECT t.position, t.kind, t.time, t.seconds, t.rank, t.host, t.what,
    (SELECT s.id FROM _source s WHERE s.name = t.file) AS source, t.line, t.text, t.count
  FROM _step t;

CREATE TABLE _cause (
  position INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, confidence REAL NOT NULL, summary TEXT,
  culprits TEXT NOT NULL, why_not TEXT
) STRICT;

CREATE VIEW cause AS
  SELECT position, id, title, confidence, summary, culprits, why_not FROM _cause;

-- Private tables of the timeline. Their form may change with every version (PRAGMA user_version says which one a file
-- has); the public names are the views of views.sql. NULL means: not known.
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

CREATE TABLE _communicator (
  id INTEGER PRIMARY KEY, comm_id TEXT, nranks INTEGER, nnodes INTEGER, ranks_seen INTEGER NOT NULL,
  stage TEXT NOT NULL, parent INTEGER, aborted INTEGER NOT NULL, destroyed INTEGER NOT NULL, divergence_kind TEXT,
  divergence_index INTEGER, expected TEXT, found_instead TEXT, minority TEXT
) STRICT;

CREATE TABLE _rank (
  id INTEGER PRIMARY KEY, communicator INTEGER NOT NULL, rank INTEGER NOT NULL, process INTEGER, comm TEXT, host TEXT,
  seen INTEGER NOT NULL, nranks INTEGER, stage TEXT NOT NULL, stage_order INTEGER NOT NULL, aborted INTEGER NOT NULL,
  destroyed INTEGER NOT NULL, cuda_dev INTEGER, nvml_dev INTEGER, bus_id TEXT, local_rank INTEGER,
  collectives INTEGER, p2p_calls INTEGER, bootstrap_seconds REAL, init_source INTEGER, init_start_line INTEGER,
  init_complete_line INTEGER, last_source INTEGER, last_line INTEGER, last_text TEXT, divergence_line INTEGER, completed INTEGER
) STRICT;

CREATE TABLE _event (
  id INTEGER PRIMARY KEY, source INTEGER NOT NULL, line INTEGER NOT NULL, offset INTEGER NOT NULL, time TEXT,
  process INTEGER, tid INTEGER, device INTEGER, communicator INTEGER, level TEXT, subsystem TEXT, kind TEXT NOT NULL,
  file TEXT, file_line INTEGER, message TEXT, fields TEXT NOT NULL, dialect TEXT NOT NULL
) STRICT;

CREATE TABLE _connection (
  id INTEGER PRIMARY KEY, communicator INTEGER, from_rank INTEGER, to_rank INTEGER, transport TEXT, device TEXT,
  gdr INTEGER NOT NULL, channels INTEGER NOT NULL, source INTEGER, line INTEGER, process INTEGER, direction TEXT,
  from_host TEXT, to_host TEXT, text TEXT
) STRICT;

CREATE TABLE _trait (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, trait TEXT NOT NULL, value TEXT NOT NULL, source INTEGER,
  line INTEGER
) STRICT;

CREATE TABLE _hardware (
  id INTEGER PRIMARY KEY, host TEXT, kind TEXT NOT NULL, value TEXT NOT NULL, source INTEGER, line INTEGER, text TEXT
) STRICT;

CREATE TABLE _difference (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, groups_en TEXT NOT NULL, groups_zh TEXT NOT NULL,
  common INTEGER NOT NULL, ranks INTEGER NOT NULL, set_values INTEGER NOT NULL, must_agree INTEGER NOT NULL,
  rank INTEGER, host TEXT, source INTEGER, line INTEGER, text TEXT
) STRICT;

CREATE TABLE _doubtful_setting (
  id INTEGER PRIMARY KEY, variable TEXT NOT NULL, value TEXT NOT NULL, problem TEXT NOT NULL, nearest TEXT,
  first TEXT, last TEXT, replaced_by TEXT, values_en TEXT, values_zh TEXT, text_en TEXT, text_zh TEXT,
  process INTEGER, source INTEGER, line INTEGER, text TEXT
) STRICT;

CREATE TABLE _environment (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, variable TEXT NOT NULL, value TEXT NOT NULL, source INTEGER,
  line INTEGER
) STRICT;

CREATE TABLE _collective (
  id INTEGER PRIMARY KEY, communicator INTEGER, rank INTEGER, process INTEGER, source INTEGER NOT NULL,
  line INTEGER NOT NULL, seq INTEGER NOT NULL, operation TEXT NOT NULL, count INTEGER, datatype TEXT, op TEXT,
  root INTEGER, op_count INTEGER
) STRICT;

CREATE TABLE _coverage (
  source INTEGER NOT NULL, counter TEXT NOT NULL, value INTEGER NOT NULL, loss INTEGER NOT NULL, meaning TEXT NOT NULL,
  PRIMARY KEY (source, counter)
) STRICT, WITHOUT ROWID;

CREATE TABLE _finding (
  id INTEGER PRIMARY KEY, rule TEXT NOT NULL, role TEXT NOT NULL, cause TEXT, log_odds REAL, causes TEXT NOT NULL,
  source INTEGER, line INTEGER, process INTEGER, rank INTEGER, host TEXT, text TEXT, repeats INTEGER NOT NULL,
  fields TEXT NOT NULL
) STRICT;

CREATE TABLE _cause (
  position INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, confidence REAL NOT NULL, summary TEXT,
  culprits TEXT NOT NULL, why_not TEXT
) STRICT;

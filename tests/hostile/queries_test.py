#!/usr/bin/env python3
"""SQL that is made to be slow or large: a query ends by itself or is stopped soon behind its time, with a sentence and in
little memory, whatever it does within one step of SQLite's machine. NCCLWHY_HOSTILE=full also tries those that use up
their time.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
FULL = os.environ.get("NCCLWHY_HOSTILE") == "full"
SECONDS = 20  # of the processor; the limit is ten
PATIENCE = 120  # of the clock: the machine may have others to serve

MANY = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000000) "
BLANKS = "replace(printf('%1000s', ''), ' ', printf('%1000s', ''))"  # a million
HALF = "replace(printf('%500s', ''), ' ', printf('%1000s', ''))"
OTHERS = "replace(" + HALF + ", ' ', 'x')"
ONES = "'[' || replace(printf('%400000s', ''), ' ', '1,') || '1]'"

QUICK = (
    "SELECT instr(" + BLANKS + ", " + HALF + " || 'x')",
    "SELECT sum(instr(" + BLANKS + ", " + HALF + " || x)) FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 3)",
    "SELECT length(replace(" + BLANKS + ", " + HALF + " || 'x', ''))",
    "SELECT length(trim(" + BLANKS + ", " + HALF + "))",
    "SELECT length(ltrim(" + BLANKS + ", printf('%400000s', 'x')))",
    "SELECT length(rtrim(" + BLANKS + ", printf('%400000s', 'x')))",
    "SELECT printf('%30000s', '') GLOB '* * * * * * * * * * * * * * * * * * * * * *x'",
    "SELECT glob('* * * * * * * * * * * * * * * * * * * * * *x', printf('%30000s', ''))",
    "SELECT printf('%30000s', '') LIKE '% % % % % % % % % % % % % % % % % % %x' ESCAPE '!'",
    "SELECT like('% % % % % % % % % % % % % % % % % % %x', printf('%30000s', ''), '!')",
    "SELECT " + BLANKS + " LIKE '%' || printf('%4000s', '') || 'x'",
    "SELECT " + BLANKS + " LIKE '%' || printf('%500s', '') || 'x'",
    MANY + "SELECT sum(length(json_extract(" + ONES + ", '$[300000]'))) FROM c",
    "SELECT json_valid(replace(printf('%400000s', ''), ' ', '['))",
    "SELECT count(*) FROM json_tree(" + ONES + ") a, json_tree(" + ONES + ") b",
    "SELECT count(*) FROM json_tree(replace(printf('%900s', ''), ' ', '{\"a\":') || '1' || replace(printf('%900s', ''), ' ', '}'))",
    "SELECT sum(length(fullkey)) FROM json_tree(" + ONES + ")",
    MANY + "SELECT length(strftime(printf('%99999s', '') || '%Y', '2020-01-01')) FROM c",
    "SELECT length(format('%.999999f', 1.5)), length(format('%,999999d', 5))",
    "SELECT " + "(" * 190 + "1" + ")" * 190,
    "SELECT 1 FROM " + ",".join("event e%d" % i for i in range(60)) + " LIMIT 1",
    "SELECT 1 WHERE 1 IN (" + ",".join(map(str, range(10000))) + ")",
    "SELECT CASE " + " ".join("WHEN %d = 0 THEN 1" % i for i in range(1, 3000)) + " END",
    " UNION ".join("SELECT %d" % i for i in range(101)),
    "SELECT count(*) FROM event a, event b, event c, event d, event e, event f",
    MANY + "SELECT length(json_group_array(x)) FROM c",
)
SORTS = (
    MANY + "SELECT v FROM (SELECT printf('%999999s', x) AS v FROM c) ORDER BY v LIMIT 1",
    MANY + "SELECT v FROM (SELECT printf('%9999s', x) AS v FROM c) ORDER BY v DESC LIMIT 1",
    MANY + "SELECT count(DISTINCT printf('%9999s', x)) FROM c",
    MANY + "SELECT count(*) FROM (SELECT printf('%9999s', x) AS v, count(*) FROM c GROUP BY v)",
    MANY + "SELECT printf('%9999s', x) FROM c UNION SELECT 'x' LIMIT 1",
)
SLOW = (
    MANY + "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY length(v)) AS n FROM (SELECT printf('%999999s', x) AS v FROM c))",
    "WITH RECURSIVE c(x, v) AS (SELECT 1, '' UNION ALL SELECT x + 1, printf('%999999s', x) FROM c) SELECT max(length(v)) FROM c",
    MANY + "SELECT sum(length(upper(hex(printf('%499999s', x))))) FROM c",
    MANY + "SELECT length(group_concat(printf('%99999s', x))) FROM c",
    MANY + "SELECT sum(n) FROM (SELECT max(x) OVER (ORDER BY x ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW) n FROM c)",
)


def limited():
    """Memory, the processor's time, and no file that grows: what is sorted does not go to the disk."""
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def main():
    tried = failed = 0
    with tempfile.TemporaryDirectory(prefix="ncclwhy queries ") as folder:
        database = os.path.join(folder, "job.db")
        subprocess.run([NCCLWHY, "--db", database, SOURCE / "tests/golden/shm-full/job.log"], stdout=subprocess.DEVNULL, check=False)
        for sql in QUICK + SORTS + (SLOW if FULL else SLOW[-1:]):
            begin = time.monotonic()
            try:
                run = subprocess.run([NCCLWHY, "query", database, sql], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                     timeout=PATIENCE, preexec_fn=limited)
                good = run.returncode == 0 or (run.returncode == 2 and run.stderr.startswith(b"ncclwhy: "))
            except subprocess.TimeoutExpired:
                good = False
            tried += 1
            if not good:
                failed += 1
                print("query: %.1f s: %.200s" % (time.monotonic() - begin, sql))
    print(f"hostile: queries tried {tried} failed {failed}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

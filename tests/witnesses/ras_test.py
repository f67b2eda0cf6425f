"""ras://HOST:PORT: NCCL's RAS service asked live, against a server that replays what one says (src/ras/client_support.cc of NCCL,
2.24 to 2.30), and against others that say something else, nothing, or stop in the middle."""

import os
import pathlib
import socket
import subprocess
import time
import unittest

from ras_replay import HELLO, Ras

BINARY = os.environ["NCCLWHY"]
SAMPLES = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"]) / "samples/witnesses"


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)


class Live(unittest.TestCase):
    def test_alone(self):
        server = Ras(HELLO)
        done = run(f"ras://127.0.0.1:{server.port}")
        self.assertEqual(server.asked, ["CLIENT PROTOCOL 2\n", "TIMEOUT 10\n", "VERBOSE STATUS\n"])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"app.rank-stalled", done.stdout)
        self.assertIn(b"rank 1 on gpu-a1", done.stdout)

    def test_beside_logs_it_decides(self):
        logs = sorted((SAMPLES / "recorder-late-all-complain").glob("rank*.log"))
        self.assertEqual(run(*logs).returncode, 3)
        done = run(*logs, f"ras://127.0.0.1:{Ras(HELLO).port}")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(b"rank 1 on gpu-a1", done.stdout)

    def test_other_versions_and_addresses(self):
        self.assertEqual(run(f"ras://localhost:{Ras(['SERVER PROTOCOL 3' + chr(10), 'OK' + chr(10)]).port}/").returncode, 1)
        try:
            server = Ras(HELLO, host="::1")
        except OSError:
            self.skipTest("no IPv6")
        self.assertEqual(run(f"ras://[::1]:{server.port}").returncode, 1)

    def test_who_is_not_ras(self):
        for answers, words in ((["HTTP/1.1 400 Bad Request\n"], b"not NCCL's RAS"), ([None], b"not NCCL's RAS"),
                               (["SERVER PROTOCOL 2\n", "ERROR: no\n"], b"not NCCL's RAS")):
            begin = time.monotonic()
            done = run(f"ras://127.0.0.1:{Ras(answers).port}")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stdout + done.stderr)
            self.assertLess(time.monotonic() - begin, 20)

    def test_nobody_and_nothing(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            done = run(f"ras://127.0.0.1:{free.getsockname()[1]}")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot be asked", done.stdout + done.stderr)
        done = run(f"ras://127.0.0.1:{Ras(HELLO, status='').port}")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"gave no status", done.stdout + done.stderr)

    def test_logs_are_read_although_nobody_answers(self):
        done = run(SAMPLES / "recorder-late", "ras://127.0.0.1:1")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"app.rank-stalled", done.stdout)


if __name__ == "__main__":
    unittest.main()

"""`ncclwhy serve` as people and fleets use it: curl, many clients at a time, limits that hold, no file but the body."""
import concurrent.futures
import gzip
import http.client
import json
import os
import shutil
import subprocess
import tarfile
import time
import unittest

from programs import HEALTHY, KILLED, SHM_FULL
from server_test import LOG, ServeTest

CURL = shutil.which("curl")


def peak_memory(server):
    """Of the process that answers, in bytes."""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


@unittest.skipUnless(CURL, "curl is not installed")
class Curl(ServeTest):
    def curl(self, server, target, *options, stdin=b""):
        run = subprocess.run([CURL, "-sS", "--noproxy", "*", *options, f"http://127.0.0.1:{server.port}{target}"],
                             input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir, timeout=60, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_a_log(self):
        server = self.start()
        shown = self.curl(server, "/analyze?format=text", "--data-binary", f"@{SHM_FULL}")
        self.assertTrue(shown.startswith(b"FAILURE  /dev/shm on h100-39"), shown[:200])
        # The same in chunks, from a pipe whose length nobody knows.
        piped = self.curl(server, "/analyze?format=text", "-T", "-", "-X", "POST", stdin=LOG)
        self.assertEqual(piped, shown)

    def test_a_folder(self):
        server = self.start()
        archive = subprocess.run(["tar", "cz", "-C", KILLED.parent, KILLED.name], stdout=subprocess.PIPE, check=True).stdout
        report = json.loads(self.curl(server, "/analyze", "--data-binary", "@-", stdin=archive))
        self.assertEqual(report["causes"][0]["culprits"][0]["rank"], 3)

    def test_health_and_metrics(self):
        server = self.start()
        self.assertEqual(json.loads(self.curl(server, "/health"))["status"], "ok")
        self.curl(server, "/analyze", "--data-binary", f"@{SHM_FULL}")
        text = self.curl(server, "/metrics").decode()
        self.assertIn('ncclwhy_causes_total{cause="shm.too-small"} 1', text)
        for line in text.splitlines():  # Prometheus' text format
            self.assertRegex(line, r'^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [0-9.e+-]+)$')

    def test_too_large(self):
        server = self.start("--max-bytes", "1MB")
        (self.dir / "big").write_bytes(b"a line\n" * 1000000)
        code = self.curl(server, "/analyze", "--data-binary", "@big", "-o", "answer", "-w", "%{http_code}")
        self.assertEqual(code, b"413")
        self.assertEqual(json.loads((self.dir / "answer").read_text())["error"]["code"], "too-large")


class Load(ServeTest):
    def test_many_clients_of_all_kinds(self):
        """Good, bad, slow and vanishing ones at once: everyone who behaves is answered, and memory stays bounded."""
        server = self.start("--workers", "4", "--queue", "64", "--max-bytes", "64MB")
        logs = [LOG, HEALTHY.read_bytes(), LOG * 20]
        bodies = [body for log in logs for body in (log, gzip.compress(log))]
        # What the report names its source; of twenty copies glued together only the verdict is compared.
        want = [server.analyze(body, "?format=summary") for body in bodies]
        self.assertTrue(all(status == 200 for status, _ in want))

        def good(number):
            at = number % len(bodies)
            for _ in range(50):
                status, data = server.analyze(bodies[at], "?format=summary")
                if status != 503:
                    return (status, data) == want[at]
                time.sleep(0.05)
            return False

        def bad(number):
            kinds = ((b"", "", 400), (LOG, "?format=pdf", 400), (gzip.compress(bytes(80 << 20)), "", 413))
            body, query, status = kinds[number % len(kinds)]
            return server.analyze(body, query)[0] in (status, 503)

        def gone(number):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.putrequest("POST", "/analyze")
            connection.putheader("Content-Length", str(len(LOG)))
            connection.endheaders()
            connection.send(LOG[: number * 37 % len(LOG)])
            connection.close()
            return True

        started = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(24) as clients:
            work = [clients.submit((good, good, good, bad, gone)[i % 5], i) for i in range(400)]
            slowest = 0.0
            while not all(job.done() for job in work):  # whoever watches the service is never kept waiting
                before = time.monotonic()
                self.assertEqual(server.ask("GET", "/health")[0], 200)
                slowest = max(slowest, time.monotonic() - before)
                time.sleep(0.2)
            self.assertTrue(all(job.result() for job in work))
        self.assertLess(slowest, 10)
        self.assertLess(time.monotonic() - started, 120)
        self.assertLess(peak_memory(server), 1 << 30)
        deadline = time.monotonic() + 30
        while (metrics := server.metrics())["ncclwhy_analyses_running"] and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(metrics["ncclwhy_analyses_running"], 0)
        self.assertEqual(metrics["ncclwhy_analyses_waiting"], 0)
        self.assertEqual(server.stop()[0], 0)


class NoFiles(ServeTest):
    def test_a_request_opens_no_file(self):
        """Neither its name, nor its text, nor a link in its archive."""
        server = self.start("--workers", "2")
        secret = self.dir / "secret.log"
        secret.write_bytes(LOG)
        os.utime(secret, (1, 1))  # relatime: reading it would move the time of access
        link = self.dir / "bundle.tar"
        with tarfile.open(link, "w") as archive:
            member = tarfile.TarInfo("rank0.log")
            member.type, member.linkname = tarfile.SYMTYPE, str(secret)
            archive.addfile(member)
            archive.add(__file__, "notes.txt")
        for body in (str(secret).encode(), b"-", b"*.log", f"@{secret}".encode(), link.read_bytes()):
            for query in ("", f"?name={secret}"):
                status, data = server.analyze(body, query)
                self.assertIn(status, (200, 422), data)
                self.assertNotIn(b"shm.too-small", data)
        self.assertEqual(server.ask("GET", f"/{secret}")[0], 404)
        self.assertEqual(os.stat(secret).st_atime, 1)
        files = {os.path.realpath(f"/proc/{server.process.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{server.process.pid}/fd")}
        self.assertFalse([path for path in files if path.startswith(str(self.dir))])


if __name__ == "__main__":
    unittest.main()

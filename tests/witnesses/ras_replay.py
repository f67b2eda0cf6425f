"""A server that replays what NCCL's RAS service says (src/ras/client_support.cc of NCCL, 2.24 to 2.30)."""

import socket
import threading
import time

HELLO = ["SERVER PROTOCOL 2\n", "OK\n"]
STATUS = """NCCL version 2.28.3 compiled with CUDA 12.9
CUDA runtime version 12090, driver version 13000

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      2          2            1          4        4

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         2         2         4         4   RUNNING  MISMATCH

Warnings
========

#0-0 (3c0ffee3b24a1d07) MISMATCH
  Communicator ranks have different collective operation counts
  3 ranks have launched up to operation 412
  Rank 1 has launched up to operation 411 -- GPU 1 managed by process 4101 on node gpu-a1

"""


class Ras(threading.Thread):
    """One client. `answers`: what to say to each line; None: nothing any more."""

    def __init__(self, answers, status=STATUS, pieces=7, host="127.0.0.1"):
        super().__init__(daemon=True)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.socket(family)
        self.listener.bind((host, 0))
        self.listener.listen()
        self.port = self.listener.getsockname()[1]
        self.answers, self.status, self.pieces, self.asked = answers, status, pieces, []
        self.start()

    def run(self):
        client, _ = self.listener.accept()
        with client, client.makefile("rb") as lines:
            for answer in self.answers:
                self.asked.append(lines.readline().decode())
                if answer is None:
                    time.sleep(8)
                    return
                client.sendall(answer.encode())
            self.asked.append(lines.readline().decode())
            data = self.status.encode()
            for at in range(0, len(data), self.pieces):
                client.sendall(data[at : at + self.pieces])

"""python -m ncclwhy …: the ncclwhy program with these arguments."""

import os
import sys

from ncclwhy.engine import find_program


def main():
    program = find_program()
    if program is None:
        sys.exit("ncclwhy: this package brings no program for this machine, and none is in PATH")
    os.execv(program, [program] + sys.argv[1:])


if __name__ == "__main__":
    main()

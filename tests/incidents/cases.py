"""Folders of labelled cases, for the tests beside this file: BINARY FOLDER... [--print]

With --print the figures are only printed: folders that are not there are left out, and where none is there the status is 77.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

SKIPPED = 77


def arguments():
    """The binary, the folders, and whether figures are only printed."""
    binary, *folders = [a for a in sys.argv[1:] if not a.startswith("--")]
    only_print = "--print" in sys.argv
    folders = [pathlib.Path(folder) for folder in folders]
    if only_print:
        folders = [folder for folder in folders if folder.is_dir()]
        if not folders:
            print("none of these folders is here")
            sys.exit(SKIPPED)
    return binary, folders, only_print


def files_of(case):
    return sorted(str(p) for p in case.rglob("*") if p.is_file() and p.name != "incident.json")


def cases_of(folder):
    return sorted(p for p in folder.iterdir() if p.is_dir())


def answer(binary, files, *options):
    return subprocess.run([binary, *options, *map(str, files)], capture_output=True, check=False).stdout


def in_order(work, items):
    """work(item) of each, several at a time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from zip(items, pool.map(work, items))

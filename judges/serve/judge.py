"""Has MCP clients of others use our server over both transports, and our own client too.

usage: judge.py FOLDER    the folder with the programs `served_desk` and `onionskin`

It prints a line for each check, and ends at the first one that fails.
"""
import concurrent.futures
import functools
import os
import pathlib
import sys
import tempfile
import traceback

import checks
import connections
import inspector
import own
import tokens

# Clients mostly wait.
AT_A_TIME = 4


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    desk = programs / "served_desk"
    connections.check_installed()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        jobs = [
            functools.partial(tokens.judge, desk, folder),
            *connections.jobs(desk, folder, checks.ALL),
            *inspector.jobs(desk, folder),
            *own.jobs(programs, desk, folder),
        ]
        for done in concurrent.futures.as_completed(pool.submit(job) for job in jobs):
            if error := done.exception():
                traceback.print_exception(error)
                # At once: the other clients go on otherwise.
                os._exit(1)


main()

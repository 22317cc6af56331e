"""Judges our A2A server and our A2A client with programs of others: a2a-proof, and the official SDK for Python.

  - a2a-proof and a client on the SDK (`client.py`) ask our server, over both bindings;
  - our client asks an agent on the SDK (`server.py`), and the SDK's client judges what arrives through it;
  - our client asks an agent of a2a-proof, which records the messages.

usage: judge.py PROGRAM     the built example `asker`. First: `judges/install.sh a2a`.
"""

import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
BINDINGS = ["JSONRPC", "HTTP+JSON"]

failed = []


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextmanager
def running(*command, port):
    """Runs a server until the end of the block."""
    server = subprocess.Popen([str(word) for word in command])
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if server.poll() is not None:
                raise SystemExit(f"{command[0]} ended with {server.returncode}")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


def judge(title, *command):
    print(f"---- {title}", flush=True)
    if subprocess.run([str(word) for word in command], timeout=180).returncode != 0:
        failed.append(title)


def proof(title, config, *options, **places):
    text = (HERE / config).read_text()
    for place, value in places.items():
        text = text.replace(place, str(value))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / config
        path.write_text(text)
        judge(title, BIN / "a2a-proof", "run", path, *options)


def main(program):
    port = free_port()
    with running(program, port, port=port) as url:
        for binding in BINDINGS:
            proof(f"our server, a2a-proof, {binding}", "asker.yaml", "--transport", binding, URL=url)
            judge(f"our server, client of the SDK, {binding}", sys.executable, HERE / "client.py", url, "--binding", binding)
    port, ours = free_port(), free_port()
    with running(sys.executable, HERE / "server.py", port, port=port) as url:
        with running(program, ours, "--remote", url, port=ours) as url:
            judge("our client, agent of the SDK", sys.executable, HERE / "client.py", url)
    port, ours = free_port(), free_port()
    with running(program, ours, "--remote", f"http://127.0.0.1:{port}", port=ours) as url:
        proof("our client, agent of a2a-proof", "delegate.yaml", URL=url, PORT=port)
    for title in failed:
        print(f"FAILED: {title}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1])

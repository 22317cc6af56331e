"""Programs of the judge: the desk over HTTP, and the clients of others, which get orders line by line."""
import contextlib
import functools
import json
import pathlib
import subprocess
import sys
import threading

from checks import NEW, OLD

HERE = pathlib.Path(__file__).parent
KIT = HERE.parent / ".kit"
NODE = KIT / "bin/node"
INSPECTOR = KIT / "inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
# The tokens of the desk over HTTP, with their users.
TOKENS = {"ada": "token-of-ada", "bob": "token-of-bob"}
PYTHON = [sys.executable, HERE / "client.py"]
TYPESCRIPT = [NODE, HERE / "client.mjs", KIT / "clients"]
# Each client, with the protocols that it speaks.
CLIENTS = {
    "the Python SDK": ([*PYTHON, "mcp"], (OLD, NEW)),
    "FastMCP": ([*PYTHON, "fastmcp"], (OLD, NEW)),
    "the TypeScript SDK of 2025": ([*TYPESCRIPT, "sdk"], (OLD,)),
    "the TypeScript SDK of 2026": ([*TYPESCRIPT, "client"], (OLD, NEW)),
}
TRANSPORTS = ("stdio", "HTTP")
# How long an answer of a client may take, in seconds.
PATIENCE = 90


def check_installed():
    for part in (NODE, INSPECTOR, *(KIT / "clients/node_modules/@modelcontextprotocol" / name for name in ("sdk", "client"))):
        assert part.exists(), f"{part} is not installed: run `judges/install.sh mcp inspector clients`"


@contextlib.contextmanager
def http_desk(desk, folder):
    """The address of a desk over HTTP."""
    users = [f"{token}={user}" for user, token in TOKENS.items()]
    # It ends when its standard input does, and so with the judge.
    server = subprocess.Popen([desk, folder, "http", *users], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().strip()
        assert server.poll() is None, "the desk over HTTP ended"
    finally:
        server.kill()
        server.wait()


class Client:
    """A client of others, connected to a desk."""

    def __init__(self, name, program, target, folder, transport, protocol):
        self.name, self.transport, self.protocol = name, transport, protocol
        self.user = "ada" if transport == "HTTP" else None
        # FastMCP checks the answer of a person.
        self.sends_wrong_answers = name != "FastMCP"
        self.folder = pathlib.Path(folder)
        words = f"{name} {transport} {protocol}"
        self.prefix = "".join(letter if letter.isalnum() else "-" for letter in words)
        self.program, self.target = program, target

    def __enter__(self):
        self.process = subprocess.Popen(
            self.program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        # What it writes to its standard error is shown if it fails.
        self.complaints = []
        threading.Thread(target=lambda: self.complaints.extend(self.process.stderr), daemon=True).start()
        answer = self(**self.target, era="old" if self.protocol == OLD else "new")
        self.about = answer.get("result")
        self.refusal = answer.get("error")
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()

    def __call__(self, **order):
        """The answer to an order."""
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        assert line, f"no answer to {order}: {''.join(self.complaints)}"
        return json.loads(line)

    def label(self, name):
        return f"{self.prefix}-{name}"

    def ending(self, name):
        """How a call of `pack` ended; `None` if it goes on."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / self.label(name)).read_text()

    def judge(self, check):
        place = f"{self.name} over {self.transport}, {self.protocol}"
        try:
            assert self.about, f"it cannot connect: {self.refusal}"
            check(self)
        except Exception:
            print(f"FAILED: {place}: {check.__doc__}", file=sys.stderr)
            raise
        print(f"{place}: {check.__doc__}", flush=True)


@contextlib.contextmanager
def desk_at(desk, folder, transport):
    """Where a client of a transport finds a desk of its own."""
    if transport == "stdio":
        yield {"command": [str(desk), folder, "stdio"]}
    else:
        with http_desk(desk, folder) as url:
            yield {"url": url, "token": TOKENS["ada"]}


def jobs(desk, folder, checks):
    """The checks of each client, over each transport, with each protocol that it speaks."""

    def job(name, program, transport, protocol):
        with desk_at(desk, folder, transport) as target:
            with Client(name, program, target, folder, transport, protocol) as client:
                for check in checks:
                    client.judge(check)

    for name, (program, protocols) in CLIENTS.items():
        for transport in TRANSPORTS:
            for protocol in protocols:
                yield functools.partial(job, name, program, transport, protocol)


def refusals(url, token):
    """What each client gets from a desk over HTTP that does not accept its token."""
    for name, (program, protocols) in CLIENTS.items():
        with Client(name, program, {"url": url, "token": token}, "", "HTTP", protocols[-1]) as client:
            yield f"{name} over HTTP, {protocols[-1]}", client.refusal

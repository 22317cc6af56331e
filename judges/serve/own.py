"""Our own command: agents of agents over several processes. A person talks to an agent, which asks one of another process, which uses the
desk of a third. What the desk asks, the person answers."""
import contextlib
import functools
import json
import os
import pathlib
import signal
import subprocess

from checks import TOOLS, equal
from connections import TRANSPORTS, desk_at

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CARD = "---\ntype: agent\nname: {name}\ndescription: {description}\nservers: [{server}]\n---\n{instruction}\n"
# The models of both agents; JSON is YAML too.
HELPER = {
    "Helper": [
        {
            "calls": [
                {"tool": "desk__clerk", "args": {"input": "{input}"}},
                {"tool": "desk__pay", "args": {"cents": 7}},
                {"tool": "desk__order_shoes", "args": {"model": "boots"}},
            ]
        },
        {"say": "The shop says {last}"},
    ]
}
ASKER = {"Asker": [{"calls": [{"tool": "helper__Helper", "args": {"input": "saw"}}]}, {"say": "I heard: {last}"}]}
ORDER = {"size": 42, "colour": "red", "gift": True}
TOKEN = "token-of-the-helper"


class Place:
    """A folder with two agents, and the configurations of their servers."""

    def __init__(self, onionskin, folder, desk):
        self.onionskin, self.folder = onionskin, folder
        folder.mkdir()
        self.write("helper.md", CARD.format(name="Helper", description="Asks.", server="desk", instruction="Ask the shop."))
        self.write("asker.md", CARD.format(name="Asker", description="Asks.", server="helper", instruction="Ask the helper."))
        self.write("helper.yaml", json.dumps(HELPER))
        self.write("asker.yaml", json.dumps(ASKER))
        self.servers("desk.json", desk=server(desk))
        self.helper = [onionskin, "serve", "--card", "helper.md", "--model", "script:helper.yaml", "--config", "desk.json"]

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def servers(self, name, **servers):
        self.write(name, json.dumps({"mcpServers": servers}))

    def run(self, *arguments, said="", code=0):
        """What the command prints, which must end with this code."""
        done = subprocess.run(
            [self.onionskin, *arguments], cwd=self.folder, input=said, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == code, f"{arguments} ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout if code == 0 else done.stderr

    def ask(self, *said, code=0):
        """What a chat prints, in which a person says these lines. Without lines: a run."""
        command = ["chat" if said else "run", "--card", "asker.md", "--model", "script:asker.yaml"]
        return self.run(*command, *([] if said else ["Go."]), said="".join(f"{line}\n" for line in said), code=code)

    @contextlib.contextmanager
    def over(self, transport):
        """Serves the helper to the asker."""
        # Over HTTP our client speaks the protocol of 2026-07-28, in which a call waits for an answer; over stdio it speaks the other one.
        self.waits = transport == "HTTP"
        if transport == "stdio":
            command, *words = map(str, self.helper)
            self.servers(".mcp.json", helper={"command": command, "args": words, "cwd": str(self.folder), "asks": True})
            yield
            return
        with subprocess.Popen(
            [*self.helper, "--http", "127.0.0.1:0", "--token-env", "HELPER_TOKEN"], cwd=self.folder,
            env={**os.environ, "HELPER_TOKEN": TOKEN}, stderr=subprocess.PIPE, text=True,
        ) as process:
            try:
                # It says what to write in a client's file.
                lines = iter(process.stderr.readline, "")
                url = next(line.split('"')[3] for line in lines if '"url"' in line)
                self.servers(".mcp.json", helper=server({"url": url, "token": TOKEN}))
                yield
                process.send_signal(signal.SIGTERM)
                equal(process.wait(30), 128 + signal.SIGTERM)
            finally:
                process.kill()


def server(target):
    """The entry of a server in a configuration."""
    if "url" in target:
        return {"url": target["url"], "headers": {"Authorization": f"Bearer {target['token']}"}, "asks": True}
    return {"command": target["command"][0], "args": target["command"][1:], "asks": True}


def lists(place):
    """the tools of the desk, and those of an agent that serves them behind its hooks"""
    desk = json.loads(place.run("mcp", "list", "--config", "desk.json", "--json"))["servers"]["desk"]
    equal(sorted(tool["name"] for tool in desk["tools"]), sorted(TOOLS))
    command, *words = map(str, place.helper)
    place.servers("tools.json", tools={"command": command, "args": [*words, "--tools"], "cwd": str(place.folder)})
    served = json.loads(place.run("mcp", "list", "--config", "tools.json", "--json"))["servers"]["tools"]
    equal(sorted(tool["name"] for tool in served["tools"]), sorted(f"desk__{name}" for name in TOOLS))
    schema = lambda server, name: next(tool["inputSchema"] for tool in server["tools"] if tool["name"] == name)
    equal(schema(served, "desk__find_article"), schema(desk, "find_article"))


def answers(place):
    """questions of the desk, which a person answers two processes away"""
    said = place.ask("Go.", json.dumps({"decision": "allow"}), json.dumps(ORDER))
    for question in ("Allow this call of `pay`?", "Which boots?"):
        assert f"the MCP server `helper` asks: the MCP server `desk` asks: {question}" in said, said
    for result in ('I found {"articles":[{"name":"saw"', '{"cents":7,', "ordered boots in size 42 and Red, wrapped"):
        assert result in said, said


def refusals(place):
    """questions that the person answers with no, or not at all"""
    said = place.ask("Go.", json.dumps({"decision": "deny", "reason": "too much"}), json.dumps(ORDER))
    assert "too much" in said and "ordered boots" in said and '"cents":7,"user"' not in said, said
    if place.waits:
        assert "Allow this call of `pay`?" in (said := place.ask(code=2)), said
    else:
        assert "declined" in (said := place.ask()) and '"cents":7,"user"' not in said, said


def cards(onionskin, folder):
    """an agent of a card that names items in Rust, and its tools behind its hooks"""
    place = Place(onionskin, pathlib.Path(folder, "own-cards"), {"command": [str(onionskin)]})
    # Of the variables of its client, a server gets only those that its entry has.
    variables = {name: value for name, value in os.environ.items() if name.startswith(("CARGO_", "RUST"))}
    words = ["serve", "--card", "examples/cards/pmo.md"]
    office = {"command": str(onionskin), "args": words, "cwd": str(REPOSITORY), "env": variables}
    place.servers(".mcp.json", helper=office, tools={**office, "args": [*words, "--tools"]})
    place.write("asker.md", CARD.format(name="Asker", description="Asks.", server="helper, tools", instruction="Ask."))
    for tool, arguments, result in [
        ("helper__PMO-orchestrator", {"input": "Run PMO report and add 1 to 3"}, "London: economics reviewed."),
        # The card's hook holds the number to 10, and marks the result.
        ("tools__add_one", {"x": 41}, "I heard: 11[audit]"),
    ]:
        turns = [{"calls": [{"tool": tool, "args": arguments}]}, {"say": "I heard: {last}"}]
        place.write("asker.yaml", json.dumps({"Asker": turns}))
        assert result in (said := place.ask()), said
    print(f"our own command over stdio: {cards.__doc__}", flush=True)


def jobs(programs, desk, folder):
    def job(transport):
        with desk_at(desk, folder, transport) as target:
            place = Place(programs / "onionskin", pathlib.Path(folder, f"own-{transport}"), target)
            with place.over(transport):
                for check in (lists, answers, refusals):
                    check(place)
                    print(f"our own command over {transport}: {check.__doc__}", flush=True)

    yield functools.partial(cards, programs / "onionskin", folder)
    for transport in TRANSPORTS:
        yield functools.partial(job, transport)

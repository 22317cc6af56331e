"""Judges the plain HTTP interface of a server by the document that describes it: a validator of OpenAPI 3.1 reads the document, Schemathesis
sends what it allows and what it forbids, and whole conversations are held against it too. The SDK of MCP Apps reads the page of its UI tool.

usage: judge.py PROGRAM FOLDER     the built program `http_desk` of the judges, and a folder for what fails
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

import requests
import schemathesis
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

HERE = pathlib.Path(__file__).resolve().parent
KIT = pathlib.Path(sys.executable).parent
NODE, APPS = HERE.parent / ".kit/bin/node", HERE.parent / "apps/judge.mjs"
PROGRAM, FOLDER = sys.argv[1:3]
TOKENS = {"ada": "token-of-ada", "bob": "token-of-bob"}
# How long one answer may take, in seconds.
PATIENCE = 20


@contextlib.contextmanager
def desk():
    """The address of the desk."""
    words = [f"{token}={user}" for user, token in TOKENS.items()]
    with subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            # It ends with its input.
            process.stdin.close()


def session(user):
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {TOKENS[user]}"
    return session


def fuzz(url, title, phases, *arguments):
    """All checks of Schemathesis."""
    command = [
        KIT / "st", "--config-file", HERE / "schemathesis.toml", "run", f"{url}/openapi.json", "--checks", "all",
        "--phases", phases, "--header", f"Authorization: Bearer {TOKENS['ada']}", *arguments,
    ]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py")}
    done = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{title}: Schemathesis ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    print(f"{title}:\n{done.stdout[done.stdout.index('= SUMMARY ='):]}", flush=True)


class Described:
    """The interface as its document describes it."""

    def __init__(self, url):
        self.url = url
        self.sessions = {user: session(user) for user in TOKENS}
        self.document = self.sessions["ada"].get(f"{url}/openapi.json", timeout=PATIENCE).json()
        self.paths = schemathesis.openapi.from_dict(self.document)

    def ask(self, method, path, status, template=None, user="ada", accept="application/json", **arguments):
        """An answer, which must have this status and, unless it is a stream to be read later, be as the document says."""
        answer = self.sessions[user].request(
            method, self.url + path, headers={"Accept": accept}, timeout=PATIENCE, **arguments
        )
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        if not arguments.get("stream"):
            self.paths[template or path][method].validate_response(answer)
        return answer

    def run(self, agent, input, user="ada", **more):
        """The run that answers an input."""
        return self.ask("POST", f"/agents/{agent}/runs", 200, user=user, json={"input": input, **more}).json()


def events(answer):
    """The events of a stream."""
    for block in answer.iter_lines(decode_unicode=True, delimiter="\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            yield fields["event"], json.loads(fields["data"])


def document(api):
    """the document is OpenAPI 3.1"""
    OpenAPIV31SpecValidator(api.document).validate()


def waiting(api):
    """a run waits, is answered by its user once, and goes on"""
    run = api.run("Cashier", "The bill.")
    [question] = run["questions"]
    assert (run["status"], question["kind"], question["arguments"]) == ("waiting", "approval", {"cents": 300}), run
    path, answer = "/agents/Cashier/answers", {"state": run["state"], "answers": {question["name"]: {"approval": "allow"}}}
    api.ask("POST", path, 409, user="bob", json=answer)
    wrong = {question["name"]: {"value": 5}}
    api.ask("POST", path, 422, json={**answer, "answers": wrong})
    ended = api.ask("POST", path, 200, json=answer).json()
    assert (ended["status"], ended["text"]) == ("completed", "The tool says: paid 300."), ended
    assert ended["id"] == run["id"]
    api.ask("POST", path, 409, json=answer)


def kinds(api):
    """questions of a tool and of a component are described"""
    for input, kind, value in [("the door", "question", "red"), ("pick", "component", "blue")]:
        run = api.run("Painter", input)
        [question] = run["questions"]
        assert question["kind"] == kind, run
        Draft202012Validator(question["answer_schema"]).validate(value)
        answers = {question["name"]: {"value": value}}
        ended = api.ask("POST", "/agents/Painter/answers", 200, json={"state": run["state"], "answers": answers}).json()
        assert value in ended["text"].lower(), ended


def sessions(api):
    """a session goes on for its user"""
    path, template = "/agents/Clerk/sessions/s-1", "/agents/Clerk/sessions/{session}"
    api.ask("GET", path, 404, template)
    for input in ("find it", "thank you"):
        api.run("Clerk", input, session="s-1")
    session = api.ask("GET", path, 200, template).json()
    said = [message["text"] for message in session["messages"] if message["role"] == "user"]
    assert said == ["find it", "thank you"], session
    api.ask("GET", path, 404, template, user="bob")
    api.run("Cashier", "The bill.", session="s-2")
    session = api.ask("GET", "/agents/Cashier/sessions/s-2", 200, "/agents/Cashier/sessions/{session}").json()
    assert session["waiting"]["status"] == "waiting", session
    api.ask("POST", "/agents/Cashier/runs", 409, json={"input": "Again.", "session": "s-2"})


def streams(api):
    """the events of a stream, and the end of one that its user cancels"""
    path, stream = "/agents/Clerk/runs", "text/event-stream"
    answer = api.ask("POST", path, 200, json={"input": "find it"}, accept=stream)
    names, (*_, run) = zip(*events(answer))
    assert names == ("tool_started", "tool_finished", "text_delta", "run"), names
    assert run["id"] == answer.headers["run-id"], run
    answer = api.ask("POST", path, 200, json={"input": "wait"}, accept=stream, stream=True)
    rest, path = events(answer), f"/runs/{answer.headers['run-id']}"
    assert next(rest)[0] == "tool_started"
    api.ask("DELETE", path, 404, "/runs/{run}", user="bob")
    api.ask("DELETE", path, 204, "/runs/{run}")
    *_, (name, data) = rest
    assert (name, data["status"]) == ("problem", 409), data
    api.ask("DELETE", path, 404, "/runs/{run}")


def problems(api):
    """requests that the document cannot express get the problems that it lists"""
    path, good = "/agents/Clerk/runs", {"input": "a lamp"}
    api.ask("POST", path, 406, accept="text/html", json=good)
    api.ask("POST", path, 415, data="input")
    api.ask("POST", path, 413, json={"input": "a" * 5_000_000})
    refused = api.sessions["ada"].put(api.url + path, timeout=PATIENCE)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST"), refused.headers
    assert refused.headers["Content-Type"] == "application/problem+json", refused.headers


def apps(url):
    """The judge of the server's MCP App."""
    subprocess.run([NODE, APPS, NODE.parents[1] / "apps", url, TOKENS["ada"]], check=True, timeout=PATIENCE)


def main():
    with desk() as url:
        apps(url)
        api = Described(url)
        for check in (document, waiting, kinds, sessions, streams, problems):
            check(api)
            print(f"plain HTTP: {check.__doc__}", flush=True)
        fuzz(url, "Schemathesis, runs as JSON", "examples,coverage,fuzzing,stateful")
        stream = ["--header", "Accept: text/event-stream", "--include-method", "POST"]
        fuzz(url, "Schemathesis, runs as streams", "examples,fuzzing", *stream)


main()

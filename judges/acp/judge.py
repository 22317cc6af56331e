"""Judges an agent behind clients of the Agent Client Protocol that others wrote: acpx, and one on the official npm SDK (client.mjs).
Each message that acpx gets is checked against the protocol's JSON Schema.

usage: judge.py PROGRAM     the built program `acp_agent` of the judges
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from jsonschema import Draft202012Validator

HERE = pathlib.Path(__file__).parent
KIT = HERE.parent / ".kit"
NODE = KIT / "bin/node"
PACKAGES = KIT / "acp/node_modules"
ACPX = PACKAGES / "acpx/dist/cli.js"
SCHEMA = json.loads((PACKAGES / "@agentclientprotocol/sdk/schema/v1/schema.json").read_text())
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
# How long one client may take, in seconds.
PATIENCE = 120
# acpx ends so if a permission was denied, although the agent went on.
DENIED = 5

folder = pathlib.Path(tempfile.mkdtemp())
# Conversations of acpx and of the agent are in the home folder.
environment = {**os.environ, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
problems = []


def report(title, problem):
    print(f"{'FAIL' if problem else 'ok  '} {title}{f': {problem}' if problem else ''}", flush=True)
    if problem:
        problems.append(title)


def acpx(*arguments, **options):
    command = [NODE, ACPX, "--agent", f"{PROGRAM} acp", "--cwd", folder, *arguments]
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, **options
    )


def run(*arguments):
    process = acpx(*arguments)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


DEFINITIONS = {}
for name, definition in SCHEMA["$defs"].items():
    if "x-method" in definition:
        kind = "response" if name.endswith("Response") else "request"
        DEFINITIONS[definition["x-side"], definition["x-method"], kind] = name


def mistakes(lines):
    """What is wrong with the messages of the agent in a conversation."""
    methods, checked, wrong = {}, 0, []
    for line in lines:
        message = json.loads(line)
        method = message.get("method")
        if method and ("agent", method, "request") in DEFINITIONS:
            methods[message.get("id")] = method
            continue
        if method:
            name, value = DEFINITIONS.get(("client", method, "request")), message.get("params")
        elif message.get("id") in methods and "result" in message:
            method = methods.pop(message["id"])
            name, value = DEFINITIONS.get(("agent", method, "response")), message["result"]
        else:
            continue
        checked += 1
        if name is None:
            wrong.append(f"there is no method {method}")
            continue
        validator = Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})
        wrong += [f"{method} {list(error.path)}: {error.message[:200]}" for error in validator.iter_errors(value)]
    return wrong or ("the agent said nothing" if checked < 4 else None)


def judge_exec(title, arguments, code, *texts):
    got, out, err = run(*arguments)
    missing = [text for text in texts if text not in out]
    report(title, None if got == code and not missing else f"code {got}, without {missing}:\n{out}\n{err}")
    return out


judge_exec("a prompt is answered", ["--approve-all", "--format", "quiet", "exec", "hello"], 0, "This is answer 1.")
judge_exec("a call is allowed", ["--approve-all", "exec", "refund it"], 0, "refunded order 4711")
judge_exec("a call is denied", ["--deny-all", "exec", "refund it"], DENIED, "not approved")
judge_exec("a question is asked as text", ["--approve-all", "exec", "ask me"], 0, "Which colour?", "Your next message")
for prompt, choice, code in [("refund it", "--approve-all", 0), ("refund it", "--deny-all", DENIED), ("ask me", "--approve-all", 0)]:
    out = judge_exec(f"as messages: {prompt} {choice}", [choice, "--format", "json", "exec", prompt], code)
    report(f"the schema: {prompt} {choice}", mistakes(out.splitlines()))

# A session that outlives the processes of the agent: acpx starts it again.
session = ["--approve-all", "--ttl", "1"]
judge_exec("a session begins", [*session, "sessions", "new"], 0)
judge_exec("its first prompt", [*session, "prompt", "hello"], 0, "This is answer 1.")
time.sleep(4)
judge_exec("its second prompt, of another process", [*session, "prompt", "hello again"], 0, "This is answer 2.")
time.sleep(4)
judge_exec("it asks", [*session, "prompt", "ask me"], 0, "Which colour?")
time.sleep(4)
judge_exec("another process gets the answer", [*session, "prompt", '{"colour":"red"}'], 0, "painted in red")
time.sleep(4)

session = ["--approve-all", "--ttl", "30"]
judge_exec("another session begins", [*session, "sessions", "new"], 0)
slow = acpx(*session, "--format", "json", "prompt", "slow")
time.sleep(5)
judge_exec("a prompt is cancelled", [*session, "cancel"], 0)
out, err = slow.communicate(timeout=PATIENCE)
stops = [line for line in out.splitlines() if '"stopReason":"cancelled"' in line]
report("it ends as cancelled", None if slow.returncode == 0 and stops else f"code {slow.returncode}:\n{out}\n{err}")
report("the schema of a cancelled prompt", mistakes(out.splitlines()))
judge_exec("the session goes on", [*session, "prompt", "hello"], 0, "This is answer 2.")
run(*session, "sessions", "close")

# The official SDK is found from the folder of its packages.
client = PACKAGES.parent / "client.mjs"
shutil.copy(HERE / "client.mjs", client)
done = subprocess.run(
    [NODE, client, "--", PROGRAM, "acp"], cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE
)
print(done.stdout)
report("the client of the official SDK", None if done.returncode == 0 else done.stderr or "see above")

print(f"{len(problems)} problems")
sys.exit(bool(problems))

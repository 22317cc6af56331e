"""The program that makes the calls of cases."""
import json
import re
import subprocess


def as_model(call):
    """A call as the model writes it: it sees names of arguments in the letters that all providers accept."""
    return call | {"arguments": {re.sub(r"[^A-Za-z0-9_.-]", "_", name): value for name, value in call["arguments"].items()}}


class Program:
    def __init__(self, path):
        self.path = path
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([path], stdin=pipe, stdout=pipe, text=True, encoding="utf-8")

    def begin(self, case):
        answers = lambda turn: [[as_model(call) for call in answer] for answer in turn["answers"]]
        self.write({"tools": case["tools"], "turns": [turn | {"answers": answers(turn)} for turn in case["turns"]]})

    def turn(self, execute):
        """Executes the calls of a turn that arrive. Returns the results that the model got."""
        while line := self.process.stdout.readline():
            (kind, message), = json.loads(line).items()
            if kind == "turn":
                return message
            if kind == "failed":
                raise AssertionError(message)
            self.write({"text": execute(message)})
        raise AssertionError("the program has ended")

    def write(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def end(self):
        """Ends it, and returns the path to start it again."""
        self.process.kill()
        self.process.wait()
        return self.path

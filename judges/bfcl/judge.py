"""Has an agent make the calls of the Berkeley Function Calling Leaderboard through our MCP client and our MCP server.

The data and the functions are those of `bfcl-eval`, from PyPI: `judges/install.sh bfcl`. Where the functions of a case can
be executed, their state after each turn and all results are compared with those of the package's own executor. In the
other cases, each call must arrive as it was made. A call that does not fit its description must be refused.

usage: judge.py PROGRAM     the built program `bfcl`
"""
import collections
import concurrent.futures
import itertools
import json
import os
import sys

import cases
from backends import Instances, difference
from defects import CONVERTED, REFUSED
from jsonschema import Draft202012Validator
from program import Program

# What the data has. A case that is missing is a failure.
EXPECTED = {
    "several turns": {"cases": 800, "turns": 3336, "calls": 4625, "unchanged": 4621, "refused": 4, "tools later": 222},
    "one turn": {"cases": 2501, "turns": 2501, "calls": 3302, "unchanged": 3258, "converted": 4, "refused": 40},
}

program = None


def start(path):
    global program
    program = Program(path)


def strict(calls):
    """A text in which 1, 1.0 and true differ."""
    return json.dumps(calls, sort_keys=True)


def judge(kind, case):
    """Returns the counts, and what is wrong."""
    counts = collections.Counter(cases=1)
    try:
        program.begin(case)
        {"several turns": judge_turns, "one turn": judge_turn}[kind](case, counts)
        listed = sum(case["id"] in ids for ids in REFUSED.values())
        assert counts["refused"] == listed, f"{counts['refused']} calls were refused, and {listed} are listed"
    except AssertionError as error:
        # What the program still writes belongs to this case.
        start(program.end())
        return kind, counts, f"{case['id']}: {error}"
    return kind, counts, None


def judge_turns(case, counts):
    """A case whose functions can be executed."""
    ours, theirs = Instances(case, "ours"), Instances(case, "theirs")
    for turn in case["turns"]:
        texts = make(case, turn, ours.call, counts)
        expected = theirs.execute([source for source, text in zip(turn["sources"], texts, strict=True) if text is not None])
        results = [text for text in texts if text is not None]
        assert results == expected, f"the model got {results} in place of {expected}"
        assert not (differs := difference(ours, theirs)), f"the states differ: {differs}"
        counts["tools later"] += len(turn["new_tools"])


def judge_turn(case, counts):
    """A case whose functions are descriptions."""
    numbers = itertools.count()
    texts = make(case, case["turns"][0], lambda *_: f"result {next(numbers)}", counts)
    results = [text for text in texts if text is not None]
    assert results == [f"result {number}" for number in range(len(results))], f"the model got {results}"


def make(case, turn, execute, counts):
    """Has the calls of a turn made. Returns the text of each result for the model, `None` for a call that was refused."""
    arrived = []

    def received(call):
        arrived.append(call)
        return execute(call["tool"], call["arguments"])

    shown = program.turn(received)
    calls = [call for answer in turn["answers"] for call in answer]
    arrivals = [arrival(case, call) for call in calls]
    expected = [call for call in arrivals if call]
    assert strict(arrived) == strict(expected), f"{arrived} arrived in place of {expected}"
    for call, result, arrives in zip(calls, shown, arrivals, strict=True):
        is_refused = result["is_error"] and "Invalid arguments for `" in result["text"]
        assert not result["is_error"] if arrives else is_refused, f"{call} has the result {result}"
        counts["refused" if not arrives else "unchanged" if arrives is call else "converted"] += 1
    counts.update(turns=1, calls=len(calls))
    return [result["text"] if arrives else None for result, arrives in zip(shown, arrivals)]


def arrival(case, call):
    """The call that must arrive; `None` if the call must be refused."""
    fits = Draft202012Validator(case["schemas"][call["tool"]]).is_valid
    if fits(call["arguments"]):
        return call
    converted = CONVERTED.get(case["id"])
    return {"tool": call["tool"], "arguments": converted} if converted and fits(converted) else None


def main():
    totals = collections.defaultdict(collections.Counter)
    problems = []
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), initializer=start, initargs=sys.argv[1:]) as pool:
        # The program goes on with the server of the case before if the tools are the same.
        by_tools = lambda case: strict(case["tools"])
        jobs = [pool.submit(judge, "several turns", case) for case in sorted(cases.multi_turn(), key=by_tools)]
        jobs += [pool.submit(judge, "one turn", case) for case in sorted(cases.single_turn(), key=by_tools)]
        for done in concurrent.futures.as_completed(jobs):
            kind, counts, problem = done.result()
            totals[kind] += counts
            problems += [problem] if problem else []
    for kind, expected in EXPECTED.items():
        counts = dict(totals[kind])
        print(f"{kind}: " + ", ".join(f"{counts.get(name)} {name}" for name in expected))
        problems += [f"{kind}: expected {expected}, counted {counts}"] if counts != expected else []
    for problem in problems[:20]:
        print(problem[:1000], file=sys.stderr)
    sys.exit(f"{len(problems)} problems" if problems else 0)


if __name__ == "__main__":
    main()

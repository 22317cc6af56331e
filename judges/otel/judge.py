"""Judges the spans and metrics of a run, as an OTLP receiver gets them: names, attributes, parents, content, secrets.

The receiver is `oteltap` and the names are those of `opentelemetry-semantic-conventions`, both from PyPI: `judges/install.sh otel`.

usage: judge.py PROGRAM     the built example `traced_run`
"""

import asyncio
import json
import os
import socket
import sys
import tempfile
from collections import Counter

from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.semconv._incubating.metrics import gen_ai_metrics
from oteltap import OtelTapHttpProtobufReceiver, OtelTapHttpProtobufReceiverSettings

SECRET = "s3cr3t-token-of-the-desk"
KNOWN = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_") and isinstance(value, str)}
DEPRECATED = {
    "gen_ai.system",
    "gen_ai.prompt",
    "gen_ai.completion",
    "gen_ai.usage.prompt_tokens",
    "gen_ai.usage.completion_tokens",
}
OURS = {
    "onionskin.run.id",
    "onionskin.run.paused",
    "onionskin.correlation.id",
    "onionskin.agent.instance",
    "onionskin.turn",
    "onionskin.attempt",
    "onionskin.tool.attempts",
    "onionskin.hook.name",
    "onionskin.hook.place",
    "error.type",
}
REQUIRED = {
    "execute_tool": ["gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.type", "gen_ai.agent.name"],
    "invoke_agent": [
        "gen_ai.provider.name",
        "gen_ai.agent.name",
        "gen_ai.agent.description",
        "gen_ai.conversation.id",
        "gen_ai.request.model",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "onionskin.run.id",
        "onionskin.correlation.id",
    ],
    "chat": [
        "gen_ai.provider.name",
        "gen_ai.conversation.id",
        "gen_ai.request.model",
        "gen_ai.response.finish_reasons",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
    ],
}
KINDS = {"execute_tool": 1, "invoke_agent": 1, "chat": 3}
# The hooks of the desk, around each of its calls.
HOOKS = Counter(
    {
        f"{hooks} < {call} < invoke_agent Desk": 2
        for call in ("execute_tool agent__Clerk", "execute_tool refund")
        for hooks in ("hook log", "hook timing < hook log")
    }
)
TYPES = {
    "gen_ai.usage.input_tokens": int,
    "gen_ai.usage.output_tokens": int,
    "gen_ai.request.temperature": float,
    "gen_ai.request.max_tokens": int,
    "gen_ai.request.stop_sequences": list,
    "gen_ai.response.finish_reasons": list,
}
CONTENT = {
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.tool.definitions",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
}
# Words of the run: of messages, prompts, arguments, results and errors.
WORDS = ["Refund the lamp", "costs 20", "Serve customers", "paid back", "no order of", "too much", "Done, says"]

CALL = "execute_tool agent__Clerk < invoke_agent Desk"
CHILD = f"invoke_agent Clerk < hook timing < hook log < {CALL}"
TREE = HOOKS + Counter(
    {
        "invoke_agent Desk": 1,
        "chat desk-1 < invoke_agent Desk": 3,
        CALL: 2,
        CHILD: 2,
        f"chat clerk-1 < {CHILD}": 6,
        f"execute_tool look_up < {CHILD}": 4,
        "execute_tool refund < invoke_agent Desk": 2,
    }
)
ERRORS = Counter({("execute_tool look_up", "failed"): 2, ("execute_tool refund", "denied"): 1})


def value(any_value):
    kind = any_value.WhichOneof("value")
    if kind == "array_value":
        return [value(one) for one in any_value.array_value.values]
    return getattr(any_value, kind) if kind else None


def attributes(of):
    return {one.key: value(one.value) for one in of.attributes}


def judge_span(span, content):
    found = attributes(span)
    if span.name == f"hook {found.get('onionskin.hook.name')}":
        return [f"{span.name}: content in `{name}`" for name in CONTENT & found.keys()]
    operation = found.get("gen_ai.operation.name")
    problems = [f"no `{name}`" for name in REQUIRED.get(operation, ["gen_ai.operation.name"]) if name not in found]
    problems += [f"unknown `{name}`" for name in found if name not in KNOWN | OURS]
    problems += [f"deprecated `{name}`" for name in found if name in DEPRECATED]
    problems += [f"`{name}` is {found[name]!r}" for name, kind in TYPES.items() if name in found and type(found[name]) is not kind]
    about = {"execute_tool": "gen_ai.tool.name", "invoke_agent": "gen_ai.agent.name", "chat": "gen_ai.request.model"}
    if operation in about and span.name != f"{operation} {found.get(about[operation])}":
        problems.append("another name")
    if span.kind != KINDS.get(operation):
        problems.append(f"kind {span.kind}")
    if ("error.type" in found) != (span.status.code == 2):
        problems.append(f"status {span.status.code}, error {found.get('error.type')}")
    if not span.start_time_unix_nano < span.end_time_unix_nano:
        problems.append("no duration")
    if not content:
        problems += [f"content in `{name}`" for name in CONTENT & found.keys()]
    return [f"{span.name}: {problem}" for problem in problems]


def judge_tree(spans):
    by_id = {span.span_id: span for span in spans}

    def line(span):
        parent = by_id.get(span.parent_span_id)
        return span.name if parent is None else f"{span.name} < {line(parent)}"

    found = Counter(line(span) for span in spans)
    problems = [f"{count} times too often: {one}" for one, count in (found - TREE).items()]
    problems += [f"{count} times missing: {one}" for one, count in (TREE - found).items()]
    errors = [span for span in spans if span.status.code == 2 and not span.name.startswith("hook ")]
    errors = Counter((span.name, attributes(span).get("error.type")) for span in errors)
    if errors != ERRORS:
        problems.append(f"errors: {errors}")
    if len({span.trace_id for span in spans}) != 1:
        problems.append("several traces")
    for name in ["onionskin.correlation.id", "onionskin.run.id"]:
        ids = {attributes(span)[name] for span in spans if name in attributes(span)}
        if len(ids) != 1:
            problems.append(f"`{name}`: {ids}")
    return problems


def judge_paused(runs):
    """The spans of a run that paused twice, by process: one trace, each run beneath the one before, and no request twice."""
    problems = [problem for spans in runs for span in spans for problem in judge_span(span, False)]
    spans = [span for run in runs for span in run]
    if len({span.trace_id for span in spans}) != 1:
        problems.append("several traces of a paused run")
    before = b""
    for number, run in enumerate(runs, 1):
        desks = [span for span in run if span.name == "invoke_agent Desk"]
        if len(desks) != 1 or desks[0].parent_span_id != before:
            problems.append(f"process {number}: the run is beneath {[span.parent_span_id for span in desks]}, not {before}")
            continue
        before = desks[0].span_id
        if ("onionskin.run.paused" in attributes(desks[0])) != (number < len(runs)):
            problems.append(f"process {number}: the run has {attributes(desks[0])}")
        known = {span.span_id for span in run}
        problems += [
            f"process {number}: {span.name} is beneath no span of it"
            for span in run
            if span.name != "invoke_agent Desk" and span.parent_span_id not in known
        ]
    names = Counter(span.name for span in spans)
    wanted = {"invoke_agent Desk": 3, "chat desk-1": 3, "chat clerk-1": 6}
    problems += [f"{names[name]} times `{name}`, not {count}" for name, count in wanted.items() if names[name] != count]
    for name in ["onionskin.correlation.id", "onionskin.run.id"]:
        ids = {attributes(span)[name] for span in spans if name in attributes(span)}
        if len(ids) != 1:
            problems.append(f"`{name}` of a paused run: {ids}")
    return problems


def judge_content(spans):
    """Each kind of content is there, and is what the conventions say."""
    problems = []
    found = set()
    for span in spans:
        for name in CONTENT & attributes(span).keys():
            found.add(name)
            text = attributes(span)[name]
            if name.endswith("messages"):
                for message in json.loads(text):
                    if message["role"] not in ("user", "assistant", "tool") or not message["parts"]:
                        problems.append(f"{span.name}: {name}: {message}")
    return problems + [f"no `{name}`" for name in CONTENT - found]


def judge_metrics(metrics, spans):
    problems = []
    chats = [span for span in spans if span.name.startswith("chat ")]
    wanted = {
        gen_ai_metrics.GEN_AI_CLIENT_TOKEN_USAGE: ("{token}", 2 * len(chats)),
        gen_ai_metrics.GEN_AI_CLIENT_OPERATION_DURATION: ("s", len(chats)),
    }
    for name, (unit, count) in wanted.items():
        found = [metric for metric in metrics if metric.name == name]
        if not found:
            problems.append(f"no metric `{name}`")
            continue
        metric = found[-1]
        points = metric.histogram.data_points
        if metric.unit != unit or sum(point.count for point in points) != count:
            problems.append(f"{name}: {metric.unit}, {sum(point.count for point in points)} values, expected {count}")
        for point in points:
            keys = set(attributes(point))
            needed = {"gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"}
            if name == gen_ai_metrics.GEN_AI_CLIENT_TOKEN_USAGE:
                needed.add("gen_ai.token.type")
            if keys != needed:
                problems.append(f"{name}: attributes {sorted(keys)}")
            if len(point.explicit_bounds) != 14:
                problems.append(f"{name}: {len(point.explicit_bounds)} bounds")
    return problems


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


async def collect(program, options):
    """The spans and the metrics of one run of the program."""
    spans, metrics = [], []

    async def keep(stream, into):
        async for one in stream:
            into.append(one)

    port = free_port()
    async with OtelTapHttpProtobufReceiver(OtelTapHttpProtobufReceiverSettings(http_port=port)) as receiver:
        readers = [
            asyncio.create_task(keep(receiver.stream_traces(), spans)),
            asyncio.create_task(keep(receiver.stream_metrics(), metrics)),
        ]
        environment = {
            **os.environ,
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
            "OTEL_SERVICE_NAME": "desk",
        }
        run = await asyncio.create_subprocess_exec(program, *options, env=environment)
        if await asyncio.wait_for(run.wait(), 60) != 0:
            raise SystemExit(f"{program} failed")
        # The program has delivered all; the receiver may still hand it on.
        seen, quiet = -1, 0
        for _ in range(100):
            await asyncio.sleep(0.2)
            quiet = quiet + 1 if seen == len(spans) + len(metrics) else 0
            seen = len(spans) + len(metrics)
            # A process that only resumes may ask no model, and then has no metrics.
            if quiet >= 5 and spans and (metrics or "--paused" in options):
                break
        for reader in readers:
            reader.cancel()
    return spans, metrics


def main():
    program = sys.argv[1]
    problems = []
    for options in [], ["--content"]:
        spans, metrics = asyncio.run(collect(program, options))
        found = [
            *(problem for span in spans for problem in judge_span(span, bool(options))),
            *judge_tree(spans),
            *judge_metrics(metrics, spans),
        ]
        everything = "".join(map(str, [*spans, *metrics]))
        if SECRET in everything:
            found.append("a secret")
        words = [word for word in WORDS if word in everything]
        if options:
            found += judge_content(spans)
            found += [f"`{word}` is not recorded" for word in WORDS if word not in words]
        elif words:
            found.append(f"content: {words}")
        print(f"{' '.join(['traced_run', *options])}: {len(spans)} spans, {len(metrics)} metrics, {len(found)} problems")
        problems += found
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "paused.json")
        runs = []
        while not runs or (os.path.exists(file) and len(runs) < 5):
            runs.append(asyncio.run(collect(program, ["--paused", file]))[0])
    found = judge_paused(runs)
    print(f"traced_run --paused, {len(runs)} processes: {sum(map(len, runs))} spans, {len(found)} problems")
    problems += found
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(bool(problems))


main()

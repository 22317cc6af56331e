"""The cases of the package: tools as MCP describes them, and turns.

A turn has an input, the tools that come with it, and the answers of a model: lists of the calls that the data expects.
"""
import ast
import importlib
import inspect
import json
import pathlib

import bfcl_eval
from bfcl_eval.constants.executable_backend_config import CLASS_FILE_PATH_MAPPING, MULTI_TURN_FUNC_DOC_FILE_MAPPING
from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI

from defects import LATER

DATA = pathlib.Path(bfcl_eval.__file__).parent / "data"
MULTI_TURN = ["base", "miss_func", "miss_param", "long_context"]
# Those with tools and expected calls. The others expect no call, or have no tools.
SINGLE_TURN = [
    "simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple",
    "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple",
]
# Types that the package's own table lacks or turns into strings. `None` accepts any value.
TYPES = GORILLA_TO_OPENAPI | {"any": None, "Any": None, "": None, "Boolean": "boolean"}
# Without `default`: a server would fill it in, and the calls would not arrive unchanged.
KEYWORDS = ["description", "enum", "format", "maximum", "required"]
# What the package's harness writes where a function comes later.
MORE_FUNCTIONS = "I have updated some more functions you can choose from. What about now?"


def lines(path):
    return [json.loads(line) for line in (DATA / path).read_text(encoding="utf-8").splitlines()]


def with_answers(category):
    answers = {entry["id"]: entry["ground_truth"] for entry in lines(f"possible_answer/BFCL_v4_{category}.json")}
    return [(entry, answers[entry["id"]]) for entry in lines(f"BFCL_v4_{category}.json")]


def schema(spec):
    written = {keyword: spec[keyword] for keyword in KEYWORDS if keyword in spec}
    if kind := TYPES[spec["type"]] if "type" in spec else None:
        written["type"] = kind
    if "properties" in spec:
        written["properties"] = {name: schema(inner) for name, inner in spec["properties"].items()}
    if "items" in spec:
        written["items"] = schema(spec["items"])
    return written


def tool(function):
    return {
        "name": function["name"],
        "description": function["description"],
        "input_schema": schema(function["parameters"]) | {"additionalProperties": False},
    }


def case(entry, functions, tools, turns):
    schemas = {function["name"]: tool(function)["input_schema"] for function in functions}
    return {"id": entry["id"], "entry": entry, "schemas": schemas, "tools": tools, "turns": turns}


def text(messages):
    return "\n".join(message["content"] for message in messages)


# ---- several turns, with functions that can be executed ------------------------------------------------------------


def multi_turn():
    documents = {name: lines(f"multi_turn_func_doc/{file}") for name, file in MULTI_TURN_FUNC_DOC_FILE_MAPPING.items()}
    for category in MULTI_TURN:
        for entry, ground_truth in with_answers(f"multi_turn_{category}"):
            functions = [function for name in entry["involved_classes"] for function in documents[name]]
            later = LATER.get(entry["id"], entry.get("missed_function", {}))
            hidden = {name for names in later.values() for name in names}
            turns = []
            for number, (messages, sources) in enumerate(zip(entry["question"], ground_truth, strict=True)):
                calls = [call(source, entry["involved_classes"]) for source in sources]
                turns.append({
                    "sources": sources,
                    "input": text(messages) or MORE_FUNCTIONS,
                    "new_tools": [tool(function) for function in functions if function["name"] in later.get(str(number), [])],
                    # Half of the categories have one call in each answer, the others all calls of a turn in one.
                    "answers": [[one] for one in calls] if category in MULTI_TURN[:2] else [calls] if calls else [],
                })
            tools = [tool(function) for function in functions if function["name"] not in hidden]
            yield case(entry, functions, tools, turns)


def call(source, classes):
    """`mv('a', destination='b')` with all arguments by name."""
    parsed = ast.parse(source, mode="eval").body
    positional = [ast.literal_eval(value) for value in parsed.args]
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in parsed.keywords}
    arguments = inspect.signature(method(parsed.func.id, classes)).bind(None, *positional, **named).arguments
    return {"tool": parsed.func.id, "arguments": {name: value for name, value in arguments.items() if name != "self"}}


def method(name, classes):
    for class_name in classes:
        implementation = getattr(importlib.import_module(CLASS_FILE_PATH_MAPPING[class_name]), class_name)
        if hasattr(implementation, name):
            return getattr(implementation, name)
    raise AttributeError(f"no class of {classes} has {name}")


# ---- one turn ------------------------------------------------------------------------------------------------------


def single_turn():
    for category in SINGLE_TURN:
        for entry, ground_truth in with_answers(category):
            functions = {function["name"]: function for function in entry["function"]}
            calls = []
            for expected in ground_truth:
                (name, accepted), = expected.items()
                calls.append({"tool": name, "arguments": first(accepted, functions[name]["parameters"])})
            turn = {"input": text(entry["question"][0]), "new_tools": [], "answers": [calls]}
            tools = [tool(function) for function in functions.values()]
            yield case(entry, entry["function"], tools, [turn])


def first(accepted, parameters):
    """The first accepted value of each parameter. An empty text stands for a parameter that may be left out."""
    arguments = {}
    for name, values in accepted.items():
        if not values or values[0] == "" and name not in parameters["required"]:
            continue
        arguments[name] = value(values[0], parameters["properties"].get(name, {}))
    return arguments


def value(accepted, spec):
    """In an object, and in a list of objects, each field again has a list of accepted values."""
    fields = lambda one: {name: values[0] for name, values in one.items() if values[0] != ""}
    if spec.get("type") == "dict" and isinstance(accepted, dict):
        return fields(accepted)
    if spec.get("type") == "array" and spec["items"].get("type") == "dict" and isinstance(accepted, list):
        return [fields(one) for one in accepted]
    return accepted

"""Holds exported tools (lines of JSON, as `export_lines` writes them) to six programs that read such schemas.

usage: judge.py LINES

What we call strict must pass every checker that applies to its form. What does not is listed in DEVIATIONS, by name and
with the reason; one that is not listed fails the run, and so does one that is listed and did not happen.
"""
import collections
import copy
import json
import logging
import sys

import llguidance
from anthropic.lib._parse._transform import transform_schema
from google.genai import types
from jsonschema import Draft202012Validator
from openai.lib._pydantic import _ensure_strict_json_schema
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

logging.disable(logging.WARNING)

# (checker, group, tool): why the checker does not take what we export.
DEVIATIONS = {}

# The tools of the examples and of the ready toolboxes; each goes out in each of these forms.
TOOLS = {"pmo": 5, "export_everywhere": 1, "toolbox_kb": 8, "serve_tools": 2, "toolboxes": 5}
EVERYWHERE = [
    *((form, mode) for form in ("openai_chat", "openai_responses", "to_jsonschema") for mode in ("plain", "strict", "lossy")),
    *((form, mode) for form in ("anthropic", "gemini", "gemini_json_schema") for mode in ("plain", "strict", "lossy")),
    ("mcp", "plain"),
]

# The least that must have been exported, so that refusing everything is no way through: (form, mode, group): count.
LEAST = {
    ("openai_chat", "strict", "matrix"): 116,
    ("openai_chat", "lossy", "matrix"): 124,
    ("openai_chat", "strict", "bfcl-sample"): 40,
    ("anthropic", "strict", "matrix"): 110,
    ("anthropic", "strict", "bfcl-sample"): 40,
    ("gemini", "plain", "matrix"): 110,
    ("gemini", "plain", "bfcl-sample"): 40,
    ("mcp", "plain", "matrix"): 137,
    **{(form, mode, group): count for group, count in TOOLS.items() for form, mode in EVERYWHERE},
}


def meta(schema):
    Draft202012Validator.check_schema(schema)


def openai(schema):
    """The official SDK makes a schema strict; one that is strict stays as it is."""
    strict = _ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=copy.deepcopy(schema))
    assert strict == schema, difference(schema, strict)


def pydantic_ai(schema):
    walker = OpenAIJsonSchemaTransformer(copy.deepcopy(schema), strict=None)
    walker.walk()
    assert walker.is_strict_compatible, "not strict for pydantic-ai"


def grammar(schema):
    """The schema compiles to a grammar that a model can be held to."""
    compiled = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema))
    error = llguidance.LLMatcher.validate_grammar(compiled, None)
    assert not error, error


def anthropic(schema):
    """As for OpenAI. The SDK drops the `type` beside listed values, which says nothing new."""
    strict = transform_schema(copy.deepcopy(schema))
    assert strict == untyped(schema), difference(untyped(schema), strict)


def untyped(schema):
    if isinstance(schema, list):
        return [untyped(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: untyped(value) for key, value in schema.items()}
    if isinstance(out.get("enum"), list) or "const" in out and not isinstance(out["const"], dict):
        out.pop("type", None)
    return out


def google(declaration):
    """The official SDK takes the declaration, and every word in it is one that it knows."""
    read = types.FunctionDeclaration.model_validate(declaration)
    schema = declaration.get("parameters")
    if schema is not None:
        back = json.loads(read.parameters.model_dump_json(by_alias=True, exclude_none=True))
        assert back == schema, difference(schema, back)


def difference(ours, theirs, path="$"):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted({*ours, *theirs}):
            if ours.get(key) != theirs.get(key):
                return difference(ours.get(key), theirs.get(key), f"{path}.{key}")
    return f"{path}: ours {json.dumps(ours)[:120]}, theirs {json.dumps(theirs)[:120]}"


def self_test():
    """A checker that takes everything judges nothing: each is shown what it must refuse."""
    text = {"type": "string"}
    wrong = [
        (meta, {"type": 1}),
        (openai, {"type": "object", "properties": {"a": text}, "additionalProperties": False}),
        (pydantic_ai, {"type": "object", "properties": {"a": {"oneOf": [text, {"type": "null"}]}}, "required": ["a"]}),
        (grammar, {"type": "object", "properties": {"a": False}, "required": ["a"], "additionalProperties": False}),
        (anthropic, {"type": "integer", "minimum": 1}),
        (google, {"name": "a", "parameters": {"type": "OBJECT", "properties": {"a": {"const": 1}}}}),
    ]
    for check, subject in wrong:
        try:
            check(subject)
        except Exception:
            continue
        sys.exit(f"{check.__name__} took {subject}")


def checks(form, mode, export):
    """The checkers that apply to a form, each with what it reads."""
    if form in ("gemini", "gemini_json_schema"):
        return [("google-genai", google, export)]
    schema = {
        "openai_chat": lambda: export["function"]["parameters"],
        "openai_responses": lambda: export["parameters"],
        "to_jsonschema": lambda: export["parameters"],
        "anthropic": lambda: export["input_schema"],
        "mcp": lambda: export["inputSchema"],
    }[form]()
    found = [("jsonschema", meta, schema)]
    if form == "mcp" and "outputSchema" in export:
        found.append(("jsonschema", meta, export["outputSchema"]))
    strict = export.get("function", export).get("strict") is True
    assert strict or mode == "plain" or form == "mcp", f"{form} {mode} is not marked strict"
    # Only what is strict is decoded within a grammar.
    if strict and form == "anthropic":
        found += [("llguidance", grammar, schema), ("anthropic", anthropic, schema)]
    elif strict:
        found += [("llguidance", grammar, schema), ("openai", openai, schema), ("pydantic-ai", pydantic_ai, schema)]
    return found


def main():
    self_test()
    counts, refused, passed = collections.Counter(), collections.Counter(), collections.Counter()
    failures, seen = [], set()
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            group, tool, form, mode = line["group"], line["tool"], line["form"], line["mode"]
            if line["error"] is not None:
                refused[form, mode, group] += 1
                assert f"`{tool}`" in line["error"] and "`$" in line["error"], line["error"]
                continue
            counts[form, mode, group] += 1
            for checker, check, subject in checks(form, mode, line["export"]):
                try:
                    check(subject)
                    passed[checker] += 1
                except Exception as error:  # whatever it is, it did not take the schema
                    if (checker, group, tool) in DEVIATIONS:
                        seen.add((checker, group, tool))
                    else:
                        failures.append(f"{checker} {form} {mode} {group}/{tool}: {str(error)[:300]}")
    for key in sorted({*counts, *refused}):
        print(*key, "exported", counts[key], "refused", refused[key])
    for checker in sorted(passed):
        print(checker, "took", passed[checker])
    for key in sorted(seen):
        print("deviation:", *key, "-", DEVIATIONS[key])
    failures += [f"listed, and it did not happen: {key}" for key in DEVIATIONS if key not in seen]
    failures += [f"{key}: only {counts[key]} exported, expected {least}" for key, least in LEAST.items() if counts[key] < least]
    for failure in failures:
        print("FAILED", failure)
    sys.exit(bool(failures) or not passed)


main()

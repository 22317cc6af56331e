"""Holds exported tools (lines of JSON, as `export_lines` writes them) to six programs that read such schemas.

usage: judge.py LINES

Every schema must be one of JSON Schema 2020-12 and compile to a grammar; what we call strict must pass the checkers of its
provider as well. What does not is listed in DEVIATIONS, by name, form and mode, with what the checker says and the reason;
a failure that is not listed fails the run, and so does one that is listed and did not happen. How many tools go out in each
form and mode is listed in EXPECTED.
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

MODES = ("plain", "strict", "lossy")
# The forms that hold the schema as the tool has it.
AS_IT_IS = [
    *((form, "plain") for form in ("openai_chat", "openai_responses", "to_jsonschema", "anthropic")),
    *((form, mode) for form in ("gemini_json_schema", "mcp") for mode in MODES),
]
# Anthropic's strict dialect.
ANTHROPIC = [("anthropic", "strict"), ("anthropic", "lossy")]

NO_TYPE = "drops the `type` beside listed values"
# (checker, forms with modes, group, tools, what it says, why the schema goes out all the same)
LISTED = [
    (
        "llguidance", AS_IT_IS, "matrix", ["non_zero_signed"],
        'Unimplemented keys: ["not"]', "zero is all that the type leaves out",
    ),
    ("llguidance", AS_IT_IS, "matrix", ["ip"], "Unknown format: ip", "schemars' word for an address of either kind"),
    (
        "llguidance", AS_IT_IS, "matrix", ["tree_set", "hash_set", "set_of_enums"],
        'Unimplemented keys: ["uniqueItems"]', "a set has no value twice",
    ),
    *(
        ("anthropic", ANTHROPIC, group, tools, NO_TYPE, "both say the same, and other readers look for a `type`")
        for group, tools in {
            "matrix": [
                "option_documented", "option_tagged", "vec_enum", "vec_tagged", "flat_enum", "unitary", "documented",
                "external", "tagged", "tagged_newtype", "field_cased", "adjacent", "single",
            ],
            "bfcl-sample": ["prime_numbers_in_range", "get_cell_function"],
            "tools-everything": [
                "get-annotated-message", "get-resource-reference", "get-structured-content", "gzip-file-as-resource",
            ],
            "tools-filesystem": ["list_directory_with_sizes"],
            "export_everywhere": ["search"],
            "serve_tools": ["search_shop"],
        }.items()
    ),
]
# (checker, form, mode, group, tool): (what it says, why the schema goes out all the same)
DEVIATIONS = {
    (checker, form, mode, group, tool): (says, why)
    for checker, forms, group, tools, says, why in LISTED
    for form, mode in forms
    for tool in tools
}

# Groups that have every form in every mode, each with the number of its tools: those of the examples, the ready toolboxes, a
# sample of BFCL, and what seven MCP servers list.
WHOLE = {
    "pmo": 5, "export_everywhere": 1, "toolbox_kb": 8, "serve_tools": 2, "toolboxes": 5, "bfcl-sample": 40,
    "tools-everything": 13, "tools-fetch": 1, "tools-filesystem": 14, "tools-memory": 9, "tools-sequential-thinking": 1,
    "tools-tau2-mock-mcp-eval": 8, "tools-time": 2,
}
# How many types of the matrix have each form: plain, strict, lossy. The others are refused.
MATRIX = {
    "openai_chat": (145, 124, 132),
    "openai_responses": (145, 124, 132),
    "to_jsonschema": (145, 124, 132),
    "anthropic": (145, 118, 126),
    "gemini": (118, 118, 126),
    "gemini_json_schema": (145, 145, 145),
    "mcp": (145, 145, 145),
}
EXPECTED = {
    **{(form, mode, group): count for form in MATRIX for mode in MODES for group, count in WHOLE.items()},
    **{(form, mode, "matrix"): count for form, counts in MATRIX.items() for mode, count in zip(MODES, counts)},
}

# What an imported MCP tool does not carry on: whether a call may become a task, which no call of ours does.
NOT_CARRIED = {"execution"}


def meta(schema):
    Draft202012Validator.check_schema(schema)


def openai(schema):
    """The official SDK makes a schema strict; one that is strict stays as it is."""
    strict = unordered(_ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=copy.deepcopy(schema)))
    schema = unordered(schema)
    assert strict == schema, difference(schema, strict)


def unordered(schema):
    """With the names of required properties in one order: JSON Schema gives theirs no meaning."""
    if isinstance(schema, list):
        return [unordered(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: sorted(value) if key == "required" and isinstance(value, list) else unordered(value)
        for key, value in schema.items()
    }


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
    """As for OpenAI."""
    strict = transform_schema(copy.deepcopy(schema))
    assert strict == untyped(schema), difference(untyped(schema), strict)
    assert strict == schema, NO_TYPE


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


def imported(subject):
    """MCP's form of a tool that a server listed is what the server listed."""
    source, export = subject
    source = {key: value for key, value in source.items() if key not in NOT_CARRIED}
    assert export == source, difference(source, export)


def refuses(check, subject):
    try:
        check(subject)
    except Exception:  # whatever it is, it did not take the subject
        return True
    return False


def self_test():
    """A checker that takes everything judges nothing: each is shown what it must refuse."""
    text = {"type": "string"}
    open_object = {"type": "object", "properties": {"a": text}}
    wrong = [
        (meta, {"type": 1}),
        (openai, {"type": "object", "properties": {"a": text}, "additionalProperties": False}),
        (pydantic_ai, {"type": "object", "properties": {"a": {"oneOf": [text, {"type": "null"}]}}, "required": ["a"]}),
        (grammar, {"type": "object", "properties": {"a": False}, "required": ["a"], "additionalProperties": False}),
        (anthropic, {"type": "integer", "minimum": 1}),
        (anthropic, {"type": "string", "enum": ["a"]}),
        (google, {"name": "a", "parameters": {"type": "OBJECT", "properties": {"a": {"const": 1}}}}),
        (imported, ({"name": "a", "title": "A"}, {"name": "a"})),
    ]
    for check, subject in wrong:
        if not refuses(check, subject):
            sys.exit(f"{check.__name__} took {subject}")
    # Each form is looked at where its schema is, by each checker that must look there.
    broken, nothing = {"type": 1}, {"type": "object", "properties": {"a": False}, "required": ["a"]}
    at = {
        "openai_chat": lambda schema, strict: {"function": {"parameters": schema, "strict": strict}},
        "openai_responses": lambda schema, strict: {"parameters": schema, "strict": strict},
        "to_jsonschema": lambda schema, strict: {"parameters": schema, "strict": strict},
        "anthropic": lambda schema, strict: {"input_schema": schema, "strict": strict},
        "gemini_json_schema": lambda schema, _: {"name": "a", "parametersJsonSchema": schema},
        "mcp": lambda schema, _: {"inputSchema": schema},
    }
    dialect = {"openai_chat": {"openai", "pydantic-ai"}, "openai_responses": {"openai", "pydantic-ai"},
               "to_jsonschema": {"openai", "pydantic-ai"}, "anthropic": {"anthropic"}}
    for form, export in at.items():
        for schema, mode, checkers in [
            (broken, "plain", {"jsonschema"}),
            (nothing, "plain", {"llguidance"}),
            (open_object, "strict", dialect.get(form, set())),
        ]:
            found = checks(form, mode, export(schema, mode == "strict"), None)
            missing = checkers - {name for name, check, subject in found if refuses(check, subject)}
            if missing:
                sys.exit(f"{missing} took {schema} as {form}")


def checks(form, mode, export, source):
    """The checkers that apply to a form, each with what it reads."""
    found = []
    if form in ("gemini", "gemini_json_schema"):
        found.append(("google-genai", google, export))
    if form == "gemini":
        return found
    schema = {
        "openai_chat": lambda: export["function"]["parameters"],
        "openai_responses": lambda: export["parameters"],
        "to_jsonschema": lambda: export["parameters"],
        "anthropic": lambda: export["input_schema"],
        "gemini_json_schema": lambda: export["parametersJsonSchema"],
        "mcp": lambda: export["inputSchema"],
    }[form]()
    found += [("jsonschema", meta, schema), ("llguidance", grammar, schema)]
    if form == "mcp":
        if "outputSchema" in export:
            found.append(("jsonschema", meta, export["outputSchema"]))
        if source is not None:
            found.append(("imported", imported, (source, export)))
    strict = export.get("function", export).get("strict") is True
    assert strict or mode == "plain" or form in ("gemini_json_schema", "mcp"), f"{form} {mode} is not marked strict"
    if strict and form == "anthropic":
        found.append(("anthropic", anthropic, schema))
    elif strict:
        found += [("openai", openai, schema), ("pydantic-ai", pydantic_ai, schema)]
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
            for checker, check, subject in checks(form, mode, line["export"], line["source"]):
                try:
                    check(subject)
                    passed[checker] += 1
                except Exception as error:  # whatever it is, it did not take the schema
                    key = (checker, form, mode, group, tool)
                    if key in DEVIATIONS and DEVIATIONS[key][0] in str(error):
                        seen.add(key)
                    else:
                        failures.append(f"{' '.join(key)}: {str(error)[:300]}")
    for key in sorted({*counts, *refused}):
        print(*key, "exported", counts[key], "refused", refused[key])
    for checker in sorted(passed):
        print(checker, "took", passed[checker])
    for key in sorted(seen):
        print("deviation:", *key, "-", ": ".join(DEVIATIONS[key]))
    failures += [f"listed, and it did not happen: {key}" for key in DEVIATIONS if key not in seen]
    failures += [
        f"{' '.join(key)}: {counts[key]} exported, expected {EXPECTED.get(key)}"
        for key in sorted({*counts, *refused, *EXPECTED})
        if counts[key] != EXPECTED.get(key)
    ]
    for failure in failures:
        print("FAILED", failure)
    sys.exit(bool(failures) or not passed)


main()

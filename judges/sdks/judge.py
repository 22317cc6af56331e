"""Has the official OpenAI and Anthropic SDKs send our exported tools to a mock of their servers (aimock), run what comes
back, and send the result; has MCP's inspector list and call them on our server.

usage: judge.py SERVE_TOOLS    the example `serve_tools` of the runtime
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import typing

import anthropic
import openai
import pydantic
from anthropic.types import ToolParam
from jsonschema import Draft202012Validator
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import FunctionToolParam

HERE = pathlib.Path(__file__).parent
KIT = HERE.parent / ".kit"
NODE = KIT / "bin/node"
MOCK = KIT / "wire/node_modules/@copilotkit/aimock/dist/cli.js"
INSPECTOR = KIT / "inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
# What people ask, which tool that takes, what the model makes of its result.
QUESTIONS = [("cheap hammers", "search_shop", "There is a hammer."), ("say hello", "greet", "I said hello.")]
# Where optional arguments are left out, and not `null`.
LEAVES_OUT = [("hammers for little", *QUESTIONS[0][1:]), QUESTIONS[1]]
# How long the mock may take to start, in seconds.
PATIENCE = 60


def ours(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout.strip()


def exported(form, sdk_type):
    """The tools in a form, which the SDK's own type for it takes, and in which it knows every word."""
    tools = json.loads(ours("export", form))
    for tool in tools:
        unknown = tool.keys() - typing.get_type_hints(sdk_type).keys()
        assert not unknown, f"{form}: {unknown}"
    pydantic.TypeAdapter(list[sdk_type]).validate_python(tools)
    return tools


def run(name, arguments, schemas):
    """Runs a call whose arguments fit the schema that the model read."""
    arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
    Draft202012Validator(schemas[name]).validate(arguments)
    return ours("call", name, json.dumps(arguments))


def chat(address):
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
    tools = exported("openai_chat", ChatCompletionFunctionToolParam)
    assert [tool["function"].get("strict") for tool in tools] == [True, None], tools
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    for question, name, answer in QUESTIONS:
        messages = [{"role": "user", "content": question}]
        message = client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools).choices[0].message
        [call] = message.tool_calls
        assert call.function.name == name, call
        result = {"role": "tool", "tool_call_id": call.id, "content": run(name, call.function.arguments, schemas)}
        messages += [message.model_dump(exclude_none=True), result]
        final = client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools)
        assert final.choices[0].message.content == answer, final


def responses(address):
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
    tools = exported("openai_responses", FunctionToolParam)
    assert [tool["strict"] for tool in tools] == [True, False], tools
    schemas = {tool["name"]: tool["parameters"] for tool in tools}
    for question, name, answer in QUESTIONS:
        asked = [{"role": "user", "content": question}]
        first = client.responses.create(model="gpt-4o", input=asked, tools=tools)
        [call] = [item for item in first.output if item.type == "function_call"]
        assert call.name == name, call
        output = run(name, call.arguments, schemas)
        result = {"type": "function_call_output", "call_id": call.call_id, "output": output}
        asked += [item.model_dump(exclude_none=True) for item in first.output] + [result]
        final = client.responses.create(model="gpt-4o", input=asked, tools=tools)
        assert final.output_text == answer, final


def messages(address):
    client = anthropic.Anthropic(base_url=address, api_key="none", max_retries=0)
    tools = exported("anthropic", ToolParam)
    assert [tool.get("strict") for tool in tools] == [True, None], tools
    schemas = {tool["name"]: tool["input_schema"] for tool in tools}
    for question, name, answer in LEAVES_OUT:
        asked = [{"role": "user", "content": question}]
        first = client.messages.create(model="claude", max_tokens=100, messages=asked, tools=tools)
        [call] = [block for block in first.content if block.type == "tool_use"]
        assert call.name == name, call
        result = {"type": "tool_result", "tool_use_id": call.id, "content": run(name, call.input, schemas)}
        asked += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
        final = client.messages.create(model="claude", max_tokens=100, messages=asked, tools=tools)
        assert final.content[0].text == answer, final


def inspect(*arguments):
    command = [NODE, INSPECTOR, "--cli", PROGRAM, "serve", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)


def inspector():
    listed = {tool["name"]: tool for tool in inspect("--method", "tools/list")["tools"]}
    for tool in json.loads(ours("export", "mcp")):
        assert listed[tool["name"]] == tool, (listed[tool["name"]], tool)
        for key in ("inputSchema", "outputSchema"):
            Draft202012Validator.check_schema(tool.get(key, {}))
    assert listed.keys() == {"search_shop", "greet"} and "user" not in listed["greet"]["inputSchema"]["properties"]

    search = ["--tool-name", "search_shop", "--tool-arg", 'words=["a","b","c"]', "--tool-arg", "filters=[]"]
    found = inspect("--method", "tools/call", *search)
    Draft202012Validator(listed["search_shop"]["outputSchema"]).validate(found["structuredContent"])
    assert found["structuredContent"]["more"] == 1 and not found.get("isError"), found
    greeted = inspect("--method", "tools/call", "--tool-name", "greet", "--tool-arg", "word=Hello")
    Draft202012Validator(listed["greet"]["outputSchema"]).validate(greeted["structuredContent"])
    assert greeted["content"] == [{"type": "text", "text": "Hello Ada"}], greeted


def listening(mock, log):
    """The address at which the mock answers, once it says so."""
    for _ in range(PATIENCE * 10):
        lines = [line for line in log.read_text().splitlines() if "listening on " in line]
        if lines:
            return lines[0].split("listening on ")[1].strip()
        assert mock.poll() is None, f"the mock ended: {log.read_text()}"
        time.sleep(0.1)
    raise TimeoutError(f"the mock did not start within {PATIENCE} s: {log.read_text()}")


def main():
    for part in (NODE, MOCK, INSPECTOR):
        assert part.exists(), f"{part} is not installed: run `judges/install.sh schemas inspector wire`"
    command = [NODE, MOCK, "-p", "0", "--strict", "--validate-on-load", "-f", HERE / "fixtures.json"]
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "mock.log")
        with log.open("w") as out:
            mock = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        try:
            address = listening(mock, log)
            for judge in (chat, responses, messages):
                judge(address)
                print(f"{judge.__name__}: the SDK sent the tools, the calls came back, ran and were answered")
        finally:
            mock.kill()
            mock.wait()
    inspector()
    print("inspector: it listed the tools as they are exported, and called them")


main()

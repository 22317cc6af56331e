"""MCP's own client, its inspector, on the command line: each order is a run of its own."""
import functools
import json
import subprocess

from checks import NEW, OLD, TOOLS, equal
from connections import INSPECTOR, NODE, TRANSPORTS, desk_at

ERAS = {OLD: "legacy", NEW: "modern"}


class Inspector:
    def __init__(self, target, era):
        self.target, self.era = target, era

    def run(self, *arguments):
        command = [NODE, INSPECTOR, "--cli", *self.target, "--protocol-era", self.era, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=90)

    def __call__(self, *arguments):
        done = self.run(*arguments)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    def call(self, name, **arguments):
        return self("--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))


def tools(inspector):
    """the tools, whose schemas are portable"""
    listed = inspector("--method", "tools/list", "--strict")
    equal([tool["name"] for tool in listed["tools"]], TOOLS)


def calls(inspector):
    """a result, the error of a tool and an agent"""
    found = inspector.call("find_article", words="saw")
    equal(found["structuredContent"], {"articles": [{"name": "saw", "cents": 990}], "more": 0})
    done = inspector.run("--method", "tools/call", "--tool-name", "open_till")
    assert "the till is locked" in done.stdout + done.stderr, done
    assert "I found" in inspector.call("clerk", input="saw")["content"][0]["text"]


def offers(inspector):
    """resources, templates and prompts"""
    resources = inspector("--method", "resources/list")["resources"]
    equal([resource["uri"] for resource in resources], ["shop://terms", "shop://logo"])
    [template] = inspector("--method", "resources/templates/list")["resourceTemplates"]
    equal(template["uriTemplate"], "shop://orders/{id}")
    read = inspector("--method", "resources/read", "--uri", "shop://orders/7")
    equal(read["contents"][0]["text"], '{"id":7}')
    prompts = inspector("--method", "prompts/list")["prompts"]
    equal([prompt["name"] for prompt in prompts], ["review", "talk", "letter"])
    review = inspector("--method", "prompts/get", "--prompt-name", "review", "--prompt-args", "article=saw")
    equal(review["messages"][0]["content"]["text"], "Review the saw for .")


def load(inspector):
    """many calls at a time"""
    search = ["--method", "tools/call", "--tool-name", "find_article", "--tool-args-json", '{"words":"saw"}']
    done = inspector.run(*search, "--load", "--load-requests", "200", "--load-concurrency", "30", "--format", "json")
    done = json.loads(done.stdout)["result"]
    equal([done["ok"], done["errorRate"]], [200, 0])


def jobs(desk, folder):
    def job(transport, protocol, era):
        with desk_at(desk, folder, transport) as target:
            header = ["--header", f"Authorization: Bearer {target.get('token')}"]
            where = target.get("command") or [target["url"], "--transport", "http", *header]
            inspector = Inspector(where, era)
            for check in (tools, calls, offers, load):
                check(inspector)
                print(f"the inspector over {transport}, {protocol}: {check.__doc__}", flush=True)

    for transport in TRANSPORTS:
        for protocol, era in ERAS.items():
            yield functools.partial(job, transport, protocol, era)

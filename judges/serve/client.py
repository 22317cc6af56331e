"""A client by the Python SDK or by FastMCP, which does what the lines of its standard input say, and answers each with a line.

usage: client.py mcp|fastmcp

The first line says where the server is and which generation of the protocol to speak; `judge.py` has the lines.
"""
import asyncio
import json
import logging
import sys
import warnings

import fastmcp
import httpx2
import mcp
import mcp_types
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

# How long a notification may take, in seconds.
PATIENCE = 20
NEW = "2026-07-28"
LEVEL = "io.modelcontextprotocol/logLevel"


class Seen:
    """What the server told and asked while the client waited for an answer."""

    def __init__(self):
        self.of = {"progress": [], "asked": [], "logs": [], "changes": []}
        self.news = asyncio.Condition()
        self.answers = []
        self.on_progress = lambda: None
        # The status of the last answer over HTTP, which the SDK does not show.
        self.status = None

    async def add(self, kind, value):
        async with self.news:
            self.of[kind].append(value)
            self.news.notify_all()

    async def wait(self, kind, count):
        async with self.news, asyncio.timeout(PATIENCE):
            await self.news.wait_for(lambda: len(self.of[kind]) >= count)

    def drain(self, *kinds):
        drained = {kind: self.of[kind] for kind in kinds}
        for kind in kinds:
            self.of[kind] = []
        return drained

    async def progress(self, progress, total=None, message=None):
        await self.add("progress", [progress, total, message])
        self.on_progress()

    async def response(self, response):
        self.status = response.status_code

    async def log(self, params):
        await self.add("logs", plain(params))

    async def message(self, message):
        changes = (
            mcp_types.ToolListChangedNotification,
            mcp_types.PromptListChangedNotification,
            mcp_types.ResourceListChangedNotification,
            mcp_types.ResourceUpdatedNotification,
        )
        if isinstance(message, changes):
            uri = getattr(message.params, "uri", None)
            await self.add("changes", message.method + (f" {uri}" if uri else ""))

    async def elicit(self, params):
        await self.add("asked", {"message": params.message, "schema": params.requested_schema})
        return self.answers.pop(0)


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def mode(target):
    return "legacy" if target["era"] == "old" else "auto"


class Mcp:
    """The Python SDK."""

    version = "mcp"

    def __init__(self, target, seen):
        async def elicit(_, params):
            return mcp_types.ElicitResult(**await seen.elicit(params))

        if "url" in target:
            headers = {"Authorization": f"Bearer {target['token']}"} if target.get("token") else {}
            hooks = {"response": [seen.response]}
            http = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=300), event_hooks=hooks)
            server = streamable_http_client(target["url"], http_client=http)
        else:
            server = StdioServerParameters(command=target["command"][0], args=target["command"][1:])
        # Without a cache, so that each list comes from the server.
        self.client = mcp.Client(
            server, mode=mode(target), cache=None, elicitation_callback=elicit, logging_callback=seen.log,
            message_handler=seen.message,
        )
        self.session = lambda: self.client.session
        self.seen = seen
        self.meta = None

    async def call(self, name, arguments):
        return await self.client.call_tool(name, arguments, progress_callback=self.seen.progress, meta=self.meta)

    async def prompt(self, name, arguments):
        return await self.client.get_prompt(name, arguments)

    async def complete(self, prompt, argument):
        return await self.client.complete(mcp_types.PromptReference(name=prompt), argument)

    async def pages(self, what):
        list_page = getattr(self.client, f"list_{what}")
        cursor, entries = None, []
        while True:
            page = await list_page(cursor=cursor)
            entries += getattr(page, what)
            cursor = page.next_cursor
            if cursor is None:
                return [plain(entry) for entry in entries]

    async def read(self, uri):
        return await self.client.read_resource(uri)

    def server(self):
        return self.client.server_info, self.client.server_capabilities, self.client.instructions


class FastMcp(Mcp):
    """FastMCP's client."""

    version = "fastmcp"

    def __init__(self, target, seen):
        async def elicit(message, response_type, params, context):
            answer = await seen.elicit(params)
            return fastmcp.client.elicitation.ElicitResult(**answer)

        if "url" in target:
            factory = lambda **options: httpx2.AsyncClient(**options, event_hooks={"response": [seen.response]})
            server = StreamableHttpTransport(target["url"], auth=target.get("token"), httpx_client_factory=factory)
        else:
            server = StdioTransport(target["command"][0], target["command"][1:], keep_alive=False)
        self.client = fastmcp.Client(
            server, mode=mode(target), elicitation_handler=elicit, log_handler=seen.log, message_handler=seen.message,
            progress_handler=seen.progress,
        )
        self.session = lambda: self.client.session
        self.seen = seen
        self.meta = None

    async def call(self, name, arguments):
        return await self.client.call_tool_mcp(name, arguments, meta=self.meta)

    async def prompt(self, name, arguments):
        return await self.client.get_prompt(name, arguments)

    async def complete(self, prompt, argument):
        return await self.client.complete_mcp(mcp_types.PromptReference(name=prompt), argument)

    async def pages(self, what):
        return [plain(entry) for entry in await getattr(self.client, f"list_{what}")()]

    async def read(self, uri):
        return await self.client.read_resource_mcp(uri)

    def server(self):
        session = self.session()
        return session.server_info, session.server_capabilities, session.instructions


class Driver:
    def __init__(self, client, seen):
        self.client, self.seen = client, seen
        self.is_new = client.session().protocol_version == NEW

    async def do(self, line):
        name = line.pop("do")
        return await getattr(self, f"do_{name}")(**line)

    async def do_list(self, what):
        return await self.client.pages(what)

    async def do_call(self, name, arguments, answers=(), cancel=False):
        self.seen.answers = list(answers)
        call = asyncio.ensure_future(self.client.call(name, arguments))
        self.seen.on_progress = call.cancel if cancel else lambda: None
        return plain(await call)

    async def do_prompt(self, name, arguments, answers=()):
        self.seen.answers = list(answers)
        return plain(await self.client.prompt(name, arguments))

    async def do_read(self, uri):
        return plain(await self.client.read(uri))

    async def do_complete(self, prompt, name, value):
        return plain(await self.client.complete(prompt, {"name": name, "value": value}))

    async def do_level(self, level):
        if self.is_new:
            self.client.meta = {LEVEL: level}
        else:
            await self.client.session().set_logging_level(level)

    async def do_watch(self, uri):
        if not self.is_new:
            await self.client.session().subscribe_resource(uri)
            return
        heard = asyncio.Event()
        self.watching = asyncio.ensure_future(self.watch(uri, heard))
        await heard.wait()

    async def watch(self, uri, heard):
        # The events reach the handler of messages too.
        listening = mcp.client.subscriptions.listen(
            self.client.session(), tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True,
            resource_subscriptions=[uri],
        )
        async with listening as subscription:
            heard.set()
            async for _ in subscription:
                pass

    async def do_wait(self, kind, count):
        await self.seen.wait(kind, count)
        return self.seen.drain(kind)[kind]


def told(error, status):
    """An error as the judge reads it: the innermost one of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    status = getattr(getattr(error, "response", None), "status_code", status)
    return {"type": type(error).__name__, "text": str(error), "code": getattr(error, "code", None), "status": status}


def say(**answer):
    print(json.dumps(answer), flush=True)


async def lines():
    reader = asyncio.StreamReader(limit=2**24)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async for line in reader:
        yield json.loads(line)


async def main():
    kinds = {"mcp": Mcp, "fastmcp": FastMcp}
    orders = lines()
    target, seen = await anext(orders), Seen()
    client = kinds[sys.argv[1]](target, seen)
    try:
        async with client.client:
            server, capabilities, instructions = client.server()
            session = client.session()
            about = {"name": server.name, "version": server.version, "title": server.title}
            about |= {"instructions": instructions, "capabilities": sorted(plain(capabilities))}
            say(result={"protocol": session.protocol_version, **about})
            driver = Driver(client, seen)
            async for line in orders:
                try:
                    answer = {"result": await driver.do(line)}
                except asyncio.CancelledError:
                    answer = {"error": {"type": "cancelled"}}
                except Exception as error:
                    answer = {"error": told(error, seen.status)}
                say(**answer, **seen.drain("progress", "asked"))
    except Exception as error:
        say(error=told(error, seen.status))
        sys.exit(1)


warnings.simplefilter("ignore")
logging.disable(logging.ERROR)
asyncio.run(main())

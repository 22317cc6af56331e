"""Judges an A2A 1.0 agent with the official Python SDK as its client.

    python a2a_client.py URL [--binding JSONRPC|HTTP+JSON] [--ask TEXT] [--answer TEXT]
                             [--expect TEXT] [--stream TEXT] [--slow TEXT] [--skip STEP,...]

The agent must ask one question for --ask (input-required) and answer after --answer with a text
that contains --expect; --stream is a request that streams to its end without a question; --slow is
a request that works for some seconds, which the client cancels. The steps are: card, ask, get,
answer, history, stream, subscribe, cancel, terminal, errors. Prints one line a step and exits 1 if one fails.
"""

import argparse
import asyncio
import sys
import traceback

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, get_message_text, new_text_message
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import (
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

failed = 0
skipped: set[str] = set()


def name(state: int) -> str:
    return TaskState.Name(state).removeprefix("TASK_STATE_").lower()


def kind(event) -> str:
    """One word for an event of a stream: its kind, and the state where it has one."""
    which = event.WhichOneof("payload")
    if which == "task":
        return f"task:{name(event.task.status.state)}"
    if which == "status_update":
        return f"status:{name(event.status_update.status.state)}"
    return {"artifact_update": "artifact", "message": "message"}[which]


def request(text, *, task_id=None, context_id=None, **configuration) -> SendMessageRequest:
    message = new_text_message(text, role=Role.ROLE_USER, task_id=task_id, context_id=context_id)
    return SendMessageRequest(
        message=message, configuration=SendMessageConfiguration(**configuration)
    )


async def step(title, body):
    global failed
    if title in skipped:
        body.close()
        print(f"skip {title}")
        return None
    try:
        result, note = await asyncio.wait_for(body, 60)
        print(f"ok   {title}: {note}")
        return result
    except Exception as error:  # noqa: BLE001
        failed += 1
        print(f"FAIL {title}: {type(error).__name__}: {error}")
        if not isinstance(error, AssertionError):
            traceback.print_exc()
        return None


async def main(args) -> None:
    http = httpx.AsyncClient(timeout=60)
    card = await A2ACardResolver(http, args.url).get_agent_card()

    def client(streaming):
        config = ClientConfig(
            streaming=streaming,
            httpx_client=http,
            supported_protocol_bindings=[args.binding],
            use_client_preference=True,
        )
        return ClientFactory(config).create(card)

    streaming, single = client(True), client(False)

    async def one(call):
        """The one answer of a call that does not stream: a task or a message."""
        events = [event async for event in single.send_message(call)]
        assert len(events) == 1, events
        return events[0]

    async def see_card():
        assert card.name and card.description and card.version, card
        assert card.skills and all(skill.id and skill.tags for skill in card.skills), card.skills
        assert card.default_input_modes and card.default_output_modes, card
        assert not card.capabilities.push_notifications, "push is advertised"
        return None, f"{card.name} {card.version}, skills {[skill.id for skill in card.skills]}"

    async def ask():
        task = (await one(request(args.ask))).task
        assert task.id and task.context_id, task
        assert name(task.status.state) == "input_required", task
        question = get_message_text(task.status.message)
        assert question, "input-required without a question in status.message"
        return task, f"{task.id}: {question!r}"

    async def get(task):
        got = await single.get_task(GetTaskRequest(id=task.id))
        assert name(got.status.state) == "input_required" and got.context_id == task.context_id, got
        listed = await single.list_tasks(ListTasksRequest(context_id=task.context_id))
        assert [item.id for item in listed.tasks] == [task.id], listed
        return None, "the stored task is the one that was sent"

    async def answer(task):
        done = (await one(request(args.answer, task_id=task.id, context_id=task.context_id))).task
        assert done.id == task.id, "the answer began another task"
        assert name(done.status.state) == "completed", done
        texts = [get_artifact_text(artifact) for artifact in done.artifacts]
        assert any(args.expect in text for text in texts), texts
        return done, repr(texts)

    async def history(task):
        full = await single.get_task(GetTaskRequest(id=task.id))
        none = await single.get_task(GetTaskRequest(id=task.id, history_length=0))
        last = await single.get_task(GetTaskRequest(id=task.id, history_length=1))
        assert len(none.history) == 0, none.history
        assert len(last.history) == 1, last.history
        assert last.history[0].message_id == full.history[-1].message_id, "not the newest message"
        assert len(full.history) >= 2, full.history
        return None, f"{len(full.history)} messages in all, 0 and 1 when asked"

    async def stream():
        kinds, text, whole = [], "", None
        async for event in streaming.send_message(request(args.stream)):
            kinds.append(kind(event))
            if event.HasField("artifact_update"):
                update = event.artifact_update
                piece = get_artifact_text(update.artifact, delimiter="")
                assert update.append or not text or whole != update.artifact.artifact_id, kinds
                text += piece
                whole = update.artifact.artifact_id
        assert kinds[0].startswith("task:"), f"the first event is not the task: {kinds}"
        assert kinds[-1] == "status:completed", kinds
        assert text, "no text was streamed"
        return None, f"{' '.join(kinds)}; {text!r}"

    async def start_slow():
        event = await one(request(args.slow, return_immediately=True))
        assert event.HasField("task"), event
        assert name(event.task.status.state) in ("submitted", "working"), event
        return event.task

    async def subscribe():
        task = await start_slow()
        kinds = []
        async for event in streaming.subscribe(SubscribeToTaskRequest(id=task.id)):
            kinds.append(kind(event))
            if len(kinds) == 1:
                await single.cancel_task(CancelTaskRequest(id=task.id))
        assert kinds[0].startswith("task:"), kinds
        assert kinds[-1].endswith(":canceled"), kinds
        return None, " ".join(kinds)

    async def cancel():
        task = await start_slow()
        cancelled = await single.cancel_task(CancelTaskRequest(id=task.id))
        assert name(cancelled.status.state) == "canceled", cancelled
        stored = await single.get_task(GetTaskRequest(id=task.id))
        assert name(stored.status.state) == "canceled", stored
        return cancelled, "canceled, also in the store"

    async def terminal(task):
        found = []
        for label, call, expected in (
            ("cancel", single.cancel_task(CancelTaskRequest(id=task.id)), TaskNotCancelableError),
            ("send", one(request("more", task_id=task.id)), UnsupportedOperationError),
            (
                "subscribe",
                anext(aiter(streaming.subscribe(SubscribeToTaskRequest(id=task.id)))),
                UnsupportedOperationError,
            ),
        ):
            try:
                await call
                raise AssertionError(f"{label} on a task that ended was accepted")
            except expected as error:
                found.append(f"{label} -> {type(error).__name__}")
        return None, ", ".join(found)

    async def errors():
        try:
            await single.get_task(GetTaskRequest(id="no-such-task"))
            raise AssertionError("an unknown task was found")
        except TaskNotFoundError:
            pass
        try:
            await one(request("hello", task_id="no-such-task"))
            raise AssertionError("a message to an unknown task was accepted")
        except TaskNotFoundError:
            pass
        try:
            await single.create_task_push_notification_config(
                TaskPushNotificationConfig(task_id="any", url="http://127.0.0.1:1/")
            )
            raise AssertionError("a push configuration was accepted")
        except PushNotificationNotSupportedError:
            pass
        return None, "unknown task, push not supported"

    await step("card", see_card())
    asked = await step("ask", ask())
    if asked is not None:
        await step("get", get(asked))
        done = await step("answer", answer(asked))
        if done is not None:
            await step("history", history(done))
    await step("stream", stream())
    if args.slow:
        await step("subscribe", subscribe())
        cancelled = await step("cancel", cancel())
        if cancelled is not None:
            await step("terminal", terminal(cancelled))
    await step("errors", errors())
    await http.aclose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--binding", default="JSONRPC")
    parser.add_argument("--ask", default="Paint it")
    parser.add_argument("--answer", default="red")
    parser.add_argument("--expect", default="red")
    parser.add_argument("--stream", default="stream three words")
    parser.add_argument("--slow", default="slow work")
    parser.add_argument("--skip", default="")
    options = parser.parse_args()
    skipped.update(filter(None, options.skip.split(",")))
    asyncio.run(main(options))
    sys.exit(1 if failed else 0)

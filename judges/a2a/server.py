"""An A2A 1.0 agent on the official Python SDK, for judging an A2A client.

    python a2a_server.py PORT          # card at http://127.0.0.1:PORT/.well-known/agent-card.json

It speaks JSON-RPC at /a2a and HTTP+JSON at /rest. What it does depends on the first text:
  * "quick ..."  answers with one Message and no task;
  * "slow ..."   works until someone cancels the task;
  * "fail ..."   ends the task as failed;
  * "stream ..." writes an artifact in three pieces;
  * else         asks one question (input-required), and answers when the answer arrives.
"""

import asyncio
import sys

import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette


class Asker(AgentExecutor):
    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        if context.current_task is None and text.startswith("quick"):
            await event_queue.enqueue_event(
                new_text_message("quick answer", context_id=context.context_id)
            )
            return
        if context.current_task is None:
            # A task must exist before its updates: this is also the first event of a stream.
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        if text.startswith("slow"):
            await asyncio.sleep(60)
        elif text.startswith("fail"):
            await updater.failed(updater.new_agent_message([new_text_part("it broke")]))
            return
        elif text.startswith("stream"):
            pieces = ["one ", "two ", "three"]
            for index, piece in enumerate(pieces):
                await asyncio.sleep(0.05)
                await updater.add_artifact(
                    [new_text_part(piece)],
                    artifact_id="answer",
                    name="answer",
                    append=index > 0,
                    last_chunk=index == len(pieces) - 1,
                )
            await updater.complete()
            return
        elif context.current_task is None:
            question = updater.new_agent_message([new_text_part("Which colour?")])
            await updater.requires_input(question)
            return
        await updater.add_artifact([new_text_part(f"You chose {text}.")], name="answer")
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def app(port: int) -> Starlette:
    base = f"http://127.0.0.1:{port}"
    card = AgentCard(
        name="Asker",
        description="Asks for a colour, then names it.",
        version="1.0.0",
        supported_interfaces=[
            AgentInterface(url=f"{base}/a2a", protocol_binding="JSONRPC", protocol_version="1.0"),
            AgentInterface(url=f"{base}/rest", protocol_binding="HTTP+JSON", protocol_version="1.0"),
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=False),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[
            AgentSkill(
                id="colour",
                name="Colour",
                description="Names a colour.",
                tags=["colour"],
                examples=["Paint it"],
            )
        ],
    )
    handler = DefaultRequestHandler(
        agent_executor=Asker(), task_store=InMemoryTaskStore(), agent_card=card
    )
    return Starlette(
        routes=[
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, rpc_url="/a2a"),
            *create_rest_routes(handler, path_prefix="/rest"),
        ]
    )


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9999
    uvicorn.run(app(port), host="127.0.0.1", port=port, log_level="warning")

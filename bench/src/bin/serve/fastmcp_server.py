"""FastMCP with the tool of the bench. usage: fastmcp_server.py http|stdio"""
import socket
import sys

import uvicorn
from fastmcp import FastMCP

mcp = FastMCP("bench")


@mcp.tool
async def add_one(x: int) -> str:
    """Adds one."""
    return str(x + 1)


if sys.argv[1] == "stdio":
    mcp.run(show_banner=False)
else:
    listener = socket.create_server(("127.0.0.1", 0))
    print("127.0.0.1:%d" % listener.getsockname()[1], flush=True)
    config = uvicorn.Config(mcp.http_app(path="/mcp"), log_level="error")
    uvicorn.Server(config).run(sockets=[listener])

"""Bearer tokens and sessions over HTTP: what clients of others get without a right token, and what a raw request gets."""
import json
import urllib.error
import urllib.request

from checks import NEW, OLD, equal
from connections import TOKENS, http_desk, refusals

INITIALIZE = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


def post(url, method, params, token, session=None, **headers):
    """The status, the headers and the text of the answer to a request."""
    headers |= {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": OLD} if session else {}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def clients(url):
    for token in (None, "no-such-token"):
        for place, refusal in refusals(url, token):
            assert refusal and refusal["status"] == 401, (place, refusal)
            print(f"{place}: {'a wrong' if token else 'no'} token is refused")


def challenges(url):
    status, headers, _ = post(url, "initialize", INITIALIZE, None)
    equal([status, headers["WWW-Authenticate"]], [401, "Bearer"])
    status, headers, _ = post(url, "initialize", INITIALIZE, "no-such-token")
    equal([status, headers["WWW-Authenticate"]], [401, 'Bearer error="invalid_token"'])
    print("raw requests: the challenge to a client without a right token")


def sessions(url):
    status, headers, _ = post(url, "initialize", INITIALIZE, TOKENS["ada"])
    session = headers["Mcp-Session-Id"]
    assert status == 200 and session, (status, headers)
    lists = lambda token, session: post(url, "tools/list", {}, token, session)[0]
    equal(lists(TOKENS["ada"], session), 200)
    equal(lists(TOKENS["bob"], session), 404)
    equal(lists(TOKENS["ada"], session[:-1] + ("0" if session[-1] != "0" else "1")), 404)
    equal(lists(None, session), 401)
    print("raw requests: the session of a user is unknown to another one")


def earlier(url):
    """Clients before 2025-11-25 know no events without data. The SDK for Python takes other answers to DELETE for failures."""
    for version, knows in (("2025-03-26", False), ("2025-06-18", False), (OLD, True)):
        status, headers, text = post(url, "initialize", INITIALIZE | {"protocolVersion": version}, TOKENS["ada"])
        equal([status, headers["Content-Type"], f'"{version}"' in text], [200, "application/json", True])
        session = {"Mcp-Session-Id": headers["Mcp-Session-Id"], "MCP-Protocol-Version": version}
        # Only a call that reports is answered with a stream.
        reports = {"name": "pack", "arguments": {"label": "raw", "parcels": 2}, "_meta": {"progressToken": 1}}
        status, headers, text = post(url, "tools/call", reports, TOKENS["ada"], **session)
        equal([status, headers["Content-Type"], "data: \n" in text, "notifications/progress" in text], [200, "text/event-stream", knows, True])
        session["Authorization"] = f"Bearer {TOKENS['ada']}"
        with urllib.request.urlopen(urllib.request.Request(url, headers=session, method="DELETE"), timeout=30) as answer:
            equal(answer.status, 204)
    print("raw requests: clients of earlier protocols get no event without data, and the end of a session has no content")


def states(url):
    """The state of a call of 2026-07-28 that waits for an answer belongs to its user."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }
    headers = {"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/call", "Mcp-Name": "pay"}

    def pay(user, cents=5, **more):
        params = {"name": "pay", "arguments": {"cents": cents}, "_meta": meta, **more}
        text = post(url, "tools/call", params, TOKENS[user], **headers)[2]
        # An answer as a stream has its message in the last line of data.
        lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:") and line != "data:"]
        return json.loads(lines[-1] if lines else text)

    asks = pay("ada")["result"]
    equal(asks["resultType"], "input_required")
    [name] = asks["inputRequests"]
    answers = {name: {"action": "accept", "content": {"decision": "allow"}}}
    brings = {"inputResponses": answers, "requestState": asks["requestState"]}
    equal(pay("bob", **brings)["error"]["code"], -32602)
    equal(pay("ada", cents=500, **brings)["error"]["code"], -32602)
    equal(pay("ada", **brings)["result"]["structuredContent"], {"cents": 5, "user": "ada"})
    equal(pay("ada", **brings)["error"]["code"], -32602)
    print("raw requests: the state of a call serves its user, its arguments and one time")


def judge(desk, folder):
    with http_desk(desk, folder) as url:
        for check in (challenges, sessions, earlier, states, clients):
            check(url)

"""What each client must see of the shop's desk (`judges/src/bin/served_desk.rs`), whichever protocol and transport it has."""
import json
import time

from jsonschema import Draft202012Validator

OLD, NEW = "2025-11-25", "2026-07-28"
TOOLS = ["find_article", "pay", "order_shoes", "open_till", "who_asks", "note", "refurbish", "pack", "clerk", "cashier"]
# How long a tool may take to see that its call was cancelled, in seconds.
PATIENCE = 10


def equal(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def text(result):
    return result["content"][0]["text"]


def succeeded(client, name, arguments, answers=()):
    """The result of a call that must succeed, and what it asked."""
    answer = client(do="call", name=name, arguments=arguments, answers=list(answers))
    assert "result" in answer and not answer["result"].get("isError"), answer
    return answer["result"], answer["asked"]


def failed(client, name, arguments, answers=()):
    """The text of a call that must fail with a text for the model."""
    answer = client(do="call", name=name, arguments=arguments, answers=list(answers))
    assert answer.get("result", {}).get("isError") is True, answer
    return text(answer["result"])


def accept(**content):
    return {"action": "accept", "content": content}


def about(client):
    """the server's name, its title, its instructions and its capabilities"""
    known = client.about
    equal([known[key] for key in ("name", "version", "title")], ["shop", "1.2.3", "The shop"])
    equal(known["instructions"], "Ask for articles first.")
    equal(known["capabilities"], ["completions", "extensions", "logging", "prompts", "resources", "tools"])
    equal(known["protocol"], client.protocol)


def tools(client):
    """the tools, with their schemas and annotations"""
    listed = {tool["name"]: tool for tool in client(do="list", what="tools")["result"]}
    equal(list(listed), TOOLS)
    find = listed["find_article"]
    equal(find["title"], "Find articles")
    equal(find["annotations"], {"readOnlyHint": True, "openWorldHint": False})
    equal(listed["pay"]["annotations"], {"destructiveHint": True, "idempotentHint": False})
    equal(find["inputSchema"]["properties"]["limit"]["maximum"], 10)
    equal(find["inputSchema"]["required"], ["words"])
    equal(find["outputSchema"]["properties"]["articles"]["items"]["properties"]["cents"]["description"], "Its price.")
    equal(list(listed["clerk"]["inputSchema"]["properties"]), ["input"])
    assert "client" not in json.dumps(listed["pay"]["inputSchema"]), listed["pay"]
    for tool in listed.values():
        assert tool["description"], tool
        for key in ("inputSchema", "outputSchema"):
            Draft202012Validator.check_schema(tool.get(key, {}))
            assert "$ref" not in json.dumps(tool.get(key, {})), tool
    client.output_schema = find["outputSchema"]


def structured(client):
    """a result with structured content that fits the schema"""
    result, _ = succeeded(client, "find_article", {"words": "hammer"})
    Draft202012Validator(client.output_schema).validate(result["structuredContent"])
    equal(result["structuredContent"]["more"], 1)
    equal(json.loads(text(result)), result["structuredContent"])


def errors(client):
    """errors of a tool, of arguments, and of a name"""
    equal(failed(client, "open_till", {}), "the till is locked: ask the manager")
    assert "words" in failed(client, "find_article", {"word": "hammer"})
    assert "10" in failed(client, "find_article", {"words": "hammer", "limit": 11})
    unknown = client(do="call", name="open_safe", arguments={})
    equal(unknown["error"]["code"], -32602)
    assert "open_safe" in unknown["error"]["text"], unknown


def progress(client):
    """the progress of a tool"""
    answer = client(do="call", name="pack", arguments={"label": client.label("whole"), "parcels": 3})
    equal(text(answer["result"]), "packed 3")
    equal(answer["progress"], [[number, 3, f"parcel {number}"] for number in (1, 2, 3)])
    equal(client.ending("whole"), "finished")


def cancellation(client):
    """a call that it cancels, which the tool sees"""
    answer = client(do="call", name="pack", arguments={"label": client.label("half"), "parcels": 1200}, cancel=True)
    equal(answer["error"]["type"], "cancelled")
    end = time.monotonic() + PATIENCE
    while client.ending("half") is None and time.monotonic() < end:
        time.sleep(0.05)
    equal(client.ending("half"), "cancelled")
    # The connection goes on.
    succeeded(client, "find_article", {"words": "saw"})


def elicitation(client):
    """a form, accepted, declined, cancelled and filled in wrongly"""
    order = {"model": "boots"}
    result, asked = succeeded(client, "order_shoes", order, [accept(size=42, colour="red", gift=True)])
    equal(text(result), "ordered boots in size 42 and Red, wrapped")
    [form] = asked
    equal(form["message"], "Which boots?")
    fields = form["schema"]["properties"]
    equal([fields["size"][key] for key in ("type", "minimum", "maximum")], ["integer", 30, 50])
    equal([fields["colour"]["enum"], fields["gift"]["type"]], [["red", "blue"], "boolean"])
    equal(sorted(form["schema"]["required"]), ["colour", "gift", "size"])
    for action in ("decline", "cancel"):
        assert "declined" in failed(client, "order_shoes", order, [{"action": action}])
    # A client that checks answers refuses this one itself.
    if client.sends_wrong_answers:
        wrong, right = accept(size=99, colour="red", gift=False), accept(size=40, colour="blue", gift=False)
        result, asked = succeeded(client, "order_shoes", order, [wrong, right])
        equal([text(result), len(asked)], ["ordered boots in size 40 and Blue", 2])


def approval(client):
    """an approval, given and refused"""
    result, [form] = succeeded(client, "pay", {"cents": 5}, [accept(decision="allow")])
    equal(result["structuredContent"], {"cents": 5, "user": client.user})
    assert "`pay`" in form["message"] and '"cents": 5' in form["message"], form
    equal(form["schema"]["properties"]["decision"]["enum"], ["allow", "deny"])
    assert "too much" in failed(client, "pay", {"cents": 5}, [accept(decision="deny", reason="too much")])
    assert "declined" in failed(client, "pay", {"cents": 5}, [{"action": "decline"}])


def agents(client):
    """an agent as a tool, with the steps of its work, and one whose call needs an approval"""
    answer = client(do="call", name="clerk", arguments={"input": "large"})
    assert text(answer["result"]).startswith('I found {"articles":[{"name":"large hammer"'), answer
    equal([message for _, _, message in answer["progress"]], ["clerk: find_article"])
    result, [form] = succeeded(client, "cashier", {"input": "Pay."}, [accept(decision="allow")])
    assert '"cents":300' in text(result) and '"cents": 300' in form["message"], (result, form)
    # The model of the agent reads the refusal.
    result, _ = succeeded(client, "cashier", {"input": "Pay."}, [accept(decision="deny", reason="too much")])
    assert "too much" in text(result), result


def who(client):
    """the name of the client, and its user"""
    result, _ = succeeded(client, "who_asks", {})
    name, user = text(result).split(" for ")
    assert name, result
    equal(user, client.user or "nobody")


def resources(client):
    """resources: the lists, a text, bytes, a template, and one that does not exist"""
    listed = client(do="list", what="resources")["result"]
    equal([entry["uri"] for entry in listed], ["shop://terms", "shop://logo"])
    terms = {"name": "Terms", "title": "Terms of sale", "description": "What customers agree to.", "mimeType": "text/plain"}
    equal(listed[0], {"uri": "shop://terms", **terms})
    [template] = client(do="list", what="resource_templates")["result"]
    equal(template, {"uriTemplate": "shop://orders/{id}", "name": "Order", "mimeType": "application/json"})
    read = lambda uri: client(do="read", uri=uri)["result"]["contents"]
    equal(read("shop://terms"), [{"uri": "shop://terms", "mimeType": "text/plain", "text": "All sales are final."}])
    equal(read("shop://logo"), [{"uri": "shop://logo", "mimeType": "image/png", "blob": "aGFtbWVy"}])
    order = {"uri": "shop://orders/7", "mimeType": "application/json", "text": '{"id":7}'}
    equal(read("shop://orders/7"), [order])
    for unknown in ("shop://nothing", "shop://orders/x"):
        error = client(do="read", uri=unknown)["error"]
        # The SDK of 2026 shows the code of the later protocol for both.
        assert error["code"] in ((-32002, -32602) if client.protocol == OLD else (-32602,)), error
        assert unknown in error["text"], error


def prompts(client):
    """prompts: the list, messages, a missing argument, suggestions, and one that asks"""
    listed = {prompt["name"]: prompt for prompt in client(do="list", what="prompts")["result"]}
    equal(list(listed), ["review", "talk", "letter"])
    equal([listed["review"][key] for key in ("title", "description")], ["Review", "Reviews an article."])
    article = {"name": "article", "description": "The article.", "required": True}
    quality = {"name": "quality", "description": "What to look at.", "required": False}
    equal(listed["review"]["arguments"], [article, quality])
    get = lambda name, arguments, answers=(): client(do="prompt", name=name, arguments=arguments, answers=list(answers))
    [message] = get("review", {"article": "saw", "quality": "price"})["result"]["messages"]
    equal(message, {"role": "user", "content": {"type": "text", "text": "Review the saw for price."}})
    equal([message["role"] for message in get("talk", {})["result"]["messages"]], ["user", "assistant"])
    missing = get("review", {})["error"]
    assert missing["code"] == -32602 and "article" in missing["text"], missing
    suggested = client(do="complete", prompt="review", name="quality", value="pr")["result"]["completion"]
    equal([suggested["values"], suggested.get("hasMore", False)], [["price", "precision"], False])
    letter = get("letter", {"customer": "Ada"}, [accept(answer="the saw")])
    [message] = letter["result"]["messages"]
    equal(message["content"]["text"], "Write to Ada about the saw.")
    equal(letter["asked"][0]["message"], "What about?")


def logs(client):
    """the log of a tool, at the level that it sets"""
    client(do="level", level="error")
    succeeded(client, "note", {"line": "not shown"})
    client(do="level", level="debug")
    succeeded(client, "note", {"line": "shown"})
    [line] = client(do="wait", kind="logs", count=1)["result"]
    equal(line, {"level": "info", "logger": "note", "data": {"line": "shown"}})


def changes(client):
    """changes of lists and of a resource that it watches"""
    answer = client(do="watch", uri="shop://terms")
    assert "error" not in answer, answer
    succeeded(client, "refurbish", {})
    told = client(do="wait", kind="changes", count=4)
    assert "result" in told, told
    lists = [f"notifications/{kind}/list_changed" for kind in ("prompts", "resources", "tools")]
    equal(sorted(told["result"]), sorted([*lists, "notifications/resources/updated shop://terms"]))


ALL = [about, tools, structured, errors, progress, cancellation, elicitation, approval, agents, who, resources, prompts, logs, changes]

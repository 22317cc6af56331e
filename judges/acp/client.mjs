// Judges an ACP v1 agent with the official npm SDK 2.4 as its client.
//   node client.mjs [--ask TEXT] [--answer JSON] [--permit TEXT] [--quick TEXT] [--slow TEXT] [--skip a,b] -- COMMAND...
// Steps: initialize, quick, permit (allow, then reject), ask (a form), cancel, load, errors. One line a step; exits 1 if one fails.
import * as acp from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import assert from "node:assert/strict";

const at = process.argv.indexOf("--");
const { values } = parseArgs({
  args: process.argv.slice(2, at),
  options: Object.fromEntries(
    Object.entries({
      ask: "ask me", answer: '{"colour":"red"}', permit: "refund it", quick: "quick", slow: "slow", skip: "",
    }).map(([name, value]) => [name, { type: "string", default: value }]),
  ),
});
const command = process.argv.slice(at + 1);
const skip = new Set(values.skip.split(",").filter(Boolean));
let failed = 0;

function start() {
  const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const seen = { updates: [], permissions: [], forms: [], choose: "allow_once" };
  const connection = acp
    .client({ name: "judge" })
    .onNotification(acp.methods.client.session.update, ({ params }) => void seen.updates.push(params.update))
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      seen.permissions.push(params);
      if (seen.choose === "cancelled") return { outcome: { outcome: "cancelled" } };
      const option = params.options.find(({ kind }) => kind === seen.choose);
      assert(option, `no option of the kind ${seen.choose}`);
      return { outcome: { outcome: "selected", optionId: option.optionId } };
    })
    .onRequest(acp.methods.client.elicitation.create, ({ params }) => {
      seen.forms.push(params);
      return { action: "accept", content: JSON.parse(values.answer) };
    })
    .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  const exited = new Promise((done) => child.once("exit", (code) => done(code)));
  return { child, agent: connection.agent, seen, exited, connection };
}

const initialize = ({ agent }) =>
  agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: {}, elicitation: { form: {} } },
    clientInfo: { name: "judge", version: "1.0.0" },
  });
const fresh = async ({ agent }) =>
  (await agent.request(acp.methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] })).sessionId;
const prompt = ({ agent }, sessionId, text) =>
  agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
const said = ({ seen }, kind = "agent_message_chunk") =>
  seen.updates.filter((update) => update.sessionUpdate === kind).map((update) => update.content.text).join("");
const kinds = ({ seen }) => seen.updates.map((update) => update.sessionUpdate).join(" ");

async function step(title, body) {
  if (skip.has(title)) return console.log(`skip ${title}`);
  let timer;
  try {
    const late = new Promise((_, no) => (timer = setTimeout(() => no(new Error("no answer in 60 s")), 60000)));
    console.log(`ok   ${title}: ${await Promise.race([body(), late])}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${title}: ${error?.stack ?? JSON.stringify(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

let peer = start();
let capabilities;
let loaded;
await step("initialize", async () => {
  const answer = await initialize(peer);
  assert.equal(answer.protocolVersion, 1);
  assert(answer.agentInfo?.name && answer.agentInfo.version, "no agentInfo");
  capabilities = answer.agentCapabilities;
  return JSON.stringify(answer.agentInfo) + " " + JSON.stringify(capabilities);
});
await step("quick", async () => {
  loaded = await fresh(peer);
  const { stopReason } = await prompt(peer, loaded, values.quick);
  assert.equal(stopReason, "end_turn");
  assert(said(peer), "no text");
  return `${kinds(peer)}; ${JSON.stringify(said(peer))}`;
});
for (const [choice, status] of [["allow_once", "completed"], ["reject_once", "failed"]])
  await step("permit", async () => {
    peer.seen.updates.length = peer.seen.permissions.length = 0;
    peer.seen.choose = choice;
    const { stopReason } = await prompt(peer, await fresh(peer), values.permit);
    assert.equal(stopReason, "end_turn");
    assert.equal(peer.seen.permissions.length, 1);
    const { toolCall } = peer.seen.permissions[0];
    const calls = peer.seen.updates.filter(({ toolCallId }) => toolCallId === toolCall.toolCallId);
    assert.equal(calls[0]?.sessionUpdate, "tool_call", "the tool call was not announced under that id");
    assert.equal(calls.at(-1).status, status);
    return `${choice}: ${calls.map((call) => call.status ?? "pending").join(" ")}; ${JSON.stringify(said(peer))}`;
  });
await step("ask", async () => {
  peer.seen.updates.length = 0;
  await prompt(peer, await fresh(peer), values.ask);
  assert.equal(peer.seen.forms.length, 1, "no form was asked for");
  const [form] = peer.seen.forms;
  assert.equal(form.mode, "form");
  assert.equal(form.requestedSchema.type, "object");
  return `${JSON.stringify(form.message)} ${JSON.stringify(form.requestedSchema.properties)}; ${JSON.stringify(said(peer))}`;
});
await step("cancel", async () => {
  const session = await fresh(peer);
  const answer = prompt(peer, session, values.slow);
  await new Promise((done) => setTimeout(done, 300));
  await peer.agent.notify(acp.methods.agent.session.cancel, { sessionId: session });
  const { stopReason } = await answer;
  assert.equal(stopReason, "cancelled");
  return stopReason;
});
await step("errors", async () => {
  for (const [call, code] of [
    [() => prompt(peer, "no-such-session", "hello"), undefined],
    [() => peer.agent.request("no/such/method", {}), -32601],
  ]) {
    const error = await call().then(() => assert.fail("it was accepted"), (error) => error);
    assert(typeof error.code === "number", `${error}`);
    if (code) assert.equal(error.code, code);
  }
  return "an unknown session and an unknown method are refused";
});
await step("exit", async () => {
  peer.child.stdin.end();
  const code = await peer.exited;
  assert.equal(code, 0);
  return "ends with 0 when its input ends";
});
await step("load", async () => {
  if (!capabilities?.loadSession) return "not offered";
  peer = start();
  await initialize(peer);
  await peer.agent.request(acp.methods.agent.session.load, { sessionId: loaded, cwd: process.cwd(), mcpServers: [] });
  assert.equal(said(peer, "user_message_chunk"), values.quick);
  assert(said(peer), "the agent's answer was not replayed");
  const replay = kinds(peer);
  peer.seen.updates.length = 0;
  const { stopReason } = await prompt(peer, loaded, values.quick);
  assert.equal(stopReason, "end_turn");
  return `${replay}; then ${JSON.stringify(said(peer))}`;
});
peer.child.kill();
process.exit(failed ? 1 : 0);

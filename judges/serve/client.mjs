// A client by a TypeScript SDK, which does what the lines of its standard input say, and answers each with a line.
// usage: node client.mjs FOLDER sdk|client     FOLDER has the packages; the first is the SDK of 2025, the second that of 2026.
//
// The first line says where the server is and which generation of the protocol to speak; `judge.py` has the lines.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, kind] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${folder}/node_modules/@modelcontextprotocol/${file}`));
// How long a notification may take, in milliseconds.
const PATIENCE = 20_000;
const NEW = "2026-07-28";
const LEVEL = "io.modelcontextprotocol/logLevel";
const LISTS = { tools: "listTools", resources: "listResources", resource_templates: "listResourceTemplates", prompts: "listPrompts" };
const ENTRIES = { resource_templates: "resourceTemplates" };
const CHANGES = {
  "notifications/tools/list_changed": "ToolListChangedNotificationSchema",
  "notifications/prompts/list_changed": "PromptListChangedNotificationSchema",
  "notifications/resources/list_changed": "ResourceListChangedNotificationSchema",
  "notifications/resources/updated": "ResourceUpdatedNotificationSchema",
};

const isOld = kind === "sdk";
const { Client } = await load(isOld ? "sdk/dist/esm/client/index.js" : "client/dist/index.mjs");
const { StdioClientTransport } = await load(isOld ? "sdk/dist/esm/client/stdio.js" : "client/dist/stdio.mjs");
const { StreamableHTTPClientTransport } = await load(isOld ? "sdk/dist/esm/client/streamableHttp.js" : "client/dist/index.mjs");
const types = isOld ? await load("sdk/dist/esm/types.js") : {};

// What the server told and asked.
const seen = { progress: [], asked: [], logs: [], changes: [] };
let answers = [];
let news = () => {};
const add = (of, value) => {
  seen[of].push(value);
  news();
};

function connection(target) {
  const capabilities = { elicitation: { form: {} } };
  const mode = target.era === "old" ? "legacy" : { pin: NEW };
  const client = new Client({ name: kind, version: "1" }, { capabilities, ...(isOld ? {} : { versionNegotiation: { mode } }) });
  // The SDK of 2025 knows methods by their schemas.
  const method = (name, schema) => (isOld ? types[schema] : name);
  client.setRequestHandler(method("elicitation/create", "ElicitRequestSchema"), ({ params }) => {
    add("asked", { message: params.message, schema: params.requestedSchema });
    return answers.shift();
  });
  client.setNotificationHandler(method("notifications/message", "LoggingMessageNotificationSchema"), ({ params }) => add("logs", params));
  for (const [name, schema] of Object.entries(CHANGES)) {
    client.setNotificationHandler(method(name, schema), ({ params }) => add("changes", params?.uri ? `${name} ${params.uri}` : name));
  }
  const [command, ...args] = target.command ?? [];
  const headers = target.token ? { Authorization: `Bearer ${target.token}` } : {};
  const transport = target.url
    ? new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers } })
    : new StdioClientTransport({ command, args });
  return { client, transport };
}

// What each line of a kind does.
function orders(client, isNew) {
  let level;
  const meta = () => (level ? { _meta: { [LEVEL]: level } } : {});
  return {
    async list({ what }) {
      const entries = [];
      let cursor;
      do {
        const page = await client[LISTS[what]](cursor ? { cursor } : undefined);
        entries.push(...page[ENTRIES[what] ?? what]);
        cursor = page.nextCursor;
      } while (cursor);
      return entries;
    },
    async call({ name, arguments: given, answers: own = [], cancel = false }) {
      answers = own;
      const abort = new AbortController();
      const onprogress = ({ progress, total, message }) => {
        add("progress", [progress, total ?? null, message ?? null]);
        if (cancel) abort.abort();
      };
      const params = { name, arguments: given, ...meta() };
      const options = { onprogress, signal: abort.signal };
      return await (isOld ? client.callTool(params, undefined, options) : client.callTool(params, options));
    },
    async prompt({ name, arguments: given, answers: own = [] }) {
      answers = own;
      return await client.getPrompt({ name, arguments: given });
    },
    read: ({ uri }) => client.readResource({ uri }),
    complete: ({ prompt, name, value }) => client.complete({ ref: { type: "ref/prompt", name: prompt }, argument: { name, value } }),
    async level(line) {
      if (isNew) level = line.level;
      else await client.setLoggingLevel(line.level);
    },
    async watch({ uri }) {
      if (!isNew) await client.subscribeResource({ uri });
      else {
        const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
        await client.listen({ ...lists, resourceSubscriptions: [uri] });
      }
    },
    wait({ kind, count }) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`only ${seen[kind].length} ${kind} within ${PATIENCE} ms`)), PATIENCE);
        news = () => {
          if (seen[kind].length < count) return;
          clearTimeout(timer);
          resolve(seen[kind].splice(0));
        };
        news();
      });
    },
  };
}

function told(error) {
  const isAborted = error.name === "AbortError" || /AbortError|aborted/.test(String(error.message ?? error));
  const status = error.status ?? error.data?.status ?? (isOld && error.code > 0 ? error.code : undefined);
  return isAborted ? { type: "cancelled" } : { type: error.name, text: error.message, code: error.code, status: status ?? null };
}

const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { client, transport } = connection(JSON.parse((await lines.next()).value));
let protocol;
const setProtocol = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  protocol = version;
  setProtocol?.(version);
};
try {
  await client.connect(transport);
} catch (error) {
  say({ error: told(error) });
  process.exit(1);
}
protocol = isOld ? protocol : client.getNegotiatedProtocolVersion();
const { name, version, title } = client.getServerVersion();
const about = { name, version, title, instructions: client.getInstructions() };
say({ result: { protocol, ...about, capabilities: Object.keys(client.getServerCapabilities()).sort() } });
const can = orders(client, protocol === NEW);
for await (const line of { [Symbol.asyncIterator]: () => lines }) {
  const order = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await can[order.do](order)) ?? null };
  } catch (error) {
    answer = { error: told(error) };
  }
  say({ ...answer, progress: seen.progress.splice(0), asked: seen.asked.splice(0) });
}
await client.close();

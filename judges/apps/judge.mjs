// Judges the MCP App of a server by the SDK of MCP Apps: a client that has the extension lists the tools, reads the page of one, and calls it.
// usage: node judge.mjs FOLDER URL TOKEN     FOLDER has the packages; the server is `judges/src/bin/http_desk`.
//
// It prints a line for each check, and ends at the first one that fails.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, url, token] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${folder}/node_modules/@modelcontextprotocol/${file}`));
const { Client, StreamableHTTPClientTransport } = await load("client/dist/index.mjs");
const apps = await load("ext-apps/dist/src/app-bridge.js");
const { EXTENSION_ID, getUiCapability } = await load("ext-apps/dist/src/server/index.js");

const PAGE = readFileSync(new URL("../src/bin/http_desk/picker.html", import.meta.url), "utf8");
const TYPE = apps.RESOURCE_MIME_TYPE;
const CHOICE = "blue";

// A value that fits a schema of the SDK, and has no field that the schema does not know.
const fits = (schema, value) => assert.deepEqual(schema.parse(value), value);

async function tools(client) {
  const { tools } = await client.listTools();
  const uris = tools.map((tool) => [tool.name, apps.getToolUiResourceUri(tool)]).filter(([, uri]) => uri);
  assert.deepEqual(uris.map(([name]) => name), ["pick_colour"]);
  const tool = tools.find(({ name }) => name === "pick_colour");
  fits(apps.McpUiToolMetaSchema, tool._meta.ui);
  assert(!apps.isToolVisibilityAppOnly(tool), "the model can call the tool");
  return uris[0][1];
}

async function page(client, uri) {
  const { resources } = await client.listResources();
  const listed = resources.find((resource) => resource.uri === uri);
  assert.equal(listed?.mimeType, TYPE);
  const { contents } = await client.readResource({ uri });
  assert.deepEqual(contents.map((content) => [content.uri, content.mimeType, content.text]), [[uri, TYPE, PAGE]]);
  for (const { _meta: meta } of [listed, ...contents]) {
    if (meta?.ui) fits(apps.McpUiResourceMetaSchema, meta.ui);
  }
}

async function call(client) {
  const result = await client.callTool({ name: "pick_colour", arguments: {} });
  assert.equal(result.content[0].text, CHOICE);
  // What a host sends to the page.
  apps.McpUiToolResultNotificationSchema.parse({ method: apps.TOOL_RESULT_METHOD, params: result });
}

for (const mode of ["legacy", { pin: "2026-07-28" }]) {
  const extensions = { [EXTENSION_ID]: { mimeTypes: [TYPE] } };
  const capabilities = { elicitation: { form: {} }, extensions };
  assert(getUiCapability(capabilities)?.mimeTypes.includes(TYPE));
  const client = new Client({ name: "apps", version: "1" }, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { answer: CHOICE } }));
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const version = client.getNegotiatedProtocolVersion();
  const uri = await tools(client);
  console.log(`MCP Apps in ${version}: a tool names its page`);
  await page(client, uri);
  console.log(`MCP Apps in ${version}: the page is a resource with the type of the extension`);
  await call(client);
  console.log(`MCP Apps in ${version}: the result of a call can be sent to the page`);
  await client.close();
}

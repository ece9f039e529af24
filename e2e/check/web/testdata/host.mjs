// A host that shows cards, made of the modules that MCP publishes: the client reads the tool and
// the card from the service, and the bridge exchanges messages with the card.
import { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";
console.debug = () => {}; // the bridge would log every message
const told = { opened: [], contexts: [], sizes: [], calls: 0, done: false };
let bridge;

async function show({ name, args, theme, variables, able }) {
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } } });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', location.href)));
  const { tools } = await client.listTools();
  const uri = getToolUiResourceUri(tools.find((tool) => tool.name === name));
  const [{ mimeType, text, _meta }] = (await client.readResource({ uri })).contents;
  if (mimeType !== RESOURCE_MIME_TYPE || _meta.ui.csp.connectDomains.length + _meta.ui.csp.resourceDomains.length !== 0) throw new Error(`${mimeType} ${JSON.stringify(_meta)}`);

  const frame = document.querySelector('iframe');
  const call = client.callTool.bind(client);
  client.callTool = (...given) => { told.calls++; return call(...given); };
  bridge = new AppBridge(client, { name: 'host', version: '1' }, able, { hostContext: { theme, displayMode: 'inline', styles: { variables } } });
  bridge.onopenlink = async ({ url }) => { told.opened.push(url); return {}; };
  bridge.onupdatemodelcontext = async (given) => { told.contexts.push(given); return {}; };
  bridge.onsizechange = ({ height }) => { told.sizes.push(height); frame.style.height = `${height}px`; };
  bridge.oninitialized = async () => {
    await bridge.sendToolInput({ arguments: args });
    told.shown = await client.callTool({ name, arguments: args });
    await bridge.sendToolResult(told.shown);
    told.done = true;
  };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = text.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
}

window.host = { told, show, theme: (theme) => bridge.setHostContext({ theme, displayMode: 'inline' }), end: () => bridge.teardownResource({}) };

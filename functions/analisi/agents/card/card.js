// The card shows what a tool has answered: the part of a page that stands in the
// result's _meta, as it is. It draws nothing by itself and fetches nothing. With the
// program that shows it, it speaks JSON-RPC in messages of the window (MCP Apps, 2026-01-26).
(() => {
  'use strict';
  const main = document.querySelector('main');
  const root = document.documentElement;
  const waiting = new Map(); // requests by id: what to do with their answers
  const shown = []; // what was asked before, to go back to
  let last = 0;
  let can = {}; // what the host can do
  let asked = {}; // the arguments of the tool's call
  let now = null; // the result that is shown

  const send = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const notify = (method, params) => send({ method, params });
  const request = (method, params) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    send({ id: last, method, params });
  });

  const card = (result) => result && result._meta && result._meta['verdetto/card'];
  const words = (result) => ((result && result.content) || []).filter((c) => c.type === 'text').map((c) => c.text).join('\n');

  function show(result, input) {
    now = { result, input };
    asked = input;
    const html = card(result);
    if (html && !result.isError) {
      main.innerHTML = html;
    } else {
      const p = document.createElement('p');
      p.textContent = words(result);
      main.replaceChildren(p);
    }
    root.lang = (asked.language || 'en').slice(0, 2);
    main.querySelectorAll('[data-ask]').forEach((fields) => { fields.hidden = !can.serverTools; });
    main.querySelectorAll('[data-back]').forEach((button) => { button.hidden = shown.length === 0; });
    main.querySelectorAll('a[href]').forEach((a) => {
      if (!(question(a) ? can.serverTools : can.openLinks)) a.removeAttribute('href'); // it would lead nowhere
    });
  }

  function say(text, bad) {
    const status = main.querySelector('[role=status]');
    if (status) {
      status.textContent = text;
      status.className = bad ? 'status bad' : 'status';
    }
  }

  // question is what a link of the page asks, as arguments of a tool; null where it leads elsewhere.
  function question(a) {
    const address = a.getAttribute('href');
    if (!address.startsWith('/?')) return null;
    const given = new URLSearchParams(address.slice(2));
    const next = { ...asked };
    for (const name of ['departure', 'month', 'return', 'flexible_days', 'price']) delete next[name];
    for (const [theirs, ours] of [['quando', 'departure'], ['mese', 'month'], ['ritorno', 'return']]) {
      if (given.get(theirs)) next[ours] = given.get(theirs);
    }
    if (next.return) delete next.nights;
    return { name: a.dataset.tool || 'flight_price_verdict', arguments: next };
  }

  // onDay is the same question for another day of departure: as many nights away.
  function onDay(day) {
    const next = { ...asked, departure: day };
    delete next.month;
    delete next.price;
    if (asked.return && asked.departure) {
      const nights = Date.parse(asked.return) - Date.parse(asked.departure);
      next.return = new Date(Date.parse(day) + nights).toISOString().slice(0, 10);
    }
    return { name: 'flight_price_verdict', arguments: next };
  }

  function askDay(fields) {
    const day = fields.querySelector('input');
    if (day.reportValidity()) ask(onDay(day.value));
  }

  async function ask(call) {
    const status = main.querySelector('[role=status]');
    const texts = status ? status.dataset : {};
    say(texts.sending || '');
    let result;
    try {
      result = await request('tools/call', call);
    } catch {
      say(texts.failed || '', true);
      return;
    }
    if (result.isError || !card(result)) {
      const first = (result.content || []).find((c) => c.type === 'text');
      say(first ? first.text : texts.failed || '', true);
      return;
    }
    shown.push(now);
    show(result, call.arguments);
    if (can.updateModelContext) request('ui/update-model-context', { content: [{ type: 'text', text: words(result) }] }).catch(() => {});
  }

  function context(c) {
    if (!c) return;
    if (c.theme) root.dataset.theme = c.theme;
    const variables = (c.styles && c.styles.variables) || {};
    for (const name of Object.keys(variables)) {
      if (name.startsWith('--') && variables[name]) root.style.setProperty(name, variables[name]);
    }
  }

  const heard = {
    'ui/notifications/tool-input': (p) => { asked = p.arguments || {}; },
    'ui/notifications/tool-result': (p) => { shown.length = 0; show(p, asked); },
    'ui/notifications/host-context-changed': context,
  };

  window.addEventListener('message', (event) => {
    const m = event.data;
    if (event.source !== window.parent || !m || m.jsonrpc !== '2.0') return;
    if (m.method === undefined) {
      const of = waiting.get(m.id);
      waiting.delete(m.id);
      if (of && m.error) of.reject(new Error(m.error.message));
      else if (of) of.resolve(m.result || {});
    } else if (m.id === undefined) {
      if (heard[m.method]) heard[m.method](m.params || {});
    } else if (m.method === 'ping' || m.method === 'ui/resource-teardown') {
      send({ id: m.id, result: {} });
    } else {
      send({ id: m.id, error: { code: -32601, message: 'not answered here: ' + m.method } });
    }
  });

  document.addEventListener('click', (event) => {
    const a = event.target.closest('a[href]');
    if (a) {
      event.preventDefault();
      const call = question(a);
      if (call) ask(call);
      else request('ui/open-link', { url: a.href }).catch(() => {});
    } else if (event.target.closest('[data-back]')) {
      const before = shown.pop();
      show(before.result, before.input);
    }
  });
  // Hosts need not allow forms to be sent, so this is none.
  document.addEventListener('click', (event) => {
    const fields = event.target.closest('[data-ask]');
    if (fields && event.target.closest('button')) askDay(fields);
  });
  document.addEventListener('keydown', (event) => {
    const fields = event.target.closest('[data-ask]');
    if (fields && event.key === 'Enter') askDay(fields);
  });

  let size = '';
  new ResizeObserver(() => {
    const width = Math.ceil(root.getBoundingClientRect().width);
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (size !== (size = width + ' ' + height)) notify('ui/notifications/size-changed', { width, height });
  }).observe(document.body);

  request('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'verdetto', version: '{{.Version}}' },
    appCapabilities: { availableDisplayModes: ['inline'] },
  }).then((r) => {
    can = r.hostCapabilities || {};
    context(r.hostContext);
    notify('ui/notifications/initialized', {});
  }, () => {});
})();

// The card draws a tool's answer: its text, the usual range of fares, or the days of a calendar. It
// fetches nothing. It exchanges JSON-RPC messages with the program that shows it (MCP Apps, 2026-01-26).
(() => {
  'use strict';
  const main = document.querySelector('main');
  const root = document.documentElement;
  const waiting = new Map(); // requests by id: what to do with their answers
  const shown = []; // earlier results, to go back to
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

  const texts = {{.Texts}};
  const words = (result) => ((result && result.content) || []).filter((c) => c.type === 'text').map((c) => c.text).join('\n');
  const language = () => (texts[(asked.language || 'en').slice(0, 2)] ? (asked.language || 'en').slice(0, 2) : 'en');
  const label = (name) => texts[language()][name];
  const money = (cents, currency) => new Intl.NumberFormat(language(), { style: 'currency', currency }).format(cents / 100);
  const weekday = (day) => new Intl.DateTimeFormat(language(), { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day + 'T00:00Z'));

  function element(tag, fields, ...children) {
    const e = Object.assign(document.createElement(tag), fields);
    e.append(...children.filter(Boolean));
    return e;
  }

  // range draws the usual fares as a bar, and the judged fare as a mark on the same scale.
  function range(s) {
    const q = s.quartili;
    if (!q || !s.prezzo) return null;
    const fare = s.prezzo.cent;
    const low = Math.min(fare, q.q1Cent), high = Math.max(fare, q.q3Cent, low + 1);
    const at = (cents) => 8 + 84 * (cents - low) / (high - low); // percent of the width
    const text = (cents, place, words) => {
      const span = element('span', { className: place, textContent: words });
      span.style.left = at(cents) + '%';
      return span;
    };
    const usual = element('div', { className: 'usual' }), mark = element('div', { className: 'mark' });
    usual.style.left = at(q.q1Cent) + '%';
    usual.style.width = at(q.q3Cent) - at(q.q1Cent) + '%';
    mark.style.left = at(fare) + '%';
    const between = money(q.q1Cent, s.valuta) + ' – ' + money(q.q3Cent, s.valuta);
    const drawing = element('div', { className: 'range' }, usual, mark, text(fare, 'above', money(fare, s.valuta)),
      text((q.q1Cent + q.q3Cent) / 2, 'below', label('usual') + ' ' + between));
    drawing.setAttribute('role', 'img');
    drawing.setAttribute('aria-label', money(fare, s.valuta) + '; ' + label('usual') + ' ' + between);
    return drawing;
  }

  // days lists the first days of a calendar. Each button asks for the verdict of its day.
  function days(s) {
    if (!s.giorni) return null;
    return element('ul', { className: 'days' }, ...s.giorni.slice(0, 8).map((g) => {
      const button = element('button', { type: 'button', className: 'quiet', disabled: !can.serverTools,
        textContent: weekday(g.partenza) + (g.cent ? ' · ' + money(g.cent, s.valuta) : '') });
      button.addEventListener('click', () => ask(onDay(g.partenza)));
      return element('li', {}, button);
    }));
  }

  // another is a field for another day of departure. It is no form, because hosts may forbid forms.
  function another() {
    const input = element('input', { type: 'date', id: 'departure', required: true, value: asked.departure || '' });
    const go = () => input.reportValidity() && ask(onDay(input.value));
    const button = element('button', { type: 'button', textContent: label('ask') });
    button.addEventListener('click', go);
    input.addEventListener('keydown', (event) => { if (event.key === 'Enter') go(); });
    const fields = element('div', { className: 'another', hidden: !can.serverTools },
      element('div', { className: 'field' }, element('label', { htmlFor: 'departure', textContent: label('day') }), input), button);
    fields.dataset.ask = '';
    return fields;
  }

  function links(s) {
    const back = element('button', { type: 'button', className: 'quiet', hidden: shown.length === 0, textContent: label('back') });
    back.dataset.back = '';
    back.addEventListener('click', () => { const before = shown.pop(); show(before.result, before.input); });
    const link = (url, name) => url && can.openLinks && element('a', { href: url, textContent: label(name) });
    const nav = element('nav', { className: 'next' }, back, link(s.pagina, 'open'), ' ', link(s.avviso, 'alert'));
    nav.setAttribute('aria-label', 'Verdetto');
    return nav;
  }

  function show(result, input) {
    now = { result, input };
    asked = input;
    root.lang = language();
    const s = (!result.isError && result.structuredContent) || {};
    let [first, ...rest] = words(result).split('\n');
    if (s.giorni) first = first.split('. ')[0]; // the buttons list the days
    const level = s.verdetto ? s.verdetto.livello : '';
    const status = element('p', { className: 'status' });
    status.setAttribute('role', 'status');
    main.replaceChildren(element('article', { className: 'verdict ' + level }, element('h1', { textContent: first }), range(s), days(s),
      ...rest.filter((line) => !line.includes('://')).map((line) => element('p', { className: 'facts', textContent: line }))),
    s.verdetto || s.giorni ? another() : '', links(s), status);
  }

  function say(text, bad) {
    const status = main.querySelector('[role=status]');
    if (status) {
      status.textContent = text;
      status.className = bad ? 'status bad' : 'status';
    }
  }

  // onDay is the same question for another day of departure, with as many nights away.
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

  async function ask(call) {
    say(label('sending'));
    let result;
    try {
      result = await request('tools/call', call);
    } catch {
      say(label('failed'), true);
      return;
    }
    if (result.isError) {
      say(words(result) || label('failed'), true);
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
    if (!a) return;
    event.preventDefault();
    request('ui/open-link', { url: a.href }).catch(() => {});
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

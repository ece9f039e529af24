// Completes names of cities, and sends the small forms. The pages work without it too.

// Lets a field complete the name of a city (the combobox pattern of WAI-ARIA).
function completes(input, words) {
  const list = document.createElement('ul');
  list.id = input.id + '-list';
  list.className = 'offers';
  list.hidden = true;
  list.tabIndex = -1; // a list that scrolls would take the focus
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', input.labels[0].textContent);
  const status = document.createElement('span');
  status.className = 'hidden';
  status.setAttribute('role', 'status');
  input.after(list, status);
  for (const [name, value] of [['role', 'combobox'], ['aria-autocomplete', 'list'], ['aria-expanded', 'false'], ['aria-controls', list.id]]) {
    input.setAttribute(name, value);
  }
  const country = new Intl.DisplayNames([document.documentElement.lang], { type: 'region' });
  let at = -1, asked = null, later = 0;

  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const mark = (to) => {
    const all = list.children;
    if (at >= 0) all[at].setAttribute('aria-selected', 'false');
    at = (to + all.length) % all.length;
    all[at].setAttribute('aria-selected', 'true');
    all[at].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', all[at].id);
  };
  // A late answer would open the list again.
  const leave = () => {
    clearTimeout(later);
    asked?.abort();
    close();
  };

  const choose = (option) => {
    input.value = option.dataset.ask;
    input.removeAttribute('aria-invalid');
    leave();
    status.textContent = '';
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const show = (cities) => {
    close();
    list.replaceChildren(...cities.map((c, i) => {
      const option = document.createElement('li');
      option.id = list.id + '-' + i;
      option.dataset.ask = c.domanda;
      option.setAttribute('role', 'option');
      option.setAttribute('aria-selected', 'false');
      const where = document.createElement('span');
      where.textContent = (c.stato ? c.stato + ', ' : '') + country.of(c.paese) + ' · ' + c.codice + (c.seguita === false ? ' · ' + words.unwatched : '');
      option.classList.toggle('unwatched', c.seguita === false);
      option.append(c.nome + ' ', where);
      return option;
    }));
    list.hidden = cities.length === 0;
    input.setAttribute('aria-expanded', String(cities.length > 0));
    status.textContent = cities.length ? words.offered.replace('{n}', cities.length) : words.none;
  };
  const ask = async () => {
    asked?.abort();
    const typed = input.value.trim(), from = input.form.elements.da.value.trim();
    const destination = input.name === 'a';
    if (!typed && destination && !from) return show([]);
    asked = new AbortController();
    const query = new URLSearchParams({ q: typed.slice(0, 100), lang: document.documentElement.lang });
    if (destination && from) query.set('origine', from.slice(0, 100));
    try {
      const answer = await fetch('/v1/citta?' + query, { signal: asked.signal });
      if (!answer.ok || document.activeElement !== input) return;
      const cities = (await answer.json()).citta;
      if (destination && !from) for (const c of cities) delete c.seguita;
      show(cities);
    } catch {
      // Names can be typed in full.
    }
  };

  input.addEventListener('input', () => {
    clearTimeout(later);
    later = setTimeout(ask, 120);
  });
  input.addEventListener('click', () => {
    if (!input.value && list.hidden) ask(); // suggests nearby and popular cities
  });
  input.addEventListener('keydown', (e) => {
    if (e.key === 'ArrowDown' && list.hidden) return void (e.preventDefault(), ask());
    if (list.hidden) return;
    if (e.key === 'ArrowDown') mark(at + 1);
    else if (e.key === 'ArrowUp') mark(at < 0 ? -1 : at - 1);
    else if (e.key === 'Enter' && at >= 0) choose(list.children[at]);
    else if (e.key === 'Escape') leave();
    else if (e.key === 'Tab') return leave(); // before the focus moves on
    else return;
    e.preventDefault();
  });
  input.addEventListener('blur', leave);
  list.addEventListener('mousedown', (e) => e.preventDefault()); // the field keeps the focus
  list.addEventListener('click', (e) => {
    const option = e.target.closest('li');
    if (option) choose(option);
  });
}

// Shows, and sends, fields only with the choices that they belong to.
function fits(form) {
  const { kind = { value: '' }, channel, paid } = form.elements;
  if (paid?.dataset.value) paid.defaultValue = paid.dataset.value; // sent only with the choice that it belongs to
  const fit = () => {
    for (const field of form.parentElement.querySelectorAll('[data-with]')) {
      const input = field.querySelector('input'), goes = field.dataset.with.split(' ');
      field.hidden = !goes.includes(kind.value) && !goes.includes(channel.value);
      if (!input) continue; // only a note
      input.disabled = field.hidden;
      input.required = /email|url/.test(input.type);
    }
  };
  form.addEventListener('change', fit);
  fit();
  // The note appears while the threshold is at least the lowest known fare.
  const { threshold } = form.elements, met = form.querySelector('#threshold-met');
  threshold?.addEventListener('input', () => {
    if (met) met.hidden = !(parseFloat(threshold.value.replace(',', '.')) >= threshold.dataset.lowest);
  });
}

// Returns the faults of a form by field name, from the page that refuses the form.
async function refusals(form, body) {
  const answer = await fetch('/api' + form.getAttribute('action'), {
    method: 'POST',
    headers: { Accept: 'text/html', 'Accept-Language': document.documentElement.lang },
    body,
  });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  return new Map([...page.querySelectorAll('[aria-invalid]')].map((field) => [field.name, page.getElementById(field.name + '-fault').textContent]));
}

// Sends a form without leaving the page, and shows the outcome below.
function sends(form) {
  const status = form.querySelector('.status'), button = form.querySelector('button');
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    const body = new URLSearchParams(new FormData(form)), fields = form.elements;
    for (const fault of form.querySelectorAll('.fault')) fault.remove();
    for (const field of fields) field.removeAttribute('aria-invalid');
    button.disabled = true;
    status.className = 'status';
    status.textContent = form.dataset.sending;
    let said = form.dataset.failed, good = false;
    try {
      const answer = await fetch('/api' + form.getAttribute('action'), {
        method: 'POST',
        headers: { Accept: 'application/json', 'Accept-Language': document.documentElement.lang },
        body,
      });
      const { url, confirmation, errors = [] } = await answer.json().catch(() => ({}));
      if (answer.ok) {
        if (url || confirmation) return void location.assign(url || confirmation);
        [said, good] = [form.querySelector('option:checked[data-sent]')?.dataset.sent ?? form.dataset.sent, true];
      } else if (answer.status === 429) {
        const seconds = Number(answer.headers.get('Retry-After'));
        said = form.dataset.later + (seconds ? ` (${Math.ceil(seconds / 60)} min)` : '');
      } else if (answer.status < 500) said = form.dataset.refused;
      const texts = errors.length && form.matches('.alert') ? await refusals(form, body) : new Map();
      for (const { name } of errors) {
        fields[name]?.setAttribute('aria-invalid', 'true');
        if (fields[name] && texts.has(name)) {
          const fault = document.createElement('p');
          [fault.className, fault.id, fault.textContent] = ['fault', fields[name].id + '-fault', texts.get(name)];
          fault.setAttribute('role', 'alert');
          fields[name].closest('.field').append(fault);
          fields[name].setAttribute('aria-errormessage', fault.id);
        }
        unfold(fields[name]);
      }
    } catch {
      // The form shows that it failed.
    } finally {
      button.disabled = false;
    }
    status.textContent = said;
    status.classList.add(good ? 'good' : 'bad');
    if (!good) return;
    form.reset();
    form.dispatchEvent(new Event('change'));
  });
}

for (const form of document.querySelectorAll('form.ask')) {
  // The links to other languages carry what was typed in the fragment, which no server sees,
  // because half a question must not be asked.
  const keep = () => {
    for (const language of document.querySelectorAll('.switch')) language.hash = new URLSearchParams(new FormData(form));
  };
  form.addEventListener('input', keep);
  // Empty fields are left out of the address.
  form.addEventListener('formdata', (e) => {
    for (const [name, value] of [...e.formData]) if (value === '') e.formData.delete(name);
  });
  if (location.hash.includes('=')) {
    const typed = new URLSearchParams(location.hash.slice(1));
    for (const field of form.elements) {
      const value = typed.get(field.name) ?? '';
      if (!field.name || field.type === 'hidden') continue;
      if (field.type === 'checkbox') field.checked = value;
      else field.value = value;
      if (value) unfold(field);
    }
    keep();
  }
  for (const input of form.querySelectorAll('[data-city]')) completes(input, form.dataset);
  // A month and days exclude each other: the later choice clears the other, with a note.
  const { mese, quando, flessibile, ritorno, soggiorno } = form.elements, note = document.createElement('p');
  note.className = 'small';
  note.role = 'status';
  form.addEventListener('change', ({ target }) => {
    if (!mese || !quando || !target.value) return;
    if (target === soggiorno) ritorno.value = '';
    else if (target === ritorno) soggiorno.value = '';
    const other = target === mese ? quando : target === quando || target === ritorno ? mese : null;
    if (!other) return;
    other.after(note);
    note.textContent = other.value && other.dataset.cleared;
    other.value = '';
    if (target === mese) flessibile.value = ritorno.value = '';
  });
}

function unfold(part) {
  for (let fold = part?.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
}

// A link to a part of the page opens the folds that hold the part, and moves the focus there.
function reveal(hash) {
  const goal = document.getElementById(hash.slice(1));
  unfold(goal);
  if (goal?.tabIndex < 0) goal.tabIndex = -1; // a paragraph takes the focus only with this attribute
  return goal;
}
document.addEventListener('click', ({ target }) => reveal(target.closest('a[href^="#"]')?.hash ?? ''));
reveal(location.hash)?.scrollIntoView();
for (const form of document.querySelectorAll('form[data-send]')) {
  sends(form);
  if (form.elements.channel) fits(form);
}

// Shares the link, or else copies it, or else shows it in a field for copying.
for (const button of document.querySelectorAll('[data-share]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const url = new URL(button.dataset.share, location).href, status = button.nextElementSibling;
    try {
      if (navigator.share) return void await navigator.share({ title: document.title, url });
      await navigator.clipboard.writeText(url);
      status.textContent = button.dataset.copied;
    } catch ({ name }) {
      if (name === 'AbortError') return; // cancelled
      const field = document.createElement('input');
      [field.id, field.value, field.readOnly, field.ariaLabel] = ['copied', url, true, button.dataset.copy];
      status.textContent = button.dataset.copy;
      status.nextElementSibling?.remove();
      status.after(field);
      field.select();
    }
  });
}

// Scrolls the box to the chosen return.
for (const chosen of document.querySelectorAll('.box [aria-current]')) {
  const box = chosen.closest('.box'), row = chosen.closest('tr');
  box.scrollTop = row.offsetTop - box.clientHeight / 2;
}
// Arrow keys go to the next day with a link, up and down by rows.
for (const calendar of document.querySelectorAll('.calendar')) {
  calendar.addEventListener('keydown', (e) => {
    const cell = e.target.closest('td'), row = cell?.parentNode.querySelectorAll('td').length;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row, ArrowDown: row }[e.key];
    if (!step || !cell || e.altKey || e.ctrlKey || e.metaKey) return;
    const cells = [...cell.closest('table').querySelectorAll('td')];
    for (let at = cells.indexOf(cell) + step; cells[at]; at += step) {
      const day = cells[at].querySelector('a');
      if (!day) continue;
      e.preventDefault();
      return void day.focus();
    }
  });
}

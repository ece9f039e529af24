// Runs calls of the reference within the page, with a key that is held only in memory. Without this
// script, the forms open the answers.

const key = document.getElementById('pro-key-field');
if (key) key.parentElement.hidden = false;

// Old links name an endpoint by a fragment: they lead to the endpoint's own page.
function moves() {
  const old = location.hash && document.getElementById(location.hash.slice(1));
  if (old && old.matches('.contents a')) location.replace(old.href);
}
addEventListener('hashchange', moves);
moves();

// Makes a form run its call and show the answer below.
function runs(form) {
  const more = form.querySelector('details');
  if (more) more.hidden = more.querySelector('fieldset').disabled = false; // the script leaves out empty fields
  const answer = document.createElement('div'), said = document.createElement('p');
  answer.className = 'answer';
  said.setAttribute('role', 'status');
  answer.append(said);
  form.after(answer);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const asked = [...new FormData(form)].filter(([, value]) => value !== '');
    const address = form.getAttribute('action') + (asked.length ? '?' + new URLSearchParams(asked) : '');
    const headers = { Accept: 'application/json' };
    if (key && key.value.trim()) headers['X-Api-Key'] = key.value.trim();
    said.textContent = 'Waiting for the answer.';
    try {
      const got = await fetch(address, { headers }), text = await got.text();
      const left = got.headers.get('X-RateLimit-Remaining');
      said.textContent = `${got.status} to GET ${address}` + (left ? `. ${left} calls are left.` : '.');
      shows(answer, readable(text));
    } catch {
      said.textContent = 'No answer. Check your connection, and try again.';
    }
  });
}

// Indents JSON, and returns other text unchanged.
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function shows(answer, text) {
  let box = answer.querySelector('pre');
  if (!box) {
    box = document.createElement('pre');
    box.tabIndex = 0;
    box.setAttribute('role', 'region');
    box.setAttribute('aria-label', 'Answer');
    answer.append(box);
  }
  box.textContent = text.length > 20_000 ? text.slice(0, 20_000) + '\n...' : text;
}

for (const form of document.querySelectorAll('form.try')) runs(form);

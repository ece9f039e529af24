// What the reference can do more with a script: run a call in the page, with a key that only the
// page's memory holds. Without it the forms open the answers.

const key = document.getElementById('pro-key-field');
if (key) key.parentElement.hidden = false;

/** Old addresses name an endpoint of the one long page: they lead to its page of today. */
function moves() {
  const old = location.hash && document.getElementById(location.hash.slice(1));
  if (old && old.matches('.contents a')) location.replace(old.href);
}
addEventListener('hashchange', moves);
moves();

/** A form that runs its call and shows the answer below. */
function runs(form) {
  const more = form.querySelector('details');
  if (more) more.hidden = more.querySelector('fieldset').disabled = false; // empty fields are not sent
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

/** Text with the line breaks of indented JSON. */
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

// Adds buttons that copy, and forms that watch for a payment, to the pages of the paid plan.
// Everything works without it.

// Makes a button copy the text of another element.
function copies(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  const said = button.parentElement.querySelector('[role=status]');
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.value);
    try {
      await navigator.clipboard.writeText(source.textContent);
      said.textContent = button.dataset.copied;
    } catch {
      getSelection().selectAllChildren(source); // copying is not allowed, so the text is selected to be copied by hand
    }
  });
}

const every = 15_000, longest = 60 * 60_000;

// Makes a form look for a payment by itself, for an hour, while the page is visible.
function watches(form) {
  const state = form.querySelector('.state'), until = Date.now() + longest;
  let timer = 0;
  const say = (text) => { if (state.textContent !== text) state.textContent = text; };
  const later = () => {
    if (Date.now() < until) timer = setTimeout(look, every);
    else say(form.dataset.stopped);
  };
  const look = async () => {
    if (document.hidden) return void (timer = 0); // until the page is visible again
    try {
      const answer = await fetch(form.action, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: JSON.stringify(Object.fromEntries(new FormData(form))),
      });
      if (answer.status === 429) return void say(form.dataset.stopped);
      if (answer.ok) {
        const { status } = await answer.json();
        if (status === 'pagato' || status === 'esteso') return void form.submit(); // the answer to the form shows the key
        if (form.dataset[status]) say(form.dataset[status]);
      }
    } catch {
      // The service is out of reach: try again later.
    }
    later();
  };
  document.addEventListener('visibilitychange', () => { if (!document.hidden && !timer) look(); });
  say(form.dataset.watching);
  later();
}

for (const button of document.querySelectorAll('button.copy')) copies(button);
for (const form of document.querySelectorAll('form[data-watch]')) watches(form);

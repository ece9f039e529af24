// What the pages of the paid plan can do more with a script: copy what is shown,
// and look out for a payment. Without it everything still works.

/** A button that copies what stands in another element. */
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
      getSelection().selectAllChildren(source); // not allowed: it is selected, to be copied by hand
    }
  });
}

const every = 15_000, longest = 60 * 60_000;

/** A form that looks for a payment by itself, for an hour, while somebody is looking at it. */
function watches(form) {
  const state = form.querySelector('.state'), until = Date.now() + longest;
  let timer = 0;
  const say = (text) => { if (state.textContent !== text) state.textContent = text; };
  const later = () => {
    if (Date.now() < until) timer = setTimeout(look, every);
    else say(form.dataset.stopped);
  };
  const look = async () => {
    if (document.hidden) return void (timer = 0); // until it is looked at again
    try {
      const answer = await fetch(form.action, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: JSON.stringify(Object.fromEntries(new FormData(form))),
      });
      if (answer.status === 429) return void say(form.dataset.stopped);
      if (answer.ok) {
        const { status } = await answer.json();
        if (status === 'pagato' || status === 'esteso') return void form.submit(); // which shows it
        if (form.dataset[status]) say(form.dataset[status]);
      }
    } catch {
      // Out of reach: it looks again.
    }
    later();
  };
  document.addEventListener('visibilitychange', () => { if (!document.hidden && !timer) look(); });
  say(form.dataset.watching);
  later();
}

for (const button of document.querySelectorAll('button.copy')) copies(button);
for (const form of document.querySelectorAll('form[data-watch]')) watches(form);

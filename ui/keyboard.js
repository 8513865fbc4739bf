// Streamlit draws anew without minding where the keyboard is: a button that was pressed is disabled
// or gone, a link's page gives way to another. Then the keyboard is at the top of the document and
// says nothing. Here it stays where it was, or goes to the title of the new page. It never moves
// for a mouse or a finger, nor away from where somebody has put it. And what the page waits for
// (`waiting.py`) is said, as often as its words change, to whoever cannot see it.
const PATIENCE = 4000; // milliseconds that a new page's title may take
const QUIET = 120; // without a change to the document: it has been drawn
const AROUND = /hourglass_top| \d+ s$/g; // the icon's name, the seconds: not worth saying
const CAN = "a[href], button, input, select, textarea, summary";
let page = ""; // the one that is shown
let path = location.pathname; // of the page whose title was reached
let root; // where this stands in the document
let pointing = false; // the last act was a pointer's
let last = null; // what had the keyboard last
let around = []; // all that can have it, in order, when `last` got it
let name; // of the element that `last` is in
let taken = false; // it lost the keyboard because it could not have it for a while
let left; // the title that was there at the last act
let timer;
let over; // the words for: it is no longer waited for
let heard = ""; // what was said to be going on
let heardOn; // the path of the page that said so
const saying = document.createElement("div");
saying.setAttribute("role", "status");
saying.style.cssText = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)";

export default function ({ parentElement, data }) {
  for (const [event, hear] of Object.entries(listeners)) {
    document.addEventListener(event, hear, true);
  }
  const attributeFilter = ["disabled", "aria-disabled"];
  watch.observe(document.body, { childList: true, subtree: true, attributeFilter });
  if (page && page !== data.page) {
    toTitle();
    saying.textContent = "";
  }
  page = data.page;
  over = data.over;
  if (!saying.isConnected) document.body.append(saying);
  root = parentElement;
  return () => setTimeout(stop); // a call's cleanup may come after the next call
}

function stop() {
  if (root.isConnected || root.host?.isConnected) return;
  saying.remove();
  watch.disconnect();
  for (const [event, hear] of Object.entries(listeners)) {
    document.removeEventListener(event, hear, true);
  }
}

const listeners = {
  pointerdown: () => act(true),
  keydown: () => act(false),
  click: ({ detail }) => detail === 0 && act(false), // a screen reader's
  focusin: ({ target }) => {
    last = target;
    around = [...document.querySelectorAll(CAN)];
    name = [...(element(target)?.classList ?? [])].find((one) => one.startsWith("st-key-"));
    taken = false;
  },
  // A tab is disabled from when its row is drawn anew until it is itself.
  focusout: ({ target }) => (taken = target.tabIndex < 0),
};

function act(byPointer) {
  pointing = byPointer;
  left = document.querySelector("h1")?.textContent;
}

const watch = new MutationObserver(() => {
  clearTimeout(timer);
  timer = setTimeout(() => (keep(), tell()), QUIET);
});

function keep() {
  if (location.pathname !== path) return; // on the way to another page
  const here = document.activeElement;
  if (here?.dataset.kept && usable(here.querySelector(CAN))) here.querySelector(CAN).focus();
  if (here !== document.body || !last || pointing) return;
  if (last.isConnected && usable(last)) taken && last.focus({ preventScroll: true });
  else if (last.isConnected) hold(element(last));
  else (again() ?? before(last))?.focus({ preventScroll: true });
}

// A failure says so itself (Streamlit's warnings are alerts), and then a button asks again.
function tell() {
  const lines = [...document.querySelectorAll('[class*="st-key-waiting"]')];
  const now = lines.map(({ innerText }) => innerText.trim().replace(AROUND, "").trim()).join(" ");
  if (now === heard) return;
  const ended = !now && heardOn === location.pathname;
  if (now) saying.textContent = now;
  else saying.textContent = ended && !document.querySelector(".st-key-ask_again") ? over : "";
  heard = now;
  heardOn = location.pathname;
}

// A button that is disabled for now keeps its place: the next Tab goes on from there.
function hold(place) {
  if (!place) return;
  place.tabIndex = -1;
  place.dataset.kept = "yes";
  place.focus({ preventScroll: true });
}

// What was drawn once more under the same name.
function again() {
  const found = name && document.querySelector(`.${name}`)?.querySelector(CAN);
  return usable(found) ? found : undefined;
}

// The nearest before it that is still there.
function before(gone) {
  const earlier = around.slice(0, Math.max(0, around.indexOf(gone)));
  return earlier.filter((one) => one.isConnected && usable(one)).at(-1) ?? title();
}

function element(node) {
  return node.closest('[data-testid="stElementContainer"]');
}

function usable(node) {
  return !!node && !node.disabled && node.ariaDisabled !== "true";
}

function title() {
  const found = document.querySelector("h1");
  if (found) found.tabIndex = -1;
  return found;
}

function toTitle() {
  const from = document.activeElement;
  const until = performance.now() + PATIENCE;
  const look = () => {
    const here = document.activeElement;
    const elsewhere = pointing || (here !== document.body && here !== from);
    const found = document.querySelector("h1");
    if (elsewhere || (found && found.textContent !== left) || performance.now() > until) {
      path = location.pathname;
      if (!elsewhere) title()?.focus();
    } else requestAnimationFrame(look);
  };
  look();
}

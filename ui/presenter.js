// Presenter view: the page's picture has the keyboard as soon as it is there. `n` and `p` turn the
// page, a clicker's two keys step the picture and then turn it; `q` goes to the page's question and
// back. The other keys belong to buttons that Streamlit draws. It draws nothing itself.
const PATIENCE = 8000;
const BAR = 64; // pixels at the lower edge that the bar takes
const STEPS = new Set(["ArrowLeft", "ArrowRight", "Home", "End", "k", " "]);
let page = "";

export default function ({ data }) {
  document.addEventListener("keydown", keydown, true); // the same function: it is added once
  const leave = () => document.removeEventListener("keydown", keydown, true);
  if (page === data.page) return leave;
  page = data.page;
  const until = performance.now() + PATIENCE;
  let begun;
  const begin = () => {
    if (page !== data.page) return;
    const player = picture();
    if (player && begun !== player) {
      begun = player;
      if (!player.data.url) player.moveTo(0);
    }
    // Again, when a redraw has taken the focus away; never from where somebody put it.
    if (player && document.activeElement === document.body) focus(player);
    if (performance.now() < until) requestAnimationFrame(begin);
  };
  begin();
  return leave;
}

// The first picture of the page that moves; `undefined` where there is none.
function picture() {
  for (const host of document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')) {
    const player = host.shadowRoot?.querySelector(".player")?.player;
    if (player && !player.disposed && !host.closest('[data-stale="true"]')) return player;
  }
  return undefined;
}

function focus(player) {
  player.root.tabIndex = -1;
  player.root.focus({ preventScroll: true });
}

// A picture that stands partly below the screen comes up when it is stepped.
function show(player) {
  if (player.root.getBoundingClientRect().bottom > innerHeight - BAR) player.root.scrollIntoView();
}

function turn(forward) {
  document.querySelector(`.st-key-presenter_${forward ? "next" : "back"} a`)?.click();
}

function keydown(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  const from = event.composedPath()[0];
  if (from.closest?.("input:not([type=radio]):not([type=range]), textarea, select, [contenteditable]")) return;
  const player = picture();
  const forward = event.key === "PageDown";
  if (forward || event.key === "PageUp") {
    event.preventDefault();
    event.stopPropagation(); // the player means ten steps by these keys
    const at = player?.goal ?? player?.position;
    const room = player && !player.data.url && (forward ? at < player.total : at > 0);
    if (room) {
      show(player);
      player.step(forward ? 1 : -1);
    } else turn(forward);
  } else if (event.key === "n" || event.key === "p") {
    turn(event.key === "n");
  } else if (event.key === "q") {
    const question = document.querySelector('[class*="st-key-prediction_"] input');
    const there = question?.closest('[role="radiogroup"]').contains(document.activeElement);
    if (question && !there) question.focus();
    else if (player) player.root.focus();
  } else if (player && STEPS.has(event.key)) {
    if (from === document.body) player.keydown(event);
    if (from === document.body || player.root.contains(from)) show(player);
  }
}

// Says what an act led to, and puts the keyboard where it happened: Streamlit draws anew without
// either. Each token is acted on once; the target may be drawn a little later than this, and may be
// drawn once more right after.
const PATIENCE = 4000;
const SETTLING = 800;
const done = new Set();
let latest = "";

export default function ({ parentElement, data }) {
  const { token, say, target } = data;
  if (!token || done.has(token)) return;
  done.add(token);
  latest = token;
  parentElement.querySelector(".said").textContent = say;
  if (!target) return;
  let until = performance.now() + PATIENCE;
  let found = false;
  const find = () => {
    if (latest !== token) return;
    const node = document.querySelector(`.st-key-${target}`);
    if (node && (!found || document.activeElement === document.body)) {
      if (!found) until = performance.now() + SETTLING;
      found = true;
      node.tabIndex = -1;
      node.focus();
    }
    if (performance.now() < until) requestAnimationFrame(find);
  };
  find();
}

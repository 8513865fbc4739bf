// Says what an act led to, and puts the keyboard where it happened: Streamlit draws anew without
// either. Each token is acted on once; the target may be drawn a little later than this.
const PATIENCE = 4000;
const done = new Set();

export default function ({ parentElement, data }) {
  const { token, say, target } = data;
  if (!token || done.has(token)) return;
  done.add(token);
  parentElement.querySelector(".said").textContent = say;
  if (!target) return;
  const until = performance.now() + PATIENCE;
  const find = () => {
    const node = document.querySelector(`.st-key-${target}`);
    if (node) {
      node.tabIndex = -1;
      node.focus();
    } else if (performance.now() < until) {
      requestAnimationFrame(find);
    }
  };
  find();
}

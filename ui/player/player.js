// The player: shows Vega-Lite charts at a position, and moves that position.
//
// A chart's named data sets hold rows with a field `at`; at position p the rows with at <= p are
// drawn. A chart may also have a parameter `position`, which is set to p. Rows come with the data
// (a recording, a stage) or from a run that is going on, through one EventSource.
// Nothing is drawn by hand here, and no text is ever parsed as markup.

const SPEEDS = [0.5, 1, 2, 4];
const CALM = 3000; // milliseconds between two things that a screen reader is told of a run
const REST = 300; // that a position must stand, and a new region, before a sentence is put there
const SQUEEZE = 0.6; // of its height a chart keeps, to fit a screen in a hall
const MOST_ROWS = 6000; // of one data set; beyond that the older half of the detail goes
const players = new WeakMap(); // parentElement -> Player: see the note on life cycles below

// Streamlit calls this again, without the cleanup, whenever the data or the theme changes. So the
// player of an element is kept and told; a second stream is never opened for the same source.
// Calls can overtake each other: one with older data may come last, followed by its own cleanup
// while the picture stays on the page. Then what was shown before that call is shown again.
export default function mount({ parentElement, data, setTriggerValue }) {
  const before = players.get(parentElement)?.data;
  const player = show(parentElement, data, setTriggerValue);
  return () =>
    setTimeout(() => {
      if (players.get(parentElement) !== player) return; // a later call has taken over
      if (!player.root.isConnected) {
        player.dispose();
        players.delete(parentElement);
      } else if (before) show(parentElement, before, setTriggerValue);
    });
}

function show(parentElement, data, trigger) {
  let player = players.get(parentElement);
  if (!player || player.data.source !== data.source || !player.root.isConnected) {
    player?.dispose();
    player = new Player(parentElement, data);
    players.set(parentElement, player);
  }
  player.update(data, trigger);
  return player;
}

class Player {
  constructor(parentElement, data) {
    this.root = parentElement.querySelector(".player, .still");
    this.root.player = this; // for whoever looks from outside: tests, a console
    this.host = parentElement.host ?? this.root;
    this.data = data;
    this.rows = {};
    this.views = [];
    this.position = 0;
    this.edge = 0;
    this.total = data.total ?? 0;
    this.speed = 1;
    this.playing = false;
    this.following = false;
    this.said = -CALM;
    this.phase = data.phase ?? "starting";
    this.began = performance.now();
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.forced = matchMedia("(forced-colors: active)");
    this.listening = new AbortController(); // ends every listener that outlives this player
    document.addEventListener("visibilitychange", () => this.connect(), { signal: this.listening.signal });
    this.forced.addEventListener("change", () => this.update(this.data, this.trigger), { signal: this.listening.signal });
    this.build();
    this.addRows(data.rows ?? {});
    if (!data.url) this.edge = this.total;
    if (data.fresh && (data.url || !this.still.matches)) this.playing = true;
    else this.position = data.url ? 0 : (data.start ?? this.total);
    this.connect();
    if (this.playing && !data.url) this.schedule(); // a stream schedules with its first rows
  }

  // New data from the server for the same source: charts or theme may have changed.
  update(data, trigger) {
    this.data = data;
    this.trigger = trigger;
    const key = JSON.stringify([data.charts, this.palette()]);
    if (key !== this.chartsKey) {
      this.chartsKey = key;
      this.embed();
    }
    this.legend();
    this.render();
  }

  dispose() {
    this.disposed = true;
    this.listening.abort();
    clearInterval(this.clock);
    clearTimeout(this.saying);
    this.stream?.close();
    this.observer?.disconnect();
    this.finalizeViews();
  }

  // ---- where rows come from

  connect() {
    const wanted = this.data.url && !this.ended && !document.hidden && !this.disposed;
    if (!wanted) {
      this.stream?.close();
      this.stream = null;
    } else if (!this.stream) {
      this.stream = new EventSource(
        new URL(`${this.data.url}?after=${this.lastId ?? 0}`, document.baseURI)
      );
      this.stream.onmessage = (event) => this.receive(event);
      this.stream.onopen = () => this.setLost(false);
      this.stream.onerror = () => this.setLost(true);
      this.clock ??= setInterval(() => this.render(), 200);
    }
  }

  receive(event) {
    const first = this.lastId === undefined;
    this.lastId = event.lastEventId;
    const news = JSON.parse(event.data);
    if (news.total) this.setTotal(news.total);
    if (news.phase) this.setPhase(news);
    if (news.rows) this.addRows(news.rows);
    this.tellRun();
    if (first && !this.data.fresh) {
      this.position = this.edge;
      this.playing = this.following = !this.ended;
    }
    if (this.following || (this.playing && this.still.matches)) this.position = this.edge;
    this.schedule();
  }

  setTotal(total) {
    this.total = total;
    this.slider.max = total;
  }

  setPhase({ phase, text, place }) {
    this.phase = phase;
    this.text = text;
    this.place = place;
    if (["finished", "stopped", "failed"].includes(phase)) {
      this.ended = true;
      clearInterval(this.clock);
      this.connect();
      if (phase !== "finished") this.following = true;
    }
  }

  setLost(lost) {
    this.lost = lost && !this.ended;
    if (this.lost) this.say(this.data.words.lost);
    this.render();
  }

  addRows(tables) {
    for (const [name, rows] of Object.entries(tables)) {
      const all = (this.rows[name] ??= []);
      for (const row of rows) all.push(row);
      if (rows.length) this.edge = Math.max(this.edge, rows.at(-1).at);
      if (all.length > MOST_ROWS && this.data.url) {
        this.rows[name] = thinned(all);
        for (const shown of this.views) shown.drawn[name] = Infinity; // draw it anew
      }
    }
  }

  // ---- moving the position

  schedule() {
    if (this.frame || this.disposed) return;
    this.frame = requestAnimationFrame((now) => {
      this.frame = null;
      this.tick(now);
    });
  }

  tick(now) {
    const seconds = Math.min(0.1, (now - (this.lastTick ?? now)) / 1000);
    this.lastTick = now;
    const moving = this.playing && !this.still.matches && this.position < this.edge;
    if (this.following) this.position = this.edge;
    else if (moving) {
      const pace = (this.total || 1) / (this.data.seconds ?? 10);
      const goal = Math.min(this.edge, this.goal ?? Infinity);
      this.position = Math.min(goal, this.position + pace * this.speed * seconds);
      if (this.position === this.goal) this.playing = false;
    }
    this.render();
    const atEnd = this.position >= (this.ended || !this.data.url ? this.edge : Infinity);
    if (atEnd) this.arrive();
    if (this.playing && this.position < this.edge) this.schedule();
    else {
      this.lastTick = null;
      if (this.asked) this.tellPosition();
    }
  }

  arrive() {
    this.playing = this.following = false;
    if (this.data.url && !this.told && !this.data.ended) {
      this.told = true;
      this.trigger?.("ended", this.phase);
    }
    this.render();
  }

  play() {
    this.asked = true;
    if (this.playing) {
      this.playing = this.following = false;
    } else {
      this.goal = null;
      if (this.position >= this.edge && (this.ended || !this.data.url)) this.position = 0;
      this.playing = true;
      if (this.still.matches) this.position = Math.min(this.edge, Math.floor(this.position) + 1);
      if (this.still.matches && !this.data.url) this.playing = false;
    }
    this.lastTick = null;
    this.render();
    this.schedule();
  }

  moveTo(position, follow = false) {
    this.asked = true;
    this.playing = this.following = follow && !!this.data.url;
    this.goal = null;
    this.position = Math.max(0, Math.min(this.edge, position));
    this.schedule();
  }

  // One step; a stage's picture glides there, so that the eye can follow the marks.
  step(by) {
    const from = this.playing && this.goal ? this.goal : Math.floor(this.position);
    this.moveTo(by > 0 && !this.data.url ? from : from + by);
    if (by > 0 && !this.data.url) {
      this.goal = Math.min(this.total, from + by);
      this.playing = !this.still.matches;
      if (this.still.matches) this.position = this.goal;
      this.schedule();
    }
  }

  keydown(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.composedPath()[0].closest?.(".vega-bindings")) return; // a chart's own slider
    const onButton = event.composedPath()[0].tagName === "BUTTON";
    const keys = {
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      PageDown: () => this.step(-Math.ceil(this.total / 10)),
      PageUp: () => this.step(Math.ceil(this.total / 10)),
      Home: () => this.moveTo(0),
      End: () => this.moveTo(this.edge, !this.ended),
      k: () => this.play(),
    };
    if (!onButton) keys[" "] = keys.k;
    if (event.composedPath()[0].tagName === "SELECT" || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  // ---- drawing

  async embed() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.zoom = this.hall().zoom;
    if (!this.views.length) this.charts.style.minHeight = `${tallest(this.data.charts)}px`;
    await import(new URL(this.data.vega, document.baseURI).href);
    await document.fonts.ready; // or titles are measured in another font, and cut off
    if (turn !== this.turn || this.disposed) return;
    const palette = this.palette();
    const nodes = this.data.charts.map((chart) => {
      const figure = element("figure", { role: "img", ariaLabel: chart.alt });
      if (chart.title) figure.append(element("figcaption", {}, chart.title));
      figure.append(element("p", { className: "told", ariaLive: "polite" }));
      figure.append(element("div", { className: "chart" }));
      return figure;
    });
    // A picture that takes another's place is made out of sight: nothing blinks, nothing jumps.
    const fresh = this.views.length ? element("div", { className: "charts" }) : this.charts;
    if (fresh !== this.charts) {
      const width = this.charts.offsetWidth;
      fresh.style.cssText = `position: absolute; height: 0; overflow: hidden; width: ${width}px`;
      this.charts.after(fresh);
    }
    fresh.replaceChildren(...nodes);
    const embedded = await Promise.all(
      this.data.charts.map((chart, index) =>
        window.vegaEmbed(
          nodes[index].querySelector(".chart"),
          coloured({ ...chart.spec, config: this.config(palette) }, palette),
          { ...this.drawing(), actions: false, logLevel: 1 } // errors only: empty charts warn
        )
      )
    );
    if (turn !== this.turn || this.disposed) {
      embedded.forEach((result) => result.finalize());
      if (fresh !== this.charts) fresh.remove();
      return;
    }
    this.finalizeViews();
    this.charts.replaceWith(fresh);
    this.charts = fresh;
    fresh.style.cssText = "";
    this.views = embedded.map((result) => ({ ...result, drawn: {}, names: datasets(result.spec) }));
    embedded.forEach(({ view }, index) => speak(view, nodes[index].querySelector(".told")));
    // The figure says what a chart shows; the roles of its marks say nothing.
    fresh.querySelectorAll("svg").forEach((svg) => svg.setAttribute("aria-hidden", "true"));
    this.observer ??= new ResizeObserver(() => this.resize());
    this.observer.observe(this.charts);
    this.render();
    this.fit(nodes);
  }

  // In the presenter view a picture is no taller than the room above the bar, where charts allow it.
  fit(nodes) {
    const { zoom, room } = this.hall();
    if (!zoom) return;
    const over = (this.root.offsetHeight - room) / zoom / rows(nodes);
    for (const { view, spec } of this.views) {
      const tall = view.height();
      if (over > 0 && spec.height) view.height(Math.max(SQUEEZE * tall, tall - over)).run();
    }
  }

  resize() {
    if (this.hall().zoom !== this.zoom) this.embed(); // the presenter view's style came late, or went
    for (const shown of this.views) {
      shown.view.resize();
      this.redraw(shown);
    }
  }

  finalizeViews() {
    for (const result of this.views) result.finalize();
    this.views = [];
  }

  render() {
    if (this.disposed) return;
    const step = Math.floor(this.position);
    for (const shown of this.views) this.draw(shown, this.data.url ? step : this.position);
    this.root.dataset.position = step;
    this.root.dataset.edge = this.edge;
    this.root.dataset.phase = this.phase;
    this.root.dataset.source = this.data.source;
    this.slider.value = step;
    const idle = this.edge === 0;
    this.bar.hidden = idle && !!this.data.url;
    const word = this.playing ? "pause" : "play";
    if (this.playButton.dataset.word !== word) {
      this.playButton.dataset.word = word;
      this.playButton.replaceChildren(icon(word), this.data.words[word]);
    }
    const live = this.data.url && !this.ended;
    const pressed = this.host.shadowRoot?.activeElement === this.edgeButton;
    this.edgeButton.hidden = !(this.position < this.edge && this.data.url);
    if (pressed && this.edgeButton.hidden) this.playButton.focus();
    this.edgeButton.textContent = live ? this.data.words.live : this.data.words.end;
    this.line.textContent = this.status();
    this.paceLine.hidden = !(this.playing && this.ended && this.position < this.edge);
    this.readouts();
  }

  // Never two drawings of one chart at a time, and a pause after a slow one: a long run must not
  // take the browser away from the learner.
  async redraw(shown) {
    const start = performance.now();
    shown.busy = true;
    await shown.view.runAsync();
    const took = performance.now() - start;
    setTimeout(() => {
      shown.busy = false;
      if (shown.late) this.render();
    }, took > 16 ? Math.min(2000, took * took / 16) : 0); // 20 ms: 25, 50 ms: 156, 100 ms: 625
  }

  draw(shown, step) {
    shown.late = shown.busy;
    if (shown.busy) return;
    if (shown.position !== step && shown.hasPosition !== false) {
      try {
        shown.view.signal("position", step);
        shown.hasPosition = true;
      } catch {
        shown.hasPosition = false;
      }
    }
    let changed = shown.hasPosition && shown.position !== step;
    shown.position = step;
    for (const name of shown.names) {
      const rows = this.rows[name] ?? [];
      const before = shown.drawn[name] ?? 0;
      let upTo = before;
      if (upTo > rows.length) upTo = 0;
      while (upTo < rows.length && rows[upTo].at <= step) upTo += 1;
      while (upTo > 0 && rows[upTo - 1].at > step) upTo -= 1;
      if (upTo === before) continue;
      if (upTo > before) shown.view.insert(name, rows.slice(before, upTo));
      else shown.view.data(name, rows.slice(0, upTo));
      shown.drawn[name] = upTo;
      changed = true;
    }
    if (changed) this.redraw(shown);
  }

  status() {
    const words = this.data.words;
    const step = Math.floor(this.position);
    if (this.lost) return words.lost;
    if (!this.data.url) return this.data.frames?.[this.goal ?? step] ?? "";
    if (this.data.ended && !this.ended) return words.opening; // an old run, on its way here
    if (this.edge === 0 || ["stopped", "failed"].includes(this.phase)) {
      const elapsed = ((performance.now() - this.began) / 1000).toFixed(1);
      const text = fill(words[this.phase] ?? "", { place: this.place, text: this.text ?? "" });
      return this.ended ? text : `${text} ${elapsed} s`;
    }
    const row = this.lastRow("steps", step);
    const place = { step: count(step), total: count(this.total), epoch: row?.epoch ?? 1 };
    return fill(words.training, place);
  }

  lastRow(name, step, who) {
    const rows = this.rows[name] ?? [];
    for (let index = rows.length - 1; index >= 0; index -= 1) {
      const row = rows[index];
      if (row.at <= step && (who === undefined || row.who === who)) return row;
    }
    return undefined;
  }

  readouts() {
    for (const { value, spec } of this.numbers) {
      const row = this.lastRow(spec.data, Math.floor(this.position), spec.who);
      const number = row?.[spec.field];
      const text = typeof number === "number" ? number.toFixed(spec.digits) : "–";
      if (value.textContent !== text) value.textContent = text;
    }
    // What the picture shows at this position, for whoever moves along it by ear.
    const told = this.numbers.map(({ value, spec }) => `, ${spec.label} ${value.textContent}`);
    this.slider.setAttribute("aria-valuetext", this.status() + told.join(""));
  }

  // ---- what a screen reader is told, without being asked

  // The run itself, wherever the position is: each phase, each epoch with its loss, the end.
  tellRun() {
    if (this.data.ended) return; // an old run: the page tells of it
    const row = this.rows.epochs?.at(-1);
    const { epochs, words } = this.data;
    const loss = row?.loss?.toFixed(3) ?? "–";
    const epoch = row ? fill(words.epoch, { epoch: row.epoch, epochs, loss }) : "";
    const values = { place: this.place, text: this.text ?? "", epoch };
    if (this.ended) this.say(fill(words[this.phase === "finished" ? "done" : this.phase], values), true);
    else if (epoch) this.say(epoch);
    else if (this.edge === 0) this.say(fill(words[this.phase] ?? "", values));
  }

  // The position that somebody has moved to; a slider that has the keyboard is read by itself.
  tellPosition() {
    this.asked = false;
    if (this.host.shadowRoot?.activeElement !== this.slider) this.say(this.status(), true);
  }

  // What comes before its time replaces what waits: never a stream of sentences.
  say(text, soon = false) {
    this.unsaid = text;
    if (this.saying && !soon) return;
    clearTimeout(this.saying);
    const calm = this.said + CALM - performance.now();
    this.saying = setTimeout(() => {
      this.saying = null;
      if (!this.unsaid || this.live.textContent === this.unsaid) return;
      this.live.textContent = this.unsaid;
      this.said = performance.now();
    }, soon ? REST : Math.max(REST, calm));
  }

  // ---- the frame around the charts

  build() {
    const words = this.data.words;
    const button = (name, label, act) => {
      const node = element("button", { type: "button", ariaLabel: label, title: label });
      node.append(icon(name));
      node.addEventListener("click", act);
      return node;
    };
    this.numbers = (this.data.readouts ?? []).map((spec) => {
      const value = element("span", { className: "value" }, "–");
      const node = element("div", { className: "readout" });
      node.append(element("span", { className: "label" }, spec.label), value);
      return { spec, value, node };
    });
    const readouts = element("div", { className: "readouts" });
    readouts.append(...this.numbers.map(({ node }) => node));
    this.keyLine = element("div", { className: "legend" });
    this.charts = element("div", { className: "charts" });
    this.playButton = element("button", { type: "button", className: "play" });
    this.playButton.addEventListener("click", () => this.play());
    this.slider = element("input", { type: "range", ariaLabel: words.position });
    this.slider.min = 0;
    this.slider.max = this.total || 1;
    this.slider.step = 1;
    this.slider.value = 0;
    this.slider.addEventListener("input", () => this.moveTo(Number(this.slider.value)));
    const speed = element("select", { ariaLabel: words.speed, title: words.speed });
    for (const times of SPEEDS) {
      speed.append(element("option", { value: times, selected: times === 1 }, `${times}×`));
    }
    speed.hidden = !this.data.url && this.data.total <= 3; // a short move needs no choice of pace
    speed.addEventListener("change", () => (this.speed = Number(speed.value)));
    this.edgeButton = element("button", { type: "button", hidden: true });
    this.edgeButton.addEventListener("click", () => this.moveTo(this.edge, !this.ended));
    this.bar = element("div", { className: "bar" });
    this.bar.append(
      this.playButton,
      button("back", words.back, () => this.step(-1)),
      button("forward", words.forward, () => this.step(1)),
      this.slider,
      speed,
      this.edgeButton
    );
    this.line = element("p", { className: "status" });
    this.paceLine = element("p", { className: "pace", hidden: true }, words.pace);
    this.live = element("p", { className: "hidden", role: "status" });
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", this.data.label);
    this.root.addEventListener("keydown", (event) => this.keydown(event), { signal: this.listening.signal });
    this.root.replaceChildren(
      this.line, readouts, this.keyLine, this.charts, this.bar, this.paceLine, this.live
    );
  }

  legend() {
    const palette = this.palette();
    const chips = (this.data.legend ?? []).map(({ label, colour, dash, point }) => {
      const chip = element("span", { className: "chip" });
      const line = point
        ? svg("circle", { cx: 13, cy: 6, r: 4, fill: "none", stroke: palette[colour] })
        : svg("line", { x1: 0, y1: 6, x2: 26, y2: 6, stroke: palette[colour] });
      line.setAttribute("stroke-width", colour === "ink" && !point ? 3 : 2);
      line.setAttribute("stroke-dasharray", (dash ?? []).join(" "));
      const picture = svg("svg", { width: 26, height: 12, "aria-hidden": "true" });
      picture.append(line);
      chip.append(picture, label);
      return chip;
    });
    this.keyLine.replaceChildren(...chips);
    this.keyLine.hidden = chips.length === 0;
  }

  // The colours of this theme. Forced colours reach no canvas: there, ink and paper are those that
  // the reader has chosen, and replicas keep theirs.
  palette() {
    const { light, dark } = this.data.palettes;
    const forced = this.forced.matches;
    const paper = this.computed(forced ? "Canvas" : "var(--st-background-color)");
    if (!paper) return light; // taken out of the document: nothing is computed, nobody sees it
    const [red, green, blue] = paper.match(/[\d.]+/g).map(Number);
    const theme = 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? dark : light;
    if (!forced) return theme;
    const ink = this.computed("CanvasText");
    const mixed = (share) => this.computed(`color-mix(in srgb, CanvasText ${share}%, Canvas)`);
    return { ...theme, paper, ink, quiet: mixed(62), line: mixed(45) };
  }

  // A colour of CSS as numbers, whatever else is forced.
  computed(colour) {
    const probe = element("span", {});
    probe.style.cssText = `color: ${colour}; forced-color-adjust: none`;
    this.root.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  // In the presenter view charts are enlarged as a whole (--chart-zoom): vectors stay sharp then,
  // and no tooltip can point at the right mark.
  drawing() {
    return this.zoom ? { renderer: "svg", tooltip: false } : { renderer: "canvas" };
  }

  // What the presenter view sets: how far charts are enlarged, and the pixels that a picture has.
  hall() {
    const style = getComputedStyle(this.host);
    const [zoom, room] = ["--chart-zoom", "--picture-room"].map((name) => style.getPropertyValue(name));
    return { zoom: Number(zoom), room: innerHeight - parseFloat(room) };
  }

  config({ ink, quiet, line }) {
    const font = getComputedStyle(this.host).fontFamily;
    return {
      background: null,
      font,
      view: { stroke: null },
      axis: {
        labelColor: ink, titleColor: ink, domainColor: quiet, tickColor: quiet, gridColor: line,
        labelFontSize: 13, titleFontSize: 13, titleFontWeight: 400, labelFont: font, titleFont: font,
        tickCount: 5, grid: false, labelFlush: true,
      },
      axisY: { labelFlush: false }, // a number beside its tick
      text: { font, fontSize: 13, color: ink },
    };
  }
}

// ---- small things

function element(tag, properties, text) {
  const node = document.createElement(tag);
  Object.assign(node, properties);
  if (text !== undefined) node.textContent = text;
  return node;
}

function svg(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

const ICONS = {
  play: "M4 2 L14 8 L4 14 Z",
  pause: "M4 2 H7 V14 H4 Z M9 2 H12 V14 H9 Z",
  back: "M10 3 L5 8 L10 13",
  forward: "M6 3 L11 8 L6 13",
};

function icon(name) {
  const picture = svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
  const filled = name === "play" || name === "pause";
  const path = svg("path", { d: ICONS[name], fill: filled ? "currentColor" : "none" });
  if (!filled) path.setAttribute("stroke", "currentColor");
  path.setAttribute("stroke-width", "2");
  picture.append(path);
  return picture;
}

function count(number) {
  return number.toLocaleString("en");
}

function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

// Half as many rows: of four neighbours of a series, the ones with the lowest and highest loss.
function thinned(rows) {
  const series = new Map();
  for (const row of rows) {
    if (!series.has(row.who)) series.set(row.who, []);
    series.get(row.who).push(row);
  }
  const kept = [];
  for (const all of series.values()) {
    kept.push(all[0]); // a curve begins where it began
    for (let start = 1; start < all.length; start += 4) {
      const four = all.slice(start, start + 4).sort((a, b) => a.loss - b.loss);
      kept.push(four[0]);
      if (four.length > 1) kept.push(four.at(-1));
    }
  }
  return kept.sort((a, b) => a.at - b.at);
}

// A chart with a parameter `sentence` says it in words, again whenever a slider changes it.
function speak(view, line) {
  try {
    line.textContent = view.signal("sentence");
  } catch {
    return; // most charts have none
  }
  line.parentElement.setAttribute("role", "group"); // what is inside an image cannot be reached
  view.addSignalListener("sentence", (_, text) => (line.textContent = text));
}

// How many rows side-by-side charts take: as many as there are different upper edges.
function rows(nodes) {
  return new Set(nodes.map((node) => node.offsetTop)).size;
}

// Room for charts that are not drawn yet, so that what stands below does not jump.
function tallest(charts) {
  return Math.max(0, ...charts.map(({ spec }) => Number(spec.height) || 0));
}

// Names of the data sets that the player fills: the empty ones of the spec.
function datasets(spec, found = new Set()) {
  if (Array.isArray(spec)) spec.forEach((part) => datasets(part, found));
  else if (spec && typeof spec === "object") {
    if (spec.data?.name && !spec.data.values && !spec.datasets?.[spec.data.name]) {
      found.add(spec.data.name);
    }
    Object.values(spec).forEach((part) => datasets(part, found));
  }
  return found;
}

// A copy of the spec in which "$ink", "$R0", ... are this theme's colours; data stay as they are.
function coloured(value, palette) {
  if (typeof value === "string" && value[0] === "$") return palette[value.slice(1)] ?? value;
  if (Array.isArray(value)) return value.map((part) => coloured(part, palette));
  if (value && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        name,
        name === "values" || name === "datasets" ? part : coloured(part, palette),
      ])
    );
  }
  return value;
}

// One panel of the page. It sends messages, and shows the replies: all that is computed comes from
// the engine, through the server (`ask`, `tell`) or as steps that were computed before (`stored`).
export default ({
  panel, ask, tell, steps, regions, walls, edges, rows, view, title, where, say, changes, cosines,
  show, row, sliders, undo, over, find, kinds, plane, sphere, graph, rows_figure, refused, BLUE, ORANGE,
}) => {
  const PICTURES = ["plane", "sphere", "graph"];
  const LISTED = 10;
  const PAUSE = 700;
  const stored = steps === null ? null : JSON.parse(steps);
  let now = null; // the last reply that was drawn
  let before = null; // names at the last pause
  let framed = null; // the layout that the graph's picture is for
  let busy = false, waiting = [], timer = 0, quiet = false, dragged = null, sliding = "";
  let turned = [[1, 0, 0], [0, 0.6, 0.8], [0, -0.8, 0.6]]; // how the sphere is seen

  // ---------------------------------------------------------------- messages

  const picture = () => PICTURES[kinds.active];
  const text = value => {
    const made = document.createElement("span");
    made.textContent = value;
    return made.innerHTML;
  };

  function send(message, live = false) {
    if (stored !== null) return receive(fromStore(message), message);
    message.pictures = [picture()];
    if (busy) { // of a drag only the last place counts
      waiting = waiting.filter(other => !other.live);
      waiting.push({ message, live });
      return;
    }
    busy = true;
    ask.data = { message: [JSON.stringify(message)] };
  }

  if (stored === null) tell.properties.data.change.connect(() => {
    busy = false;
    receive(JSON.parse(tell.data.reply[0]));
    const next = waiting.shift();
    if (next) send(next.message, next.live);
  });

  function receive(reply) {
    if (reply.error) { say.text = `<p role="alert">${text(reply.error)}</p>`; return; }
    if (reply.say !== undefined) {
      const [only] = reply.regions;
      say.text = reply.say + (reply.details ? card(only, reply.details) : "");
      if (reply.regions.length) choose(reply.regions);
      return;
    }
    draw(reply);
  }

  // An exact point, the scores there, the walls and what lies beyond.
  function card(region, { point, scores }) {
    const names = now.rows.names.slice(0, scores.length);
    const more = now.rows.names.length > scores.length ? " \u2026" : "";
    const across = now.edges[0].map((_, e) => e)
      .filter(e => now.edges[0][e] === region || now.edges[1][e] === region)
      .map(e => [now.wall_names[now.edges[2][e]],
        now.names[now.edges[0][e] === region ? now.edges[1][e] : now.edges[0][e]]]);
    const listed = across.slice(0, 24).map(([wall, other]) => `<li>${text(wall)}: ${text(other)}</li>`);
    if (across.length > 24) listed.push(`<li>and ${across.length - 24} more</li>`);
    const counted = across.length === 1 ? "1 wall" : `${across.length} walls`;
    const where = now.in_plane ? "An exact point (s, t) of the plane" : "An exact point x";
    return `<p><b>${text(now.names[region])}</b></p><p>${where}: ${text(point)}.<br>Scores there: `
      + `${names.map((name, i) => `${text(name)}: ${scores[i]}`).join(", ")}${more}.</p>`
      + `<p>${counted}, and what lies beyond:</p><ul>${listed.join("")}</ul>`;
  }

  // The table of cosines: blue above zero, orange below.
  function cosineTable(values) {
    const names = now.rows.names.slice(0, values.length).map(text);
    const cell = value => {
      if (value === null) return "<td>none</td>";
      const share = Math.round(Math.abs(value) * 0x59).toString(16).padStart(2, "0");
      const shown = value.toFixed(3).replace("-", "\u2212");
      return `<td style="background:${value > 0 ? BLUE : ORANGE}${share}">${shown}</td>`;
    };
    const body = values.map((line, i) => `<tr><th scope="row">${names[i]}</th>${line.map(cell).join("")}</tr>`);
    const head = names.map(name => `<th scope="col">${name}</th>`).join("");
    const n = now.rows.names.length;
    const more = n > values.length ? `<p>the first ${values.length} of ${n} rows</p>` : "";
    return `<table><thead><tr><td></td>${head}</tr></thead><tbody>${body.join("")}</tbody></table>${more}`;
  }

  // ---------------------------------------------------------------- drawing

  function draw(reply) {
    const first = now === null;
    const window_ = reply.window.join();
    if (first || window_ !== now.window.join()) {
      const [x, y, r] = reply.window;
      plane.x_range.setv({ start: x - r, end: x + r });
      plane.y_range.setv({ start: y - r, end: y + r });
    }
    const gone = first || reply.names.join("\n") !== now.names.join("\n");
    const pictures = { ...(gone || first ? {} : now.pictures), ...reply.pictures };
    now = { ...reply, pictures };
    title.text = `<h2 aria-live="polite">${text(reply.title)}</h2>`;
    where.text = text(reply.where);
    where.visible = reply.where !== "";
    cosines.text = cosineTable(reply.cosines);
    undo.disabled = !reply.undo;
    over.visible = reply.show === "chambers" && stored === null;
    if (show.value !== reply.show) { quiet = true; show.value = reply.show; quiet = false; }
    if (reply.resting) rest("");
    const { x, y, names, text: numbers, colours } = reply.rows;
    rows.data = { x, y, name: names, text: numbers, colour: colours,
      x0: x.map(() => 0), y0: x.map(() => 0) };
    const { start, end } = rows_figure.x_range, { start: low, end: high } = rows_figure.y_range;
    const hidden = i => x[i] < start || x[i] > end || y[i] < low || y[i] > high;
    if (first || (dragged === null && x.some((_, i) => hidden(i)))) frame(rows_figure, [0, ...x], [0, ...y], 1.5);
    fill(gone);
    if (before === null) before = reply.names;
    changed();
    clearTimeout(timer);
    timer = setTimeout(() => { before = now.names; }, PAUSE);
    nameHandles();
  }

  function frame(figure, x, y, margin) {
    const [left, right, low, high] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
    const r = margin * Math.max(right - left, high - low) / 2 || 1;
    figure.x_range.setv({ start: (left + right) / 2 - r, end: (left + right) / 2 + r });
    figure.y_range.setv({ start: (low + high) / 2 - r, end: (low + high) / 2 + r });
  }

  function fill(gone) {
    const n = now.names.length, none = () => now.names.map(() => []);
    const { plane: flat, sphere: round, graph: net } = now.pictures;
    const seen = round && round.outlines ? round.outlines.map(project) : null;
    if (gone) { quiet = true; regions.selected.indices = []; view.filter.indices = null; quiet = false; }
    regions.data = {
      number: now.names.map((_, i) => i), name: now.names, colour: now.colours,
      xs: flat ? flat.xs : none(), ys: flat ? flat.ys : none(),
      sx: seen ? seen.map(s => s[0]) : none(), sy: seen ? seen.map(s => s[1]) : none(),
      gx: net && n === net.gx.length ? net.gx : now.names.map(() => NaN),
      gy: net && n === net.gy.length ? net.gy : now.names.map(() => NaN),
      far: gone || !regions.data.far || regions.data.far.length !== n
        ? now.names.map(() => "") : regions.data.far,
    };
    view.change.emit(); // a table notices by itself only that it has got longer or shorter
    walls.data = flat ? { xs: flat.walls.xs, ys: flat.walls.ys, name: flat.walls.names }
      : { xs: [], ys: [], name: [] };
    if (net && net.gx.length && net !== framed) { framed = net; frame(graph, net.gx, net.gy, 1.15); }
    const [from, to, wall] = now.edges;
    edges.data = net && net.gx.length ? {
      x0: from.map(i => net.gx[i]), y0: from.map(i => net.gy[i]),
      x1: to.map(i => net.gx[i]), y1: to.map(i => net.gy[i]),
      name: wall.map(w => now.wall_names[w]),
    } : { x0: [], y0: [], x1: [], y1: [], name: [] };
    const shown = now.pictures[picture()] || { refused: "This step is drawn in the plane only." };
    refused.text = shown.refused ? text(shown.refused) : "";
    refused.visible = refused.text !== "";
  }

  function changed() {
    const had = new Set(before), has = new Set(now.names);
    const gone = before.filter(name => !has.has(name));
    const come = now.names.filter(name => !had.has(name));
    const listed = (names, one, many) => {
      const more = names.length - LISTED;
      const first = names.slice(0, LISTED).map(name => `<b>${text(name)}</b>`).join(", ");
      return `<p>${first}${more > 0 ? ` and ${more} more` : ""} ${names.length === 1 ? one : many}</p>`;
    };
    if (gone.length + come.length === 0) return;
    changes.text = (gone.length ? listed(gone, "is no longer possible.", "are no longer possible.") : "")
      + (come.length ? listed(come, "is possible now.", "are possible now.") : "");
  }

  // ---------------------------------------------------------------- the sphere

  // The part of a spherical polygon on the near half, seen from far away.
  function project(flat) {
    const xs = [], ys = [], m = flat.length / 3;
    const at = i => [0, 1, 2].map(k => [0, 1, 2].reduce((s, j) => s + turned[k][j] * flat[3 * i + j], 0));
    const points = Array.from({ length: m }, (_, i) => at(i));
    const add = ([x, y]) => { xs.push(x); ys.push(y); };
    const rim = (a, b) => {
      const t = a[2] / (a[2] - b[2]), x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
      const length = Math.hypot(x, y) || 1;
      return [x / length, y / length];
    };
    let left = null, entered = null;
    const along = (a, b) => { // the shorter way around the rim
      let from = Math.atan2(a[1], a[0]), turn = Math.atan2(b[1], b[0]) - from;
      turn -= 2 * Math.PI * Math.round(turn / (2 * Math.PI));
      const steps = Math.ceil(Math.abs(turn) / 0.1);
      for (let k = 0; k <= steps; k++) add([Math.cos(from + turn * k / steps), Math.sin(from + turn * k / steps)]);
    };
    for (let i = 0; i < m; i++) {
      const a = points[i], b = points[(i + 1) % m];
      if (a[2] >= 0) add(a);
      if (a[2] >= 0 && b[2] < 0) left = rim(a, b);
      if (a[2] < 0 && b[2] >= 0) {
        const into = rim(b, a);
        if (left) along(left, into); else entered = into;
        left = null;
      }
    }
    if (left && entered) along(left, entered);
    return [xs, ys];
  }

  function turn(dx, dy) {
    const times = (A, B) => A.map(r => [0, 1, 2].map(j => r[0] * B[0][j] + r[1] * B[1][j] + r[2] * B[2][j]));
    const [c, s, e, f] = [Math.cos(dx), Math.sin(dx), Math.cos(dy), Math.sin(dy)];
    turned = times([[c, 0, s], [0, 1, 0], [-s, 0, c]], turned);
    turned = times([[1, 0, 0], [0, e, -f], [0, f, e]], turned);
    fill(false);
  }

  // ---------------------------------------------------------------- choosing a region

  function choose(chosen) {
    quiet = true;
    regions.selected.indices = chosen;
    quiet = false;
    if (chosen.length === 1) distances(chosen[0]);
  }

  function distances(start) {
    const near = now.names.map(() => []);
    now.edges[0].forEach((i, e) => { near[i].push(now.edges[1][e]); near[now.edges[1][e]].push(i); });
    const far = now.names.map(() => -1);
    far[start] = 0;
    for (let queue = [start], k = 0; k < queue.length; k++)
      for (const j of near[queue[k]]) if (far[j] < 0) { far[j] = far[queue[k]] + 1; queue.push(j); }
    regions.data = { ...regions.data, far: far.map(k => k < 0 ? "" : String(k)) };
    view.change.emit();
  }

  regions.selected.properties.indices.change.connect(() => {
    const chosen = regions.selected.indices;
    if (quiet || chosen.length !== 1) return;
    distances(chosen[0]);
    send({ do: "pin", region: chosen[0] });
  });

  find.properties.value.change.connect(() => {
    const wanted = find.value.trim();
    view.filter.indices = null;
    if (wanted) send({ do: "search", text: wanted });
  });
  find.properties.value_input.change.connect(() => { // the table follows each key
    const part = normal(find.value_input);
    const hit = now.names.map((_, i) => i).filter(i => normal(now.names[i]).includes(part));
    view.filter.indices = part && hit.length ? hit : null;
  });
  const normal = name => name.replace(/-/g, "\u2212").replace(/[\s{}]/g, "").toLowerCase();

  // ---------------------------------------------------------------- changing rows

  const chosenRow = () => Number(row.value);

  function rest(except) {
    quiet = true;
    for (const [name, slider] of Object.entries(sliders))
      if (name !== except) slider.value = slider.categories[slider.tags[0]];
    quiet = false;
  }

  for (const [name, slider] of Object.entries(sliders)) {
    slider.properties.value.change.connect(() => {
      if (quiet) return;
      if (sliding !== name) rest(name);
      sliding = name;
      const position = slider.categories.indexOf(slider.value);
      send({ do: "slide", slider: name, row: chosenRow(), position }, true);
    });
  }
  row.properties.value.change.connect(() => { rest(""); sliding = ""; offered(); });
  if (show) show.properties.value.change.connect(() => { if (!quiet) { rest(""); send({ do: "show", show: show.value }); } });
  const press = action => { rest(""); sliding = ""; send({ do: action, row: chosenRow() }); };

  kinds.properties.active.change.connect(() => {
    plane.visible = kinds.active === 0;
    sphere.visible = kinds.active === 1;
    graph.visible = kinds.active === 2;
    if (now.pictures[picture()] || stored !== null) fill(false); else send({ do: "draw" });
  });

  // ---------------------------------------------------------------- the pointer

  const pointer = {
    rows: {
      panstart: event => {
        const { start, end } = rows_figure.x_range, reach = 0.07 * (end - start);
        dragged = null;
        let best = reach;
        rows.data.x.forEach((x, i) => {
          const far = Math.hypot(x - event.x, rows.data.y[i] - event.y);
          if (far < best) { best = far; dragged = i; }
        });
        if (dragged !== null) { rest(""); sliding = ""; quiet = true; row.value = String(dragged); quiet = false; }
      },
      pan: event => { if (dragged !== null && stored === null) send({ do: "move", row: dragged, to: [event.x, event.y] }, true); },
      panend: () => { dragged = null; },
    },
    sphere: {
      panstart: event => { dragged = [event.sx, event.sy]; },
      pan: event => {
        if (!Array.isArray(dragged)) return;
        turn((event.sx - dragged[0]) / 150, (event.sy - dragged[1]) / 150);
        dragged = [event.sx, event.sy];
      },
      panend: () => { dragged = null; },
    },
  };
  (window.arrangementsExplorer ||= {})[panel] = {
    pointer: (figure, event) => pointer[figure][event.event_name](event), press,
    state: () => ({ now, busy, waiting: waiting.length, selected: regions.selected.indices }),
  };

  // ---------------------------------------------------------------- steps computed before

  const visited = [];

  function fromStore(message) {
    const stepOf = ({ slider, row, position }) => stored.steps[stored.owners[slider][row]][position];
    if (message.do === "slide") {
      const last = visited[visited.length - 1];
      if (last && last.slider === message.slider && last.row === message.row) visited.pop();
      visited.push(message);
      return { ...stepOf(message), undo: visited.length };
    }
    if (message.do === "pin")
      return { say: "", regions: [message.region], details: now.details[message.region] };
    if (message.do === "search") return sought(message.text);
    if (message.do === "undo") visited.pop();
    if (message.do === "start_again") visited.length = 0;
    const last = visited[visited.length - 1];
    const reply = last ? stepOf(last) : stored.first;
    return { ...reply, undo: visited.length, resting: !last };
  }

  function sought(wanted) {
    const same = name => [wanted, wanted.replaceAll(">", "")].some(w => normal(w) === normal(name));
    const found = now.names.findIndex(same);
    if (found >= 0) return {
      say: `<p><b>${text(now.names[found])} is possible.</b></p>`,
      regions: [found], details: now.details[found],
    };
    const proof = Object.entries(now.impossible || {}).find(([name]) => same(name));
    if (proof) return { say: proof[1], regions: [] };
    return { error: `${wanted} is not on this page's list, which is complete.`
      + (visited.length ? " Proofs are stored for the start: undo, or" : " For a proof, or for a part of a ranking,")
      + " start the explorer with its server: arrangements explore FILE" };
  }

  function offered() { // sliders that lead somewhere
    if (stored === null) return;
    for (const [name, slider] of Object.entries(sliders)) slider.visible = chosenRow() in (stored.owners[name] || {});
  }

  // Handles of sliders have no names of their own for those who listen to the page.
  function nameHandles() {
    for (const slider of Object.values(sliders)) {
      const seen = Bokeh.index.find_one(slider);
      seen?.shadow_el.querySelector(".noUi-handle")?.setAttribute("aria-label", slider.title);
    }
  }

  // Figures are as light or dark as the page: left transparent, they would not be wiped clean.
  function follow() {
    const colour = getComputedStyle(document.body).backgroundColor;
    for (const figure of [plane, sphere, graph, rows_figure])
      figure.setv({ border_fill_color: colour, background_fill_color: colour });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);

  follow();
  offered();
  nameHandles();
  send({ do: "draw" });
};

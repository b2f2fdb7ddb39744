// One panel of the page. It sends messages, and shows the replies: all that is computed comes from
// the engine, through the server (`ask`, `tell`) or as steps that were computed before (`stored`).
export default ({
  panel, ask, tell, steps, regions, areas, walls, marks, border, caps, nodes, texts, edges, rows, view,
  title, where, say, changes, cosines, show, row, sliders, undo, over, find, kinds,
  plane, sphere, graph, rows_figure, refused, BLUE, ORANGE, COMMAND,
}) => {
  const PICTURES = kinds.labels;
  const LISTED = 10;
  const PAUSE = 700;
  // Of so many regions, what lists them waits until the pointer rests so long.
  const MANY = 500, STILL = 100;
  // Characters of a row's name in a picture, of a region's name beside the pointer and in a graph,
  // and regions of a graph that are named.
  const NAME = 14, POINTED = 60, NODE = 16, NODES = 40, NAMED = 400;
  const READING = { // how a picture is read
    rankings: "A point is an input x. In a region the labels have one order, the best one first. It has the "
      + "color of the first label; light and dark only separate neighbors.",
    first: "A point is an input x. A region is where one label is the best; it has the color of that label.",
    top: "A point is an input x. A region is where the same labels are the best; colors only separate neighbors.",
    chambers: "A point is an input x. In a region each row has one sign, + or \u2212, in the order of the rows. "
      + "Light and dark only separate neighbors.",
    sphere: "Each point is a direction of x; drag to turn. ",
    graph: "Each dot is a region, each line a wall between two of them. Choose a dot: the numbers say how many "
      + "walls away the others are.",
  };
  const stored = steps === null ? null : JSON.parse(steps);
  let now = null; // the last reply that was drawn
  let before = null; // names at the last pause
  let framed = null; // the layout that the graph's picture is for
  let far = []; // how far each region is from the chosen one
  let timer = 0, listing = 0, quiet = false, dragged = null, sliding = "";
  let turned = [[1, 0, 0], [0, 0.6, 0.8], [0, -0.8, 0.6]]; // how the sphere is seen

  // ---------------------------------------------------------------- messages

  const picture = () => PICTURES[kinds.active];
  const text = value => {
    const made = document.createElement("span");
    made.textContent = value;
    return made.innerHTML;
  };
  const cut = (value, most) => {
    if (value.length <= most) return value;
    const letters = [...value];
    return letters.length > most ? `${letters.slice(0, most - 1).join("")}\u2026` : value;
  };

  const talk = stored === null ? conversation(ask, tell, receive) : null;

  function send(message, live = false) {
    if (talk) talk.send({ ...message, pictures: [picture()] }, live);
    else receive(fromStore(message), message);
  }

  function receive(reply) {
    if (reply.error) {
      say.text = `<p role="alert">${text(reply.error)}</p>`;
      if (now) showKind(now.show); // what was asked for is not what is drawn
      return;
    }
    if (reply.say !== undefined) {
      const [only] = reply.regions;
      say.text = reply.say + (reply.details ? card(only, reply.details) : "");
      if (reply.regions.length) choose(reply.regions);
      return;
    }
    draw(reply);
  }

  function showKind(kind) {
    quiet = true;
    show.value = kind;
    quiet = false;
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
    const walls = { 0: "No walls: it is all there is.", 1: "1 wall, and what lies beyond it:" }[across.length]
      ?? `${across.length} walls, and what lies beyond each:`;
    const values = now.show === "chambers" ? "The values of the rows there" : "Scores there";
    const where = now.in_plane ? "An exact point (s, t) of the plane" : "An exact point x";
    return `<p><b>${text(now.names[region])}</b></p><p>${where}: ${text(point)}.<br>${values}: `
      + `${names.map((name, i) => `${text(cut(name, 2 * NAME))}: ${scores[i]}`).join(", ")}${more}.</p>`
      + `<p>${walls}</p><ul>${listed.join("")}</ul>`;
  }

  // The table of cosines: blue above zero, orange below.
  function cosineTable(values) {
    const names = now.rows.names.slice(0, values.length).map(name => text(cut(name, NAME)));
    const zero = values.some(line => line.includes(null)) ? "<p>A row that is zero has no angles.</p>" : "";
    const cell = value => {
      if (value === null) return "<td>\u2013</td>";
      const share = Math.round(Math.abs(value) * 0x59).toString(16).padStart(2, "0");
      const shown = value.toFixed(3).replace("-", "\u2212");
      return `<td style="background:${value > 0 ? BLUE : ORANGE}${share}">${shown}</td>`;
    };
    const body = values.map((line, i) => `<tr><th scope="row">${names[i]}</th>${line.map(cell).join("")}</tr>`);
    const head = names.map(name => `<th scope="col">${name}</th>`).join("");
    const n = now.rows.names.length;
    const more = n > values.length ? `<p>the first ${values.length} of ${n} rows</p>` : "";
    return `<table><thead><tr><td></td>${head}</tr></thead><tbody>${body.join("")}</tbody></table>${zero}${more}`;
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
    const still = !first && !gone && JSON.stringify(reply.rows) === JSON.stringify(now.rows);
    const kept = still ? now.pictures : gone ? {} : { graph: now.pictures.graph };
    const pictures = { ...kept, ...reply.pictures };
    now = { ...reply, pictures };
    title.text = `<h2 aria-live="polite">${text(reply.title)}</h2>`;
    explain();
    if (first) say.text = hint();
    cosines.text = cosineTable(reply.cosines);
    undo.disabled = !reply.undo;
    over.visible = reply.show === "chambers" && stored === null;
    showKind(reply.show);
    if (reply.resting) rest("");
    const { x, y, names, text: numbers, colors } = reply.rows;
    rows.data = { x, y, name: names.map(name => cut(name, NAME)), text: numbers, color: colors,
      x0: x.map(() => 0), y0: x.map(() => 0), ...besides(x, y) };
    const { start, end } = rows_figure.x_range, { start: low, end: high } = rows_figure.y_range;
    const hidden = i => x[i] < start || x[i] > end || y[i] < low || y[i] > high;
    if (first || (dragged === null && x.some((_, i) => hidden(i)))) frame(rows_figure, [0, ...x], [0, ...y], 1.5);
    before ??= reply.names;
    fill(gone);
    clearTimeout(timer);
    timer = setTimeout(() => { before = now.names; }, PAUSE);
    nameHandles(Object.values(sliders));
  }

  // Names of rows stand away from the middle of all rows, so that few of them overlap.
  function besides(x, y) {
    const n = x.length || 1, middle = [x, y].map(values => values.reduce((a, b) => a + b / n, 0));
    const ways = x.map((_, i) => Math.atan2(y[i] - middle[1], x[i] - middle[0]));
    return {
      dx: ways.map(way => 12 * Math.cos(way)), dy: ways.map(way => -13 * Math.sin(way)),
      align: ways.map(way => Math.cos(way) > 0.4 ? "left" : Math.cos(way) < -0.4 ? "right" : "center"),
    };
  }

  // What one sees, and what can be typed.
  function explain() {
    const k = now.show.startsWith("top-") ? Number(now.show.slice(4)) : 0;
    const reading = READING[k === 1 ? "first" : k ? "top" : now.show];
    const drawn = picture() === "plane" || now.in_plane ? now.where : "";
    const read = { plane: reading, graph: READING.graph,
      sphere: READING.sphere + reading.replace("A point is an input x. ", "") }[picture()];
    where.text = `<p>${text(read)}</p>${drawn && `<p>${text(drawn)}</p>`}`;
    const all = now.rows.names;
    find.placeholder = now.show === "chambers" ? (all.length < 12 ? `+${"-".repeat(all.length - 1)}` : "a sign vector")
      : k ? all.slice(0, k).join(", ") : all.slice(0, 3).join(" > ");
  }

  const hint = () => "<p>Click a region: you get an exact point in it, its walls and its neighbors.</p><p>Or type "
    + `something like <b>${text(find.placeholder)}</b> and press Enter: what is impossible is proved to be so.</p>`;

  function frame(figure, x, y, margin) {
    const [left, right, low, high] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
    const r = margin * Math.max(right - left, high - low) / 2 || 1;
    figure.x_range.setv({ start: (left + right) / 2 - r, end: (left + right) / 2 + r });
    figure.y_range.setv({ start: (low + high) / 2 - r, end: (low + high) / 2 + r });
  }

  function fill(gone) {
    if (gone) {
      far = [];
      select([]);
      view.filter.indices = null;
    }
    paint();
    clearTimeout(listing);
    if (now.names.length < MANY) list(); else listing = setTimeout(list, STILL);
  }

  function list() {
    changed();
    fillTable();
  }

  function fillTable() {
    regions.data = { name: now.names, walls: counted(), far: now.names.map((_, i) => far[i] ?? "") };
    view.change.emit(); // a table notices by itself only that it has got longer or shorter
  }

  // Only the picture that is seen is drawn.
  function paint() {
    const shown = now.pictures[picture()];
    ({ plane: paintPlane, sphere: paintSphere, graph: paintGraph })[picture()](shown);
    const missing = shown || stored === null ? "" : "This step is drawn in the plane only.";
    refused.text = text(shown?.refused ?? missing);
    refused.visible = refused.text !== "";
  }

  // What a picture draws of regions, with their names and colors.
  const drawn = columns => Object.values(columns).every(column => column.length === now.names.length)
    ? { short: now.names.map(name => cut(name, POINTED)), color: now.colors, ...columns }
    : { short: [], color: [], ...Object.fromEntries(Object.keys(columns).map(key => [key, []])) };

  function paintPlane(flat) {
    areas.data = drawn({ xs: flat?.xs ?? [], ys: flat?.ys ?? [] });
    border.data = flat?.border ?? { xs: [], ys: [] };
    walls.data = { xs: flat?.walls.xs ?? [], ys: flat?.walls.ys ?? [], name: flat?.walls.names ?? [] };
    nameRegions();
  }

  function paintSphere(round) {
    const seen = (round?.outlines ?? []).map(project);
    caps.data = drawn({ xs: seen.map(one => one[0]), ys: seen.map(one => one[1]) });
  }

  function paintGraph(net) {
    const { gx: x, gy: y } = net ?? { gx: [], gy: [] }, n = now.names.length;
    nodes.data = drawn({ x, y });
    if (x.length && net !== framed) { framed = net; frame(graph, x, y, 1.15); }
    const [from, to, wall] = x.length ? now.edges : [[], [], []];
    edges.data = {
      x0: from.map(i => x[i]), y0: from.map(i => y[i]), x1: to.map(i => x[i]), y1: to.map(i => y[i]),
      name: wall.map(w => now.wall_names[w]),
    };
    // texts are slow, even empty ones
    const named = n <= NODES && now.names.every(name => [...name].length <= NODE);
    texts.data = named || far.length
      ? { x, y, far: x.map((_, i) => far[i] ?? ""), node: x.map((_, i) => named ? now.names[i] : "") }
      : { x: [], y: [], far: [], node: [] };
  }

  function counted() {
    const found = now.names.map(() => 0);
    for (const ends of now.edges.slice(0, 2)) for (const i of ends) found[i]++;
    return found;
  }

  // Names in the plane: near the middle of what is seen of a region, in a line or in a column, where
  // there is room.
  function nameRegions() {
    const found = { x: [], y: [], text: [] }, flat = now.pictures.plane;
    const { start, end } = plane.x_range, { start: low, end: high } = plane.y_range;
    const scale = (plane.inner_width || 500) / (end - start);
    const sides = [[1, 0, -start], [-1, 0, end], [0, 1, -low], [0, -1, high]];
    if (flat && now.names.length <= NAMED) now.names.forEach((name, i) => {
      let corners = flat.xs[i].map((x, j) => [x, flat.ys[i][j]]);
      for (const side of sides) corners = clipped(corners, side);
      if (corners.length < 3) return;
      const shapes = [name, name.replaceAll(" > ", "\n")].map(words => {
        const lines = words.split("\n"), letters = Math.max(...lines.map(line => [...line].length));
        return [words, (4 + 3.8 * letters) / scale, (2 + 7.5 * lines.length) / scale];
      });
      for (const [words, w, h] of shapes) {
        const room = ([x, y]) => [[w, h], [-w, h], [-w, -h], [w, -h]].every(([dx, dy]) => within(corners, x + dx, y + dy));
        const place = places(corners).find(room);
        if (!place) continue;
        found.x.push(place[0]);
        found.y.push(place[1]);
        found.text.push(words);
        break;
      }
    });
    marks.data = found;
  }

  // The part of a convex polygon where a x + b y + c >= 0.
  function clipped(corners, [a, b, c]) {
    const at = ([x, y]) => a * x + b * y + c, found = [];
    corners.forEach((one, i) => {
      const other = corners[(i + 1) % corners.length], [u, v] = [at(one), at(other)];
      if (u >= 0) found.push(one);
      if (u * v < 0) found.push([0, 1].map(k => one[k] + u / (u - v) * (other[k] - one[k])));
    });
    return found;
  }

  function center(corners) {
    let [area, x, y] = [0, 0, 0];
    const [ox, oy] = corners[0];
    corners.forEach(([px, py], i) => {
      const [qx, qy] = corners[(i + 1) % corners.length];
      const cross = (px - ox) * (qy - oy) - (qx - ox) * (py - oy);
      area += cross;
      x += cross * (px + qx + ox) / 3;
      y += cross * (py + qy + oy) / 3;
    });
    return [x / area, y / area];
  }

  // The middle of a polygon, and points between it and its sides.
  function places(corners) {
    const middle = center(corners);
    const sides = corners.map((one, i) => [0, 1].map(k => (one[k] + corners[(i + 1) % corners.length][k]) / 2));
    const towards = part => sides.map(side => [0, 1].map(k => middle[k] + part * (side[k] - middle[k])));
    return [middle, ...towards(0.4), ...towards(0.7)];
  }

  function within(corners, x, y) { // of corners that go round counterclockwise
    return corners.every(([px, py], i) => {
      const [qx, qy] = corners[(i + 1) % corners.length];
      return (qx - px) * (y - py) - (qy - py) * (x - px) >= 0;
    });
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
    paint();
  }

  // ---------------------------------------------------------------- choosing a region

  const sources = [regions, areas, caps, nodes];

  function select(chosen) {
    quiet = true;
    for (const source of sources) source.selected.indices = chosen;
    quiet = false;
  }

  function choose(chosen) {
    select(chosen);
    if (chosen.length === 1) showDistances(distances(chosen[0]));
  }

  function showDistances(found) {
    far = found;
    fillTable();
    if (picture() === "graph") paint();
  }

  function distances(start) {
    const near = now.names.map(() => []);
    now.edges[0].forEach((i, e) => { near[i].push(now.edges[1][e]); near[now.edges[1][e]].push(i); });
    const steps = now.names.map(() => -1);
    steps[start] = 0;
    for (let queue = [start], k = 0; k < queue.length; k++)
      for (const j of near[queue[k]]) if (steps[j] < 0) { steps[j] = steps[queue[k]] + 1; queue.push(j); }
    return steps.map(k => k < 0 ? "" : String(k));
  }

  for (const { selected } of sources) selected.properties.indices.change.connect(() => {
    if (quiet) return;
    const chosen = selected.indices.slice(0, 1);
    if (chosen.length === 0) { // a click beside all regions
      select([]);
      say.text = hint();
      showDistances([]);
      return;
    }
    choose(chosen);
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
    plane.visible = picture() === "plane";
    sphere.visible = picture() === "sphere";
    graph.visible = picture() === "graph";
    explain();
    paint();
    if (!now.pictures[picture()] && stored === null) send({ do: "draw" });
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
    ask: wanted => { find.value = ""; find.value = wanted; },
    state: () => ({ now, busy: Boolean(talk?.busy()), marks: marks.data, waiting: talk?.waiting() ?? 0, selected: regions.selected.indices }),
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
      + ` start the server: ${COMMAND}` };
  }

  function offered() { // sliders that lead somewhere
    if (stored === null) return;
    for (const [name, slider] of Object.entries(sliders)) slider.visible = chosenRow() in (stored.owners[name] || {});
  }

  // Figures are as light or dark as the page: left transparent, they would not be wiped clean.
  function follow() {
    const { backgroundColor: color, color: ink } = getComputedStyle(document.body);
    graph.renderers.find(one => one.name === "nodes").selection_glyph.line_color = { value: ink };
    for (const figure of [plane, sphere, graph, rows_figure]) figure.border_fill_color = color;
    for (const figure of [sphere, graph, rows_figure]) figure.background_fill_color = color;
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);

  let renamed = 0;
  for (const moved of [plane.x_range.properties.start, plane.y_range.properties.start, plane.properties.inner_width])
    moved.change.connect(() => {
      cancelAnimationFrame(renamed);
      renamed = requestAnimationFrame(() => now && nameRegions());
    });

  follow();
  offered();
  nameHandles(Object.values(sliders));
  send({ do: "draw" });
};

// A page about networks. All that is computed comes from the engine, through the server or as
// replies that were computed before (`stored`).
export default ({
  ask, tell, steps, areas, edges, borders, probe, plane, title, legend, say,
  color, step, layer, row, column, value, shifts, undo,
}) => {
  const stored = steps === null ? null : JSON.parse(steps);
  const talk = stored === null ? conversation(ask, tell, receive) : null;
  let now = null, quiet = false;

  const text = wanted => {
    const made = document.createElement("span");
    made.textContent = wanted;
    return made.innerHTML;
  };

  function send(message, live = false) {
    if (quiet) return;
    if (talk) talk.send(message, live);
    else receive(stored[shown()] ?? { error: "This was not computed for a page without a server." });
  }

  const shown = () => JSON.stringify([color.value, step ? step.value : 0, ...shifts.map(slider => slider.value)]);

  function receive(reply) {
    if (reply.error) {
      say.text = `<p role="alert">${text(reply.error)}</p>`;
      return;
    }
    quiet = true;
    if (reply.areas) draw(reply);
    now = { ...now, ...reply };
    probe.data = { x: [now.point[0]], y: [now.point[1]] };
    areas.selected.indices = now.chosen;
    say.text = now.say;
    quiet = false;
  }

  function draw(reply) {
    if (now === null) {
      const [x, y, r] = reply.window;
      plane.x_range.setv({ start: x - r, end: x + r });
      plane.y_range.setv({ start: y - r, end: y + r });
    }
    areas.selected.indices = [];
    areas.data = reply.areas;
    edges.data = reply.edges;
    borders.data = reply.borders;
    title.text = `<h2 aria-live="polite">${text(reply.title)}</h2>`;
    const swatch = shade => `<span style="display:inline-block;width:1em;height:1em;background:${shade}"></span>`;
    legend.text = reply.legend.map(([shade, name]) => `<span style="white-space:nowrap">${swatch(shade)} ${text(name)}</span>`).join(" ");
    undo.disabled = !reply.undo;
    color.value = reply.color;
    if (step) step.value = reply.step;
    shifts.forEach((slider, k) => { slider.value = reply.shifts[k]; });
    const { weight } = reply;
    layer.value = String(weight.layer);
    row.options = [...Array(weight.rows).keys()].map(i => [String(i), `output ${i}`]);
    row.value = String(weight.row);
    column.options = weight.columns.map((name, j) => [String(j), name]);
    column.value = String(weight.column);
    value.setv({ start: -weight.reach, end: weight.reach, step: weight.step, value: weight.value });
    nameHandles([step, value, ...shifts].filter(Boolean));
  }

  // ---------------------------------------------------------------- what is moved

  const changed = (model, action) => model.properties.value.change.connect(action);
  changed(color, () => send({ do: "color", color: color.value }));
  if (step) changed(step, () => send({ do: "step", position: step.value }, true));
  shifts.forEach((slider, k) => changed(slider, () => send({ do: "shift", vector: k, position: slider.value }, true)));
  changed(layer, () => send({ do: "choose", weight: [Number(layer.value), 0, 0] }));
  for (const one of [row, column])
    changed(one, () => send({ do: "choose", weight: [layer, row, column].map(select => Number(select.value)) }));
  changed(value, () => send({ do: "set", value: value.value }, true));

  (window.arrangementsExplorer ||= {})[0] = {
    pointer: event => { if (talk) send({ do: "point", to: [event.x, event.y] }, true); },
    press: action => send({ do: action }),
    state: () => ({ now, busy: Boolean(talk?.busy()), selected: areas.selected.indices }),
  };

  // The figure is as light or dark as the page.
  function follow() {
    plane.border_fill_color = getComputedStyle(document.body).backgroundColor;
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);
  follow();
  send({ do: "draw" });
};

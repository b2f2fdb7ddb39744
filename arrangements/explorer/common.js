// What all pages have.

// Messages to the server, one at a time, and its replies. Of a drag only the last place counts.
function conversation(ask, tell, receive) {
  let busy = false, sent = 0, waiting = [];
  function send(message, live = false) {
    if (busy) {
      waiting = waiting.filter(other => !other.live);
      waiting.push({ message, live });
      return;
    }
    busy = true;
    // equal data is not sent again: the number makes a second undo differ from the first one
    ask.data = { message: [JSON.stringify({ ...message, number: ++sent })] };
  }
  tell.properties.data.change.connect(() => {
    busy = false;
    const next = waiting.shift();
    if (next) send(next.message, next.live); // the engine works while the page draws
    receive(JSON.parse(tell.data.reply[0]));
  });
  return { send, busy: () => busy, waiting: () => waiting.length };
}

// Handles of sliders have no names of their own for those who listen to the page.
function nameHandles(sliders) {
  for (const slider of sliders) {
    const seen = Bokeh.index.find_one(slider);
    seen?.shadow_el.querySelector(".noUi-handle")?.setAttribute("aria-label", slider.title);
  }
}


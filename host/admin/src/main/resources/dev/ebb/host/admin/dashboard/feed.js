"use strict";

/** The silence after which the connection counts as lost, in milliseconds. */
const QUIET = 6000;

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Reads the server's events for ever, and passes each to the handler of its name.
 *
 * opened: called when connected, before the first event
 * lost: called with the seconds until the next try, and why
 */
async function follow(handlers, opened, lost) {
  for (let tries = 0; ; tries++) {
    let why = "does not answer";
    try {
      await listen(handlers, async () => {
        await opened();
        tries = 0;
      });
    } catch (error) {
      // A refused or closed connection, rather than a silent one.
      why = error instanceof TypeError ? "process gone" : error instanceof Refusal ? error.message : why;
      console.info(`connection lost: ${error.message}`);
    }
    const seconds = Math.min(5, 1 + tries);
    lost(seconds, why);
    await wait(seconds * 1000);
  }
}

async function listen(handlers, opened) {
  const quiet = new AbortController();
  let timer;
  const heard = () => {
    clearTimeout(timer);
    // Nothing is heard while the user types the token.
    timer = setTimeout(() => (asking === null ? quiet.abort() : asking.then(heard)), QUIET);
  };
  heard();
  try {
    const response = await call("GET", "/api/v1/events", undefined, quiet.signal);
    heard();
    await opened();
    heard();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let unread = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) {
        throw new TypeError("the stream has ended");
      }
      heard();
      const events = (unread + value).split("\n\n");
      unread = events.pop();
      events.forEach((event) => dispatch(handlers, event));
    }
  } finally {
    clearTimeout(timer);
    quiet.abort();
  }
}

/** Parses the lines of one event, "event: name" and "data: {...}", and calls its handler. */
function dispatch(handlers, event) {
  const fields = Object.fromEntries(
    event.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  handlers[fields.event]?.(JSON.parse(fields.data));
}

"use strict";

const TOKEN = "ebb.admin.token";

/** A refusal by the API; its message is the API's own. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Calls the API. Asks for the token where one is needed.
 *
 * returns the response, whose status is 2xx
 * throws Refusal, or TypeError if nobody answers
 */
async function call(method, path, body, signal) {
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    const headers = {};
    if (token) {
      headers.Authorization = `Bearer ${token}`;
    }
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    const response = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal });
    if (response.ok) {
      return response;
    }
    if (response.status !== 401) {
      throw new Refusal(response.status, await reason(response));
    }
    await askToken(token);
  }
}

async function reason(response) {
  try {
    return (await response.json()).error;
  } catch {
    return `status ${response.status}`;
  }
}

async function read(path) {
  return (await call("GET", path)).json();
}

let asking = null;

/** Asks once, however many calls wait for the answer. */
function askToken(refused) {
  if (sessionStorage.getItem(TOKEN) !== refused) {
    return Promise.resolve();
  }
  asking ??= tokenDialog(refused !== null).then((token) => {
    sessionStorage.setItem(TOKEN, token);
    asking = null;
  });
  return asking;
}

function tokenDialog(wrong) {
  const input = element("input", "");
  input.type = "password";
  input.required = true;
  input.autocomplete = "current-password";
  const words = wrong ? "This token is not the right one." : "This process wants a token: ebb.admin.token in its configuration.";
  return openDialog({
    title: "Token",
    content: [element("p", "", words), element("label", "", "Token ", input)],
    yes: "Go on",
    closable: false,
  }).then(() => input.value);
}

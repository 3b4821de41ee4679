"use strict";

const TOKEN = "ebb.admin.token";

/** An error answer of the API, with its message. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Calls the API. Asks for the token if one is required.
 *
 * returns the response, whose status is 2xx
 * throws Refusal, or TypeError if the server does not answer
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

/** Shows one dialog, even if several calls wait for the token. */
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
  const words = wrong ? "The token is wrong." : "Enter the token of this server: the value of ebb.admin.token.";
  return openDialog({
    title: "Token",
    content: [element("p", "", words), element("label", "", "Token ", input)],
    yes: "OK",
    closable: false,
  }).then(() => input.value);
}

package dev.ebb.host.resp;

import static dev.ebb.host.resp.CommandArgument.keys;
import static dev.ebb.host.resp.CommandArgument.option;
import static dev.ebb.host.resp.CommandArgument.string;

/** The documentation of the arguments of {@code EBB.REQUEST}. */
final class RequestArguments {

  private static final CommandArgument HINT =
      option("hint", "integer", "HINT")
          .meaning("a number whose meaning the policy and the client define; default 0");
  private static final CommandArgument MODEL =
      option("model", "string", "MODEL").meaning("the model that answered; 1 to 64 bytes");
  private static final CommandArgument OUTPUT =
      option("tokens", "integer", "OUTPUT").meaning("tokens of the answer");
  private static final CommandArgument LIFETIME =
      option("seconds", "double", "LIFETIME")
          .meaning(
              "seconds that the chunks are useful after the request; 0 to 1000000000, up to 9"
                  + " decimals");
  private static final CommandArgument COST =
      option("milliseconds", "double", "COST")
          .meaning("milliseconds of prefill for one chunk; as LIFETIME");
  private static final CommandArgument RETURN =
      option("return-seconds", "double", "RETURN")
          .meaning(
              "seconds from the end to the expected next request with the same prefix; as"
                  + " LIFETIME");

  private RequestArguments() {}

  static CommandArgument[] begin() {
    return new CommandArgument[] {
      string("id"),
      option("tenant", "string", "TENANT")
          .meaning(
              "1 to 64 bytes; default: the tenant in the first key; of a user with a tenant always"
                  + " that one"),
      option("priority", "integer", "PRIORITY")
          .meaning("larger is more important, unless priority-sign is -1; default 1"),
      option("label", "string", "LABEL")
          .meaning("the kind of work, 1 to 64 bytes; default: the model in the first key"),
      HINT,
      MODEL,
      option("input-tokens", "integer", "INPUT").meaning("tokens of the prompt"),
      option("most-tokens", "integer", "MAXOUTPUT").meaning("the most tokens of the answer"),
      OUTPUT,
      LIFETIME,
      COST,
      RETURN,
      option("groups", "string", "GROUPS")
          .meaning(
              "the object groups of the model that the keys name, such as full,state; KEYS then has"
                  + " the keys of one group"),
      option("context", "string", "TRACEPARENT")
          .meaning("the trace context of the engine's request, in the format of W3C"),
      option("chunk-tokens", "integer", "CHUNK").meaning("the tokens of one key's value"),
      option("prompt", "string", "TOKENS")
          .meaning(
              "the token ids of the first keys, for KV events; 4 bytes each, little endian; needs"
                  + " CHUNK"),
      option("adapter", "string", "ADAPTER")
          .meaning("the LoRA adapter of the prompt, 1 to 64 bytes; needs CHUNK"),
      option("salt", "string", "SALT")
          .meaning("the cache salt of the prompt, 1 to 64 bytes; needs CHUNK"),
      keys(EbbRequest.KEYS)
    };
  }

  static CommandArgument[] end() {
    return new CommandArgument[] {
      string("id"),
      HINT,
      option("reason", "string", "FINISH")
          .meaning("why the answer ended, such as stop, length or tool_calls; 1 to 64 bytes"),
      MODEL,
      OUTPUT,
      LIFETIME,
      COST,
      RETURN
    };
  }
}

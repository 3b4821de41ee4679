package dev.ebb.host.resp;

import static dev.ebb.host.resp.CommandArgument.block;
import static dev.ebb.host.resp.CommandArgument.integer;
import static dev.ebb.host.resp.CommandArgument.oneOf;
import static dev.ebb.host.resp.CommandArgument.option;
import static dev.ebb.host.resp.CommandArgument.string;
import static dev.ebb.host.resp.CommandArgument.token;

/** The documentation of the arguments of {@code EBB.SEQ}. */
final class SequenceArguments {

  private static final CommandArgument ID = integer("id");
  private static final CommandArgument TOKENS =
      string("tokens").meaning("token ids, 4 bytes each, little endian");

  private SequenceArguments() {}

  static CommandArgument[] operations() {
    return new CommandArgument[] {
      block(
          "model",
          "MODEL",
          string("name"),
          token("layers", "integer", "LAYERS"),
          token("kv-heads", "integer", "KVHEADS"),
          token("head-dim", "integer", "HEADDIM"),
          option("block-tokens", "integer", "BLOCKTOKENS").meaning("default 16"),
          option("dtype", "string", "DTYPE").meaning("fp32, fp16 or bf16; default fp16"),
          option("query-heads", "integer", "QUERYHEADS").meaning("default: the KV heads"),
          oneOf("observes", flag("queries", "QUERIES"), flag("attention", "ATTENTION")).optional()),
      block(
          "open",
          "OPEN",
          option("tenant", "string", "TENANT"),
          option("priority", "integer", "PRIORITY"),
          option("label", "string", "LABEL"),
          option("adapter", "string", "ADAPTER"),
          option("salt", "string", "SALT"),
          option("most-tokens", "integer", "RESERVE")
              .meaning("allocates the memory of so many tokens, prompt and answer"),
          option("milliseconds", "integer", "WAIT").meaning("waits for memory; at most 60000"),
          string("tokens").meaning("as of APPEND")),
      block("append", "APPEND", ID, TOKENS),
      block("publish", "PUBLISH", ID, integer("written")),
      block(
          "observe",
          "OBSERVE",
          ID,
          oneOf("kind", flag("queries", "QUERIES"), flag("attention", "ATTENTION")),
          integer("layer"),
          integer("count"),
          string("floats").meaning("float32, little endian")),
      block("prune", "PRUNE", ID, integer("target-size").optional()),
      block("positions", "POSITIONS", ID, integer("layer"), integer("kv-head")),
      block("pause", "PAUSE", ID),
      block("resume", "RESUME", ID),
      block("finish", "FINISH", ID, integer("written").optional()),
      block("abort", "ABORT", ID)
    };
  }

  private static CommandArgument flag(String name, String token) {
    return token(name, "pure-token", token);
  }
}

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
              option("lane-groups", "integer", "LANEGROUPS")
                  .meaning("groups of heads with tables of their own; default 1"),
              flag("queries", "QUERIES").optional(),
              flag("attention", "ATTENTION").optional())
          .meaning(
              "states the model; returns file and offset, or GPU and IPC handle, then bytes of a block,"
                  + " blocks"),
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
              TOKENS)
          .meaning("returns the id, the matched tokens, and changes"),
      block("append", "APPEND", ID, TOKENS).meaning("allocates memory for tokens; returns changes"),
      block("publish", "PUBLISH", ID, integer("written"))
          .meaning("shares the full blocks of written tokens now; returns changes"),
      block(
              "observe",
              "OBSERVE",
              ID,
              oneOf("kind", flag("queries", "QUERIES"), flag("attention", "ATTENTION")),
              integer("layer"),
              integer("count"),
              string("floats").meaning("float32, little endian"))
          .meaning(
              "provides the newest tokens' queries or attention for token policies; returns UNUSED if no active one reads them"),
      block("prune", "PRUNE", ID, integer("target-size").optional())
          .meaning(
              "drops tokens if the token policy has a cause; returns how many tokens no head has any more, the cause, the policy,"
                  + " a failure, the rows of each head, and changes"),
      block("positions", "POSITIONS", ID, integer("layer"), integer("kv-head"))
          .meaning("returns the position of the token in each row of a head"),
      block("pause", "PAUSE", ID).meaning("lets blocks be moved or preempted from now on"),
      block("resume", "RESUME", ID).meaning("ends a pause; returns changes"),
      block("finish", "FINISH", ID, integer("written").optional())
          .meaning("ends the sequence, and shares its full blocks"),
      block("abort", "ABORT", ID).meaning("ends the sequence")
    };
  }

  private static CommandArgument flag(String name, String token) {
    return token(name, "pure-token", token);
  }
}

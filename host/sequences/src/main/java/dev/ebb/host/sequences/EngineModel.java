package dev.ebb.host.sequences;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.tokens.signals.Observations;
import java.util.Map;
import java.util.Set;

/**
 * What a client states about its model.
 *
 * @param observations the data that it provides for token policies
 */
record EngineModel(KvLayout layout, Observations observations) {

  private static final Set<String> SIZES =
      Set.of("LAYERS", "KVHEADS", "HEADDIM", "BLOCKTOKENS", "DTYPE", "QUERYHEADS", "LANEGROUPS");
  private static final String QUERIES = "QUERIES";
  private static final String ATTENTION = "ATTENTION";
  private static final int MOST = 1 << 20;

  static EngineModel parse(Words words) throws CommandException {
    Map<String, Integer> options = words.options(SIZES, Set.of(QUERIES, ATTENTION), 0);
    Words dtype = words.value(options, "DTYPE");
    try {
      KvLayout layout =
          new KvLayout(
              required(words, options, "LAYERS"),
              required(words, options, "KVHEADS"),
              required(words, options, "HEADDIM"),
              words.integer(options, "BLOCKTOKENS", KvLayout.DEFAULT_BLOCK_TOKENS, 1, MOST),
              dtype == null ? DType.FP16 : DType.parse(dtype.name("DTYPE")),
              words.integer(options, "LANEGROUPS", 1, 1, MOST));
      int queryHeads = words.integer(options, "QUERYHEADS", layout.kvHeads(), 1, MOST);
      if (queryHeads % layout.kvHeads() != 0) {
        throw new CommandException(
            "ERR QUERYHEADS '%d' must be a multiple of the %d KV heads"
                .formatted(queryHeads, layout.kvHeads()));
      }
      return new EngineModel(
          layout,
          new Observations(
              queryHeads, options.containsKey(QUERIES), options.containsKey(ATTENTION)));
    } catch (IllegalArgumentException | UserError wrong) {
      throw new CommandException("ERR " + wrong.getMessage());
    }
  }

  private static int required(Words words, Map<String, Integer> options, String option)
      throws CommandException {
    if (!options.containsKey(option)) {
      throw new CommandException("ERR EBB.SEQ MODEL lacks '%s'".formatted(option));
    }
    return words.integer(options, option, 0, 1, MOST);
  }

  /** Returns the words that state it. */
  @Override
  public String toString() {
    return "LAYERS %d KVHEADS %d HEADDIM %d BLOCKTOKENS %d DTYPE %s QUERYHEADS %d%s%s%s"
        .formatted(
            layout.layers(),
            layout.kvHeads(),
            layout.headDim(),
            layout.blockTokens(),
            layout.dtype().name(),
            observations.queryHeads(),
            layout.laneGroups() == 1 ? "" : " LANEGROUPS " + layout.laneGroups(),
            observations.queries() ? " " + QUERIES : "",
            observations.attention() ? " " + ATTENTION : "");
  }
}

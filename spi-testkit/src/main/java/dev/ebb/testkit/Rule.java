package dev.ebb.testkit;

/**
 * The rules of the contract, each as one sentence that a failed check can quote.
 *
 * @since 1.0.0
 */
public enum Rule {
  /** The name by which users choose a strategy. */
  NAME("name() is lower-case letters, digits and inner dashes, and always the same"),
  /** The promises of creation. */
  CREATION("create() returns a new instance that holds nothing, at any capacity from 1 block up"),
  SETTINGS("settings are read before create() returns, and their defaults lie within their ranges"),
  /** No exceptions. */
  NO_EXCEPTION("no method throws"),
  /** No endless loops. */
  RETURNS("every call returns soon"),
  NODE("inserted() returns the policy's own node, never null"),
  /** Only residents are offered. */
  RESIDENT("victim() offers only entries that were inserted and not removed since"),
  /** The set-aside rule. */
  ASIDE("a refused entry is set aside: it is not offered again until it is released"),
  /** A released entry is no newcomer. */
  RELEASED("a released entry is a candidate again at the cold end, not the last one"),
  /** No entry is lost. */
  COMPLETE(
      "victim() returns null only if no entry can be evicted: all are set aside or have children"),
  /** Only objects that can be evicted while their chunk stays are chosen. */
  PART("victimPart() chooses only objects that can be evicted alone"),
  /** The count is right. */
  SIZE("size() is the number of insertions less the number of removals"),
  /** Removed entries are released. */
  GONE("an entry is neither read nor kept after removed() has returned"),
  /** Ghosts are of evicted entries. */
  GHOSTS("no ghost is kept of an entry that was not removed for capacity"),
  /** Time comes from the host. */
  CLOCK("time is read from the context's clock only"),
  /** Instances are independent. */
  INDEPENDENT("instances share nothing: no statics"),
  /** Runs can be repeated. */
  DETERMINISTIC("the same seed and the same events give the same answers"),
  /** Gauges can be exported. */
  GAUGES("gauges are finite or NaN, and named in lower case with dashes"),
  /** Explanations are one line. */
  EXPLANATION("explain() returns one line of text"),
  /** An order is consistent. */
  ORDER("compare() is a consistent order of running sequences"),
  /** Predictions are given. */
  PREDICTION("predict() sets finite seconds of at least 0 and a confidence from 0 to 1"),
  SIGNALS(
      "signals(), window(), stateSize(), skippedQueries(), granularity() and trigger() never change,"
          + " and only declared signals are read"),
  /** Protected tokens exist. */
  MASK("protect() marks only tokens of the sequence"),
  SCORES("score() gives every token that is not protected a finite score, in every set"),
  /** State stays usable. */
  STATE("score() writes only finite numbers to STATE"),
  /** A budget divides tokens sensibly. */
  BUDGET(
      "preference() is finite and share() at least 0, both depend on their arguments alone, and"
          + " floor() is from 0 to its argument"),
  /** A token policy keeps no state but the signal of that name. */
  STATELESS("what is protected and how tokens score depends on the view alone"),
  /** Scoring makes no garbage. */
  ALLOCATION("score() allocates nothing that grows with the sequence, once warm"),
  /** Closing is final and harmless. */
  CLOSE("close() may be called twice");

  private final String text;

  Rule(String text) {
    this.text = text;
  }

  /**
   * Returns the rule in words.
   *
   * @return one sentence without a full stop
   */
  public String text() {
    return text;
  }
}

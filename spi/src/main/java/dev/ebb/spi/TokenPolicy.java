package dev.ebb.spi;

import java.util.BitSet;
import java.util.Set;

/**
 * A strategy inside one sequence: it decides which tokens to keep. It scores tokens and protects
 * some; a budget rule sets how many stay, and the host selects, compacts and frees.
 *
 * <p>Stateless for a model: the host keeps all per-token state as <em>signals</em>, which move when
 * tokens move, including the {@link Signal#STATE} that the policy itself writes.
 *
 * @since 1.0.0
 */
public interface TokenPolicy extends AutoCloseable {

  /**
   * Returns the signals that the policy reads. The host refuses an engine that cannot provide them.
   *
   * @return the signals read through {@link TokenView}
   */
  Set<Signal> signals();

  /**
   * Returns how many queries {@link Signal#WINDOW_ATTENTION} should cover; asked once.
   *
   * @return at least 1; 1 is the newest query alone
   */
  default int window() {
    return 1;
  }

  /**
   * Returns how many of a text's first queries {@link Signal#QUERY_MEAN} and {@link
   * Signal#QUERY_COVARIANCE} should leave out; asked once. Queries of attention sinks are unlike
   * all others. Of several active policies, the largest number applies.
   *
   * @return positions from the text's beginning, 0 or more
   */
  default int skippedQueries() {
    return 0;
  }

  /**
   * Returns how many numbers {@link Signal#STATE} has for each token; asked once.
   *
   * @return 1 to 64
   * @since 1.7.0
   */
  default int stateSize() {
    return 1;
  }

  /**
   * Returns the granularity at which kept sets may differ.
   *
   * @return one kept set per sequence, layer or KV head
   */
  Granularity granularity();

  /**
   * Returns when the policy wants to run.
   *
   * @return the trigger
   */
  Trigger trigger();

  /**
   * Marks tokens that must stay whatever their score.
   *
   * @param view the sequence
   * @param mask cleared by the host; bit i set means that token i stays
   */
  default void protect(TokenView view, BitSet mask) {}

  /**
   * Scores the tokens of one layer; the highest stay, and of equal ones the older. A score of NaN
   * counts as a failure of the policy.
   *
   * @param view the sequence
   * @param layer 0 to {@code view.layers() - 1}; for {@link Granularity#SEQUENCE} the host asks
   *     about layer 0 alone
   * @param out caller-owned; {@code [sets][length]} in row-major order, where sets is 1 for {@link
   *     Granularity#SEQUENCE} and {@link Granularity#LAYER}, and the KV heads for {@link
   *     Granularity#KV_HEAD}
   */
  void score(TokenView view, int layer, float[] out);

  /** Frees what the policy holds. A second call does nothing, and no other call follows. */
  @Override
  default void close() {}

  /**
   * Per-token state that the host keeps.
   *
   * @since 1.0.0
   */
  enum Signal {
    /** Attention rows of the last queries, as many as {@link TokenPolicy#window} says. */
    WINDOW_ATTENTION,
    /** Attention a token received, summed over all queries since it was stored and over a group. */
    ACCUMULATED_ATTENTION,
    /** The Euclidean norm of each key. */
    KEY_NORM,
    /** The keys themselves. */
    KEYS,
    /** The running mean of the normalised keys. */
    KEY_MEAN,
    /** The Euclidean norm of each value. */
    VALUE_NORM,
    /** The mean of the sequence's queries so far, before their {@link TokenView#rotation}. */
    QUERY_MEAN,
    /** The covariance of the same queries between their dimensions: divided by their number. */
    QUERY_COVARIANCE,
    /**
     * Numbers of each token, as many as {@link TokenPolicy#stateSize} says, that the policy itself
     * writes in {@link TokenPolicy#score}; 0 for a new token. They stay with their token when
     * others are dropped. A fork has a copy. Another policy has its own numbers; a new instance
     * starts at 0.
     *
     * @since 1.4.0
     */
    STATE,
    /**
     * The values themselves.
     *
     * @since 1.7.0
     */
    VALUES
  }

  /**
   * The granularity at which kept sets may differ.
   *
   * @since 1.0.0
   */
  enum Granularity {
    /** The same tokens in all layers and heads. */
    SEQUENCE,
    /** The same tokens in all heads of a layer. */
    LAYER,
    /** Each KV head keeps its own. */
    KV_HEAD
  }

  /**
   * The time at which a policy runs.
   *
   * @since 1.0.0
   */
  enum Trigger {
    /** Once, when the prompt has been processed. */
    AFTER_PREFILL,
    /** After each generated token. */
    EVERY_STEP,
    /** When memory is short. */
    UNDER_PRESSURE
  }
}

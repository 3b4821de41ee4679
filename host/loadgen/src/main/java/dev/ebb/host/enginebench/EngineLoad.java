package dev.ebb.host.enginebench;

/**
 * The load on the server.
 *
 * @param requests the most requests to send, at least 1
 * @param maxTokens the most tokens of an answer, at least 1
 * @param ignoreEos whether the server generates so many tokens in any case
 * @param maxInputTokens requests of the trace with longer prompts are left out
 * @param blockTokens tokens of a block of the trace; 0 if they are to be inferred
 * @param seed decides the texts
 */
public record EngineLoad(
    Pace pace,
    long requests,
    int maxTokens,
    boolean ignoreEos,
    long maxInputTokens,
    int blockTokens,
    long seed) {

  /** When requests are sent. */
  public sealed interface Pace {}

  /**
   * Each client sends its next request after the answer to the one before.
   *
   * @param count at least 1
   */
  public record Clients(int count) implements Pace {
    public Clients {
      if (count < 1) {
        throw new IllegalArgumentException("count '%d' must be at least 1".formatted(count));
      }
    }

    @Override
    public String toString() {
      return count == 1 ? "1 client" : count + " clients";
    }
  }

  /**
   * Requests arrive at random (Poisson), whether or not the server keeps up.
   *
   * @param perSecond the average, above 0
   */
  public record Rate(double perSecond) implements Pace {
    public Rate {
      if (!(perSecond > 0)) {
        throw new IllegalArgumentException("rate '%s' must be above zero".formatted(perSecond));
      }
    }

    @Override
    public String toString() {
      return "%s requests/s".formatted(perSecond);
    }
  }

  /**
   * Requests arrive when the trace says.
   *
   * @param factor how many times faster, above 0
   */
  public record Speed(double factor) implements Pace {
    public Speed {
      if (!(factor > 0)) {
        throw new IllegalArgumentException("speed '%s' must be above zero".formatted(factor));
      }
    }

    @Override
    public String toString() {
      return "%s times the speed of the trace".formatted(factor);
    }
  }

  public EngineLoad {
    if (requests < 1 || maxTokens < 1 || maxInputTokens < 1 || blockTokens < 0) {
      throw new IllegalArgumentException(
          "requests '%d', maxTokens '%d' and maxInputTokens '%d' must be at least 1, blockTokens '%d' at least 0"
              .formatted(requests, maxTokens, maxInputTokens, blockTokens));
    }
  }
}

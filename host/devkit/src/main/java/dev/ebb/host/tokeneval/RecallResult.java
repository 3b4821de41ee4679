package dev.ebb.host.tokeneval;

import org.jspecify.annotations.Nullable;

/**
 * How much a policy remembered.
 *
 * @param policy as the user wrote it; {@code full} for all tokens
 * @param asked when the question came
 * @param ratio the share of the prompt that stayed, above 0 to 1
 * @param prompts how many were answered
 * @param right how many of them rightly, to the last token
 * @param failure why the policy could not go on; null if it could
 */
public record RecallResult(
    String policy, Asked asked, double ratio, int prompts, int right, @Nullable String failure) {

  /** The name of the baseline that keeps everything. */
  public static final String FULL = "full";

  /** When the question came. */
  public enum Asked {
    /** At the end of the prompt, before tokens were dropped. */
    IN_PROMPT("in-prompt"),
    /** After tokens were dropped. */
    AFTERWARDS("afterwards");

    private final String label;

    Asked(String label) {
      this.label = label;
    }

    /**
     * The name in tables and JSON.
     *
     * @return lower case
     */
    public String label() {
      return label;
    }
  }

  /**
   * The share of prompts answered rightly.
   *
   * @return 0 to 1; not a number if the policy failed
   */
  public double accuracy() {
    return failure != null || prompts == 0 ? Double.NaN : (double) right / prompts;
  }
}

package dev.ebb.host.tokeneval;

import org.jspecify.annotations.Nullable;

/**
 * The recall of a policy.
 *
 * @param policy as the user wrote it; {@code full} for all tokens
 * @param right how many of them correctly, to the last token
 * @param failure why the policy stopped; null if it did not
 */
public record RecallResult(
    String policy, Asked asked, double ratio, int prompts, int right, @Nullable String failure) {

  /** The name of the baseline that keeps everything. */
  public static final String FULL = "full";

  /** The time of the question. */
  public enum Asked {
    /** At the end of the prompt, before tokens were dropped. */
    IN_PROMPT("in-prompt"),
    /** After tokens were dropped. */
    AFTERWARDS("afterwards");

    private final String label;

    Asked(String label) {
      this.label = label;
    }

    /** Returns the name in tables and JSON, in lower case. */
    public String label() {
      return label;
    }
  }

  /** Returns the share of correct answers: 0 to 1; NaN if the policy failed. */
  public double accuracy() {
    return failure != null || prompts == 0 ? Double.NaN : (double) right / prompts;
  }
}

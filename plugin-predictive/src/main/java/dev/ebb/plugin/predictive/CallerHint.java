package dev.ebb.plugin.predictive;

import dev.ebb.spi.Request;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Groups what only the caller knows of a request: its own hint if it gives one, or else when it
 * expects the next request, or else why the answer ended and which model gave it.
 */
final class CallerHint {

  /** The number of groups; 0 if nothing is known. */
  static final int GROUPS = 64;

  /** The largest hint; larger ones count as this. */
  private static final int LARGEST = 15;

  private static final int RETURNS = LARGEST + 1;
  private static final int REASONS = RETURNS + Ages.COARSE + 1;
  private static final int MODELS = 8;

  private CallerHint() {}

  static int group(Request request) {
    if (request.hint() != 0) {
      return Math.clamp(request.hint(), 0, LARGEST);
    }
    if (request.returnAfterNanos() >= 0) {
      return RETURNS + Ages.bin(request.returnAfterNanos()) / Ages.COARSE_WIDTH;
    }
    String reason = request.finishReason();
    String model = request.model();
    return reason == null && model == null ? 0 : REASONS + reason(reason) * MODELS + model(model);
  }

  /** Returns the group of a reason: those that differ in whether and when a request follows. */
  private static int reason(@Nullable String reason) {
    if (reason == null) {
      return 0;
    }
    String lower = reason.toLowerCase(Locale.ROOT);
    if (lower.contains("tool") || lower.contains("function")) {
      return 1;
    }
    return switch (lower) {
      case "stop", "end_turn", "eos" -> 2;
      case "length", "max_tokens" -> 3;
      default -> 4;
    };
  }

  private static int model(@Nullable String model) {
    return model == null ? 0 : 1 + Math.floorMod(model.hashCode(), MODELS - 1);
  }

  /** Returns a group in words, for people. */
  static String describe(int group) {
    if (group < RETURNS) {
      return "hint " + group;
    }
    if (group < REASONS) {
      int bin = (group - RETURNS) * Ages.COARSE_WIDTH;
      return bin == Ages.BINS
          ? "expected after %.0f s".formatted(Ages.start(bin))
          : "expected after %.0f-%.0f s"
              .formatted(Ages.start(bin), Ages.start(bin + Ages.COARSE_WIDTH));
    }
    return switch ((group - REASONS) / MODELS) {
      case 0 -> "model group";
      case 1 -> "ended by a tool call";
      case 2 -> "ended by stop";
      case 3 -> "ended by length";
      default -> "ended otherwise";
    };
  }
}

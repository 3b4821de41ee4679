package dev.ebb.plugin.predictive;

import java.util.Locale;

/** An explanation of a survival index: its value, and what raised or lowered it. */
final class SurvivalExplanation {

  private final SurvivalModel model;
  private final int blockClass;
  private final int bin;
  private final StringBuilder text = new StringBuilder();

  private SurvivalExplanation(SurvivalModel model, int blockClass, int bin) {
    this.model = model;
    this.blockClass = blockClass;
    this.bin = Math.min(bin, Ages.BINS - 1);
  }

  /** Returns one line about a block. */
  static String of(SurvivalModel model, int blockClass, int bin, double ageSeconds, double index) {
    SurvivalExplanation explanation = new SurvivalExplanation(model, blockClass, bin);
    explanation.text.append(
        String.format(Locale.ROOT, "expected %s hits per block-second: ", rounded(index)));
    explanation.factors(ageSeconds);
    return explanation.text.toString();
  }

  private void factors(double ageSeconds) {
    text.append(uses());
    times(multiplier(Factor.USES) * multiplier(Factor.POSITION));
    if (model.uses(Factor.NEWS, blockClass)
        && BlockClass.match(blockClass) < BlockClass.MATCHES - 1) {
      say(range(BlockClass.news(blockClass), BlockClass.NEWS - 2) + " new blocks", Factor.NEWS);
      say(match(), Factor.MATCH);
    }
    say("depth " + range(BlockClass.depth(blockClass), BlockClass.DEPTHS - 1), Factor.DEPTH);
    if (model.uses(Factor.OUTPUT, blockClass)
        && BlockClass.output(blockClass) < BlockClass.OUTPUTS - 1) {
      String tokens = range(BlockClass.output(blockClass), BlockClass.OUTPUTS - 2);
      say("output of " + tokens + " tokens", Factor.OUTPUT);
    }
    if (model.uses(Factor.SUPERSEDED, blockClass)) {
      say("replaced by a later prompt", Factor.SUPERSEDED);
    }
    if (model.uses(Factor.HINT, blockClass)) {
      text.append(", ").append(CallerHint.describe(BlockClass.hint(blockClass)));
      times(multiplier(Factor.HINT) * multiplier(Factor.HINT_AGE));
    }
    say(position() + ", age " + Math.round(ageSeconds) + " s", Factor.AGE);
  }

  private void say(String what, Factor factor) {
    text.append(", ").append(what);
    times(multiplier(factor));
  }

  private void times(double multiplier) {
    text.append(" x").append(rounded(multiplier));
  }

  private double multiplier(Factor factor) {
    return model.multiplier(factor, blockClass, bin);
  }

  private String uses() {
    return switch (BlockClass.uses(blockClass)) {
      case 0 -> "first use";
      case 1 -> "second use";
      case 2 -> "3-5 uses";
      case 3 -> "6-15 uses";
      case 4 -> "16-63 uses";
      default -> "64 or more uses";
    };
  }

  private String match() {
    return switch (BlockClass.match(blockClass)) {
      case 0 -> "matched nothing";
      case 1 -> "matched only the root";
      case 2 -> "matched less than half";
      case 3 -> "matched half or more";
      default -> "matched all or all but the last";
    };
  }

  private String position() {
    return switch (BlockClass.position(blockClass)) {
      case 0 -> "last block";
      case 1 -> "last block but one";
      case 2 -> "2-3 blocks from the end";
      default -> "4 or more blocks from the end";
    };
  }

  // The numbers of a bit length, open-ended for the greatest one.
  private static String range(int bits, int greatest) {
    if (bits <= 1) {
      return String.valueOf(bits);
    }
    int least = 1 << (bits - 1);
    return bits == greatest ? least + " or more" : least + "-" + (2 * least - 1);
  }

  // Two significant digits, without an exponent.
  private static String rounded(double number) {
    if (!(number > 0) || Double.isInfinite(number)) {
      return String.valueOf(number);
    }
    int decimals = Math.max(0, 1 - (int) Math.floor(Math.log10(number)));
    return String.format(Locale.ROOT, "%." + decimals + "f", number);
  }
}

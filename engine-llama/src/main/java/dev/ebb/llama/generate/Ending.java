package dev.ebb.llama.generate;

import java.util.Locale;

/** Why an answer ended. */
enum Ending {
  /** The model said so. */
  END,
  /** It has as many tokens as were asked for. */
  LENGTH,
  /** No cell was free. */
  CONTEXT,
  /** Nobody reads it any more. */
  STOPPED;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package dev.ebb.llama.generate;

import java.util.Locale;

/** The reason why an answer ended. */
enum Ending {
  /** The model ended it. */
  END,
  /** It has the maximum number of tokens. */
  LENGTH,
  /** No cell was free. */
  CONTEXT,
  /** Its reader stopped. */
  STOPPED;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}

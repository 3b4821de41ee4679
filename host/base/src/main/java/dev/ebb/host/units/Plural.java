package dev.ebb.host.units;

import java.util.Locale;

/** A number with its noun. */
public final class Plural {

  private Plural() {}

  /** Returns, for example, {@code 1 request} or {@code 1,200 requests}. */
  public static String of(long number, String one, String many) {
    return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? one : many);
  }
}

package dev.ebb.host.units;

import java.util.regex.Pattern;

/** Words of commands for a POSIX shell (POSIX.1-2024, Shell Command Language, 2.2). */
public final class ShellWord {

  private static final Pattern PLAIN = Pattern.compile("[\\w./:=,@%+-]+");
  private static final Pattern SPECIAL = Pattern.compile("[\\\\\"$`]");

  private ShellWord() {}

  /** Returns a text as one word of a command, in double quotes if it needs them. */
  public static String quote(String text) {
    return PLAIN.matcher(text).matches() ? text : '"' + escape(text) + '"';
  }

  /** Returns a text as it is written between double quotes. */
  public static String escape(String text) {
    return SPECIAL.matcher(text).replaceAll("\\\\$0");
  }
}

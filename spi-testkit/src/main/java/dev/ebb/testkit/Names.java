package dev.ebb.testkit;

import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The form of a strategy's name. */
final class Names {

  private static final Pattern VALID = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

  private Names() {}

  static boolean isValid(String name) {
    return VALID.matcher(name).matches();
  }

  /** Asks a provider for its name and returns it. */
  static String check(Supplier<String> provider) {
    String name = Calls.ask("name()", provider);
    String again = Calls.ask("name()", provider);
    if (name == null || !isValid(name)) {
      throw new Violation(Rule.NAME, "name() is '%s'".formatted(name));
    }
    if (!name.equals(again)) {
      throw new Violation(Rule.NAME, "name() was '%s', then '%s'".formatted(name, again));
    }
    return "'%s'".formatted(name);
  }
}

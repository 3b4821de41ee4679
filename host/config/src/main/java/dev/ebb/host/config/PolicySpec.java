package dev.ebb.host.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.hocon.UntrustedHocon;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * A strategy with settings of its own, as written in an option: {@code lfu(ageing=dynamic)}.
 *
 * @param display the text of the user, for tables
 * @param settings the settings in the parentheses; they override the configured ones
 */
public record PolicySpec(String display, String name, Config settings) {

  /**
   * Of other case and with underscores too: the message about the unknown name has the right one.
   */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]+([-_][A-Za-z0-9]+)*");

  /** Returns a strategy with its configured settings. */
  public static PolicySpec of(String name) {
    return new PolicySpec(name, name, ConfigFactory.empty());
  }

  /**
   * Returns the values that make it the active policy.
   *
   * @return its settings, sorted by key, then its name
   */
  public List<ConfigOverride> overrides(String source) {
    String section = EvictionConfig.POLICIES.path() + "." + name + ".";
    List<ConfigOverride> values = new ArrayList<>();
    settings
        .entrySet()
        .forEach(each ->
            values.add(
                new ConfigOverride(section + each.getKey(), each.getValue().unwrapped(), source)));
    values.sort(Comparator.comparing(ConfigOverride::key));
    values.add(new ConfigOverride(EvictionConfig.POLICY.path(), name, source));
    return List.copyOf(values);
  }

  /**
   * Parses one specification.
   *
   * @param text a name, or a name with settings in parentheses: {@code name(key=value, ...)}
   * @param option what messages start with; empty if the caller adds it
   * @throws UserError if its syntax is wrong
   */
  public static PolicySpec parse(String text, String option) {
    String display = text.strip();
    int open = display.indexOf('(');
    String name = open < 0 ? display : display.substring(0, open).strip();
    if (display.isEmpty()) {
      throw new UserError(
          "%sa policy's name is missing; write one, such as 'lru', or several with one comma between them"
              .formatted(UntrustedHocon.place(option)));
    }
    if (!NAME.matcher(name).matches()) {
      throw new UserError(
          "%s'%s' must start with a policy's name: lower-case letters, digits and inner dashes"
              .formatted(UntrustedHocon.place(option), display));
    }
    if (open < 0) {
      return of(name);
    }
    if (!display.endsWith(")")) {
      throw new UserError(
          "%s'%s' must end with the parenthesis that closes its settings"
              .formatted(UntrustedHocon.place(option), display));
    }
    String inner = display.substring(open + 1, display.length() - 1);
    return new PolicySpec(display, name, settings(inner, display, option));
  }

  /**
   * Parses a list of specifications, separated by commas outside parentheses.
   *
   * @param text for example {@code lru, lfu(ageing=dynamic)}
   * @throws UserError if the syntax of one is wrong
   */
  public static List<PolicySpec> parseList(String text, String option) {
    return parseList(text, option, each -> parse(each, option));
  }

  static <T> List<T> parseList(String text, String option, Function<String, T> parse) {
    List<T> specs = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i < text.length() && depth >= 0; i++) {
      char c = text.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0) {
        add(text.substring(start, i), parse, specs, problems);
        start = i + 1;
      }
    }
    if (depth != 0) {
      throw new UserError(
          "%sthe parentheses of '%s' are not balanced"
              .formatted(UntrustedHocon.place(option), text.strip()));
    }
    add(text.substring(start), parse, specs, problems);
    UserError.throwIfAny(problems);
    return List.copyOf(specs);
  }

  private static <T> void add(
      String text, Function<String, T> parse, List<T> specs, List<String> problems) {
    try {
      specs.add(parse.apply(text));
    } catch (UserError wrong) {
      problems.addAll(wrong.messages());
    }
  }

  private static Config settings(String text, String display, String option) {
    try {
      return UntrustedHocon.parse(text, option);
    } catch (ConfigException error) {
      throw new UserError(
          "%s'%s' must hold settings as key=value, separated by commas"
              .formatted(UntrustedHocon.place(option), display));
    }
  }
}

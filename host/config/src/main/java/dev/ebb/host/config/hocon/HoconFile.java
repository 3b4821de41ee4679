package dev.ebb.host.config.hocon;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigResolveOptions;
import com.typesafe.config.ConfigResolver;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses the user's file. */
public final class HoconFile {

  /** The parts of HOCON that matter for braces; those in texts and comments do not count. */
  private static final Pattern PARTS =
      Pattern.compile(
          "\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\])*\"|(?:#|//)[^\n]*|[{}\n]", Pattern.DOTALL);

  private HoconFile() {}

  /**
   * Parses a file with its includes and substitutions.
   *
   * @throws UserError if it is not HOCON, or something that it includes or substitutes is missing
   */
  public static Config parse(Path file) {
    // Includes are resolved against its folder, which a bare name does not have.
    Path place = file.toAbsolutePath();
    checkEncoding(place);
    try {
      return resolve(
          ConfigFactory.parseFile(
              place.toFile(),
              ConfigParseOptions.defaults()
                  .setAllowMissing(false)
                  .appendIncluder(new RequiredIncludes(place))));
    } catch (ConfigException error) {
      String unclosed = unclosed(error);
      throw new UserError(unclosed == null ? Origins.message(error) : unclosed);
    }
  }

  /** The parser would replace what is not UTF-8, and so change a password without a word. */
  static void checkEncoding(Path file) {
    ByteBuffer bytes;
    try {
      bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    } catch (IOException reportedByTheParser) {
      return;
    }
    CharBuffer text = CharBuffer.allocate(bytes.capacity());
    if (StandardCharsets.UTF_8.newDecoder().decode(bytes, text, true).isError()) {
      long line = 1 + text.flip().chars().filter(each -> each == '\n').count();
      throw new UserError(
          "%s:%d: a character is not in UTF-8; save the file in this encoding"
              .formatted(Origins.shortened(file.toString()), line));
    }
  }

  /**
   * Replaces the substitutions of a configuration.
   *
   * @throws UserError with every one that has no value
   */
  public static Config resolve(Config parsed) {
    try {
      return parsed.resolve();
    } catch (ConfigException.UnresolvedSubstitution first) {
      Set<String> problems = new LinkedHashSet<>(List.of(problem(first)));
      Set<String> names = new LinkedHashSet<>();
      try {
        parsed.resolve(
            without(name -> {
              names.add(name);
              return false;
            }));
        for (String name : names) {
          try {
            parsed.resolve(without(name::equals));
          } catch (ConfigException.UnresolvedSubstitution missing) {
            problems.add(problem(missing));
          }
        }
      } catch (ConfigException needsAnotherType) {
        // Texts cannot stand for all values, so the rest is reported once these are set.
      }
      throw new UserError(List.copyOf(problems));
    }
  }

  private static String problem(ConfigException missing) {
    return Origins.message(missing)
        + "; set it as an environment variable, or write ${?NAME} to make it optional";
  }

  /** Replaces all substitutions without a value, except the chosen ones. */
  private static ConfigResolveOptions without(Predicate<String> missing) {
    return ConfigResolveOptions.defaults().appendResolver(new Substitute(missing));
  }

  private record Substitute(Predicate<String> missing) implements ConfigResolver {

    @Override
    public @Nullable ConfigValue lookup(String path) {
      return missing.test(path) ? null : ConfigValueFactory.fromAnyRef("");
    }

    @Override
    public ConfigResolver withFallback(ConfigResolver fallback) {
      return this;
    }
  }

  /** Returns the message for a brace that is not closed; null if the error is another one. */
  private static @Nullable String unclosed(ConfigException error) {
    String message = String.valueOf(error.getMessage());
    String name = error.origin() == null ? null : error.origin().filename();
    if (name == null || !message.endsWith("end of file")) {
      return null;
    }
    String text;
    try {
      text = Files.readString(Path.of(name));
    } catch (IOException gone) {
      return null;
    }
    Deque<Integer> open = new ArrayDeque<>();
    int line = 1;
    for (Matcher part = PARTS.matcher(text); part.find(); ) {
      if (part.group().equals("{")) {
        open.push(line);
      } else if (part.group().equals("}")) {
        open.poll();
      }
      line += (int) part.group().chars().filter(each -> each == '\n').count();
    }
    return open.isEmpty()
        ? null
        : "%s:%d: '{' is not closed; add '}' where the section ends"
            .formatted(Origins.shortened(name), open.peek());
  }
}

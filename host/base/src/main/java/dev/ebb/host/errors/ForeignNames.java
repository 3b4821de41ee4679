package dev.ebb.host.errors;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * Names that Redis, inference engines and papers use for something that has another name in Ebb.
 * Messages about unknown names look them up.
 */
public final class ForeignNames {

  private static final String FILE = "foreign-names.properties";

  /** The end of a name that stands for all with this start. */
  private static final String ANY = "*";

  /** Keys of the configuration, also as command-line options. */
  public static final ForeignNames KEY = new ForeignNames("key.");

  public static final ForeignNames OPTION = new ForeignNames("option.");

  public static final ForeignNames COMMAND = new ForeignNames("command.");

  public static final ForeignNames POLICY = new ForeignNames("policy.");

  public static final ForeignNames TOKEN_POLICY = new ForeignNames("token-policy.");

  private final Map<String, String> answers = new HashMap<>();

  private ForeignNames(String prefix) {
    Properties all = read();
    for (String name : all.stringPropertyNames()) {
      if (name.startsWith(prefix)) {
        answers.put(Suggestions.plain(name.substring(prefix.length())), all.getProperty(name));
      }
    }
  }

  /** Returns Ebb's name for it; empty if the name is not known, or has no counterpart. */
  public Optional<String> name(String foreign) {
    return answer(foreign).filter(answer -> !isRemark(answer));
  }

  /** Returns the remark on it; empty if the name is not known, or has a counterpart. */
  public Optional<String> remark(String foreign) {
    return answer(foreign).filter(ForeignNames::isRemark);
  }

  /** Returns what Ebb has in place of it, in words; empty if the name is not known. */
  public Optional<String> counterpart(String foreign) {
    return answer(foreign)
        .map(answer -> isRemark(answer) ? answer : "Ebb's name for it is '" + answer + "'");
  }

  /** Returns the hint that follows an unknown name in a message; empty if the name is not known. */
  public String hint(String foreign) {
    return counterpart(foreign).map(" (%s)"::formatted).orElse("");
  }

  /** Returns the hint for a name of other software; else that of the nearest of Ebb's names. */
  public String hint(String wrong, Collection<String> right) {
    String known = hint(wrong);
    return known.isEmpty() ? Suggestions.hint(wrong, right) : known;
  }

  private Optional<String> answer(String foreign) {
    String plain = Suggestions.plain(foreign);
    return Optional.ofNullable(answers.get(plain))
        .or(() ->
            answers.keySet().stream()
                .filter(key ->
                    key.endsWith(ANY) && plain.startsWith(key.substring(0, key.length() - 1)))
                .findFirst()
                .map(answers::get));
  }

  private static boolean isRemark(String answer) {
    return answer.indexOf(' ') >= 0;
  }

  private static Properties read() {
    Properties all = new Properties();
    try (InputStream in = ForeignNames.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException(FILE + " is missing");
      }
      all.load(new InputStreamReader(in, StandardCharsets.UTF_8));
      return all;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}

package dev.ebb.host.sequences;

import dev.ebb.host.resp.session.CommandException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The words of a command behind its name, read from the front. */
final class Words {

  private static final int LONGEST_NAME = 64;
  private static final int SHOWN = 64;

  private final List<byte[]> words;
  private final String operation;
  private int next = 1;

  Words(List<byte[]> words) {
    this.words = words;
    operation = upper(words.getFirst());
  }

  /** Returns the first word, in capitals. */
  String operation() {
    return operation;
  }

  boolean hasNext() {
    return next < words.size();
  }

  byte[] bytes(String what) throws CommandException {
    if (!hasNext()) {
      throw new CommandException("ERR EBB.SEQ %s lacks '%s'".formatted(operation, what));
    }
    return words.get(next++);
  }

  String name(String what) throws CommandException {
    byte[] bytes = bytes(what);
    if (bytes.length < 1 || bytes.length > LONGEST_NAME) {
      throw new CommandException(
          "ERR %s of '%d' bytes must have 1 to %d".formatted(what, bytes.length, LONGEST_NAME));
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  String keyword(String what) throws CommandException {
    return upper(bytes(what));
  }

  int integer(String what, int min, int max) throws CommandException {
    return (int) number(what, min, max);
  }

  long number(String what, long min, long max) throws CommandException {
    String text = shown(bytes(what));
    try {
      long number = Long.parseLong(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // The message below names it.
    }
    throw new CommandException(
        "ERR %s '%s' must be an integer from %d to %d".formatted(what, text, min, max));
  }

  /** Returns token ids of 4 bytes each. */
  int[] tokens() throws CommandException {
    byte[] bytes = bytes("tokens");
    if (bytes.length % Integer.BYTES != 0) {
      throw new CommandException(
          "ERR tokens of '%d' bytes must have %d bytes for each"
              .formatted(bytes.length, Integer.BYTES));
    }
    int[] tokens = new int[bytes.length / Integer.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(tokens);
    return tokens;
  }

  /**
   * Reads options up to the last words.
   *
   * @param valued the options with a value
   * @param flags the options without
   * @param last how many words follow the options
   * @return the index of each option's value, -1 for a flag
   */
  Map<String, Integer> options(Set<String> valued, Set<String> flags, int last)
      throws CommandException {
    Map<String, Integer> found = new HashMap<>();
    while (next < words.size() - last) {
      String option = upper(words.get(next++));
      boolean flag = flags.contains(option);
      if (!flag && (!valued.contains(option) || next >= words.size() - last)) {
        Set<String> all = new HashSet<>(valued);
        all.addAll(flags);
        throw new CommandException(
            "ERR EBB.SEQ %s does not take '%s' here; options are %s"
                .formatted(operation, option, all.stream().sorted().toList()));
      }
      if (found.put(option, flag ? -1 : next) != null) {
        throw new CommandException("ERR '%s' is given twice; give it once".formatted(option));
      }
      next += flag ? 0 : 1;
    }
    return found;
  }

  /** Returns the words of one option's value, or null if it is not among the options. */
  @Nullable Words value(Map<String, Integer> options, String option) {
    Integer at = options.get(option);
    return at == null ? null : new Words(List.of(words.getFirst(), words.get(at)));
  }

  /** Returns the integer of an option, or what stands for it. */
  int integer(Map<String, Integer> options, String option, int otherwise, int min, int max)
      throws CommandException {
    Words value = value(options, option);
    return value == null ? otherwise : value.integer(option, min, max);
  }

  /** Returns the name of an option; null if it is not among the options. */
  @Nullable String name(Map<String, Integer> options, String option) throws CommandException {
    Words value = value(options, option);
    return value == null ? null : value.name(option);
  }

  void end() throws CommandException {
    if (hasNext()) {
      throw new CommandException(
          "ERR EBB.SEQ %s does not take '%s'".formatted(operation, shown(words.get(next))));
    }
  }

  private static String upper(byte[] bytes) {
    return shown(bytes).toUpperCase(Locale.ROOT);
  }

  private static String shown(byte[] bytes) {
    return new String(bytes, 0, Math.min(bytes.length, SHOWN), StandardCharsets.ISO_8859_1);
  }
}

package dev.ebb.host.resp;

import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.key.StatedTokens;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of EBB.REQUEST, which announces one request of an engine: {@code BEGIN id [TENANT
 * t] [PRIORITY p] [LABEL l] [HINT n] [MODEL m] [INPUT n] [MAXOUTPUT n] [OUTPUT n] [LIFETIME s]
 * [COST ms] [RETURN s] [GROUPS kinds] [TRACEPARENT context] [CHUNK n [TOKENS ids] [ADAPTER name]
 * [SALT salt]] KEYS key ...} and {@code END id [HINT n] [FINISH reason] [MODEL m] [OUTPUT n]
 * [LIFETIME s] [COST ms] [RETURN s]}. Options come in any order; all that follows KEYS is a key.
 */
sealed interface EbbRequest {

  /** The most bytes of an id, a tenant's name or a label. */
  int LONGEST_NAME = 64;

  double NANOS = 1e9;

  String KEYS = "KEYS";

  /** The largest lifetime in seconds, and the largest cost in milliseconds. */
  int LARGEST = 1_000_000_000;

  /** A number without sign and exponent. */
  Pattern AMOUNT = Pattern.compile("[0-9]{1,10}(\\.[0-9]{1,9})?");

  /** A longer trace context is none; W3C's has 55 bytes, and later versions may have more. */
  int LONGEST_CONTEXT = 512;

  int OPTIONS = 3;

  String id();

  /**
   * The start of a request.
   *
   * @param priority larger is more important; 1 is normal
   * @param label the kind of work
   * @param inputTokens the tokens of the prompt; -1 if unknown
   * @param mostTokens the most tokens of prompt and answer; -1 if unknown
   * @param outputTokens the expected tokens of the answer; -1 if unknown
   * @param groups the object groups of the model that the keys name; null if not stated
   * @param traceparent the trace context of the engine's request; null if not stated
   * @param tokens the tokens of the keys; null if not stated
   * @param keys the chunks of the prompt, the first one first; at least one
   */
  record Begin(
      String id,
      @Nullable String tenant,
      int priority,
      @Nullable String label,
      int hint,
      long inputTokens,
      long mostTokens,
      long outputTokens,
      long lifetimeNanos,
      double cost,
      RequestEnd end,
      @Nullable ObjectGroups groups,
      @Nullable String traceparent,
      @Nullable StatedTokens tokens,
      List<byte[]> keys)
      implements EbbRequest {

    public Begin {
      keys = List.copyOf(keys);
    }
  }

  record End(
      String id, long outputTokens, long lifetimeNanos, double cost, int hint, RequestEnd end)
      implements EbbRequest {}

  enum Option {
    TENANT,
    PRIORITY,
    LABEL,
    HINT,
    INPUT,
    MAXOUTPUT,
    OUTPUT,
    LIFETIME,
    COST,
    FINISH,
    MODEL,
    RETURN,
    GROUPS,
    TRACEPARENT,
    CHUNK,
    TOKENS,
    ADAPTER,
    SALT
  }

  Set<Option> AT_THE_START = EnumSet.complementOf(EnumSet.of(Option.FINISH));

  Set<Option> AT_THE_END =
      Set.of(
          Option.HINT,
          Option.FINISH,
          Option.MODEL,
          Option.OUTPUT,
          Option.LIFETIME,
          Option.COST,
          Option.RETURN);

  static EbbRequest parse(List<byte[]> arguments, PriorityScale priorities)
      throws CommandException {
    if (arguments.size() < OPTIONS) {
      throw CommandException.arity("ebb.request");
    }
    String id = name("id", arguments.get(2));
    List<byte[]> rest = arguments.subList(OPTIONS, arguments.size());
    return switch (Text.upper(arguments.get(1))) {
      case "BEGIN" -> begin(id, rest, priorities);
      case "END" -> end(id, rest);
      default ->
          throw new CommandException(
              "ERR unknown subcommand '%s' of EBB.REQUEST, allowed: BEGIN, END"
                  .formatted(Text.of(arguments.get(1))));
    };
  }

  /** Returns the keys of a command, of which there are none at its end. */
  static List<byte[]> keys(List<byte[]> arguments) {
    if (!Text.upper(arguments.get(1)).equals("BEGIN")) {
      return List.of();
    }
    List<byte[]> rest = arguments.subList(OPTIONS, arguments.size());
    return rest.subList(Math.min(keyword(rest) + 1, rest.size()), rest.size());
  }

  /** Returns the index of the keyword before the keys; if it is missing, one behind the end. */
  static int keyword(List<byte[]> options) {
    int at = 0;
    while (at < options.size() && !Text.upper(options.get(at)).equals(KEYS)) {
      at += 2;
    }
    return at;
  }

  private static Begin begin(String id, List<byte[]> arguments, PriorityScale priorities)
      throws CommandException {
    int end = keyword(arguments);
    if (end + 1 >= arguments.size()) {
      throw new CommandException(
          end < arguments.size()
              ? "ERR EBB.REQUEST BEGIN has no key after KEYS; add at least one key"
              : "ERR EBB.REQUEST BEGIN lacks KEYS; end it with KEYS and at least one key");
    }
    Map<Option, byte[]> options = options(arguments.subList(0, end), AT_THE_START);
    byte[] tenant = options.get(Option.TENANT);
    byte[] label = options.get(Option.LABEL);
    long input = tokens(options, Option.INPUT);
    long mostOutput = tokens(options, Option.MAXOUTPUT);
    if (mostOutput >= 0 && input < 0) {
      throw new CommandException(
          "ERR MAXOUTPUT '%d' needs INPUT, the tokens of the prompt".formatted(mostOutput));
    }
    return new Begin(
        id,
        tenant == null ? null : name("TENANT", tenant),
        priorities.of(
            (int)
                integer(
                    options,
                    Option.PRIORITY,
                    priorities.normal(),
                    Integer.MIN_VALUE,
                    Integer.MAX_VALUE)),
        label == null ? null : name("LABEL", label),
        hint(options),
        input,
        mostOutput < 0 ? -1 : input + mostOutput,
        tokens(options, Option.OUTPUT),
        nanos(options, Option.LIFETIME),
        amount(options, Option.COST),
        shown(options),
        groups(options),
        traceparent(options),
        stated(options, arguments.subList(end + 1, arguments.size())),
        arguments.subList(end + 1, arguments.size()));
  }

  private static End end(String id, List<byte[]> arguments) throws CommandException {
    Map<Option, byte[]> options = options(arguments, AT_THE_END);
    return new End(
        id,
        tokens(options, Option.OUTPUT),
        nanos(options, Option.LIFETIME),
        amount(options, Option.COST),
        hint(options),
        shown(options));
  }

  private static int hint(Map<Option, byte[]> options) throws CommandException {
    return (int) integer(options, Option.HINT, 0, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  private static RequestEnd shown(Map<Option, byte[]> options) throws CommandException {
    byte[] reason = options.get(Option.FINISH);
    byte[] model = options.get(Option.MODEL);
    return new RequestEnd(
        reason == null ? null : name("FINISH", reason),
        model == null ? null : name("MODEL", model),
        nanos(options, Option.RETURN));
  }

  private static @Nullable ObjectGroups groups(Map<Option, byte[]> options)
      throws CommandException {
    byte[] groups = options.get(Option.GROUPS);
    try {
      return groups == null ? null : ObjectGroups.parse("GROUPS", Text.of(groups));
    } catch (UserError wrong) {
      throw new CommandException("ERR " + wrong.getMessage());
    }
  }

  /** Returns the trace context. Whoever records it ignores a wrong one, as W3C demands. */
  private static @Nullable String traceparent(Map<Option, byte[]> options) {
    byte[] context = options.get(Option.TRACEPARENT);
    return context == null || context.length > LONGEST_CONTEXT ? null : Text.of(context);
  }

  /** Returns the tokens of the first keys; of the first key alone if only their size is stated. */
  private static @Nullable StatedTokens stated(Map<Option, byte[]> options, List<byte[]> keys)
      throws CommandException {
    long chunk = integer(options, Option.CHUNK, 0, 1, EbbCommands.MOST_CHUNK_TOKENS);
    for (Option other : List.of(Option.TOKENS, Option.ADAPTER, Option.SALT)) {
      if (chunk == 0 && options.containsKey(other)) {
        throw new CommandException(
            "ERR %s needs CHUNK, the tokens of one key's value".formatted(other));
      }
    }
    if (chunk == 0) {
      return null;
    }
    byte[] bytes = options.getOrDefault(Option.TOKENS, new byte[0]);
    if (bytes.length % Integer.BYTES != 0) {
      throw new CommandException(
          "ERR TOKENS of '%d' bytes must have %d bytes for each, little endian"
              .formatted(bytes.length, Integer.BYTES));
    }
    int[] tokens = new int[bytes.length / Integer.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(tokens);
    byte[] adapter = options.get(Option.ADAPTER);
    byte[] salt = options.get(Option.SALT);
    return new StatedTokens(
        keys.subList(0, Math.clamp(tokens.length / chunk, 1, keys.size())),
        (int) chunk,
        tokens,
        adapter == null ? "" : name("ADAPTER", adapter),
        salt == null ? "" : name("SALT", salt));
  }

  private static Map<Option, byte[]> options(List<byte[]> arguments, Set<Option> allowed)
      throws CommandException {
    Map<Option, byte[]> options = new EnumMap<>(Option.class);
    for (int i = 0; i < arguments.size(); i += 2) {
      Option option = option(arguments.get(i), allowed);
      if (i + 1 == arguments.size()) {
        throw new CommandException("ERR %s without a value".formatted(option));
      }
      if (options.put(option, arguments.get(i + 1)) != null) {
        throw new CommandException("ERR %s is given twice".formatted(option));
      }
    }
    return options;
  }

  private static Option option(byte[] given, Set<Option> allowed) throws CommandException {
    String name = Text.upper(given);
    List<String> names = allowed.stream().sorted().map(Option::name).toList();
    if (!names.contains(name)) {
      throw new CommandException(
          "ERR unknown option '%s' of EBB.REQUEST%s, allowed: %s"
              .formatted(Text.of(given), Suggestions.hint(name, names), String.join(", ", names)));
    }
    return Option.valueOf(name);
  }

  private static String name(String what, byte[] bytes) throws CommandException {
    String name = new String(bytes, StandardCharsets.UTF_8);
    boolean same = Arrays.equals(name.getBytes(StandardCharsets.UTF_8), bytes);
    if (name.isBlank() || bytes.length > LONGEST_NAME || !same) {
      throw new CommandException(
          "ERR %s '%s' must be a text of 1 to %d bytes in UTF-8"
              .formatted(what, Text.of(bytes), LONGEST_NAME));
    }
    return name;
  }

  private static long tokens(Map<Option, byte[]> options, Option option) throws CommandException {
    return integer(options, option, -1, 0, Integer.MAX_VALUE);
  }

  private static long nanos(Map<Option, byte[]> options, Option option) throws CommandException {
    double seconds = amount(options, option);
    return Double.isNaN(seconds) ? -1 : Math.round(seconds * NANOS);
  }

  private static double amount(Map<Option, byte[]> options, Option option) throws CommandException {
    byte[] bytes = options.get(option);
    if (bytes == null) {
      return Double.NaN;
    }
    String text = Text.of(bytes);
    double amount = AMOUNT.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
    if (!(amount <= LARGEST)) {
      throw new CommandException(
          "ERR %s '%s' must be a number of %s from 0 to %d, such as 2.5"
              .formatted(
                  option, text, option == Option.COST ? "milliseconds" : "seconds", LARGEST));
    }
    return amount;
  }

  private static long integer(
      Map<Option, byte[]> options, Option option, long otherwise, long min, long max)
      throws CommandException {
    byte[] bytes = options.get(option);
    if (bytes == null) {
      return otherwise;
    }
    String wrong =
        "ERR %s '%s' must be a whole number from %d to %d"
            .formatted(option, Text.of(bytes), min, max);
    long number = Text.integer(bytes, wrong);
    if (number < min || number > max) {
      throw new CommandException(wrong);
    }
    return number;
  }
}

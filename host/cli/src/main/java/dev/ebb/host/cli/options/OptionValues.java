package dev.ebb.host.cli.options;

import dev.ebb.host.text.KeyText;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses the values of options; a message about a wrong one lists the allowed ones in the user's
 * syntax.
 */
public final class OptionValues {

  private OptionValues() {}

  public static CommandLine register(CommandLine command) {
    ITypeConverter<Integer> integer = number(Integer::valueOf, "a whole number up to 2147483647");
    ITypeConverter<Long> whole = number(Long::valueOf, "a whole number");
    ITypeConverter<Double> real = number(Double::valueOf, "a number");
    registerEnums(command);
    return command
        .registerConverter(KeyText.class, OptionValues::key)
        .registerConverter(int.class, integer)
        .registerConverter(Integer.class, integer)
        .registerConverter(long.class, whole)
        .registerConverter(Long.class, whole)
        .registerConverter(double.class, real)
        .registerConverter(Double.class, real);
  }

  /** Enums are the words that {@code toString} returns. */
  private static void registerEnums(CommandLine command) {
    for (ArgSpec argument : command.getCommandSpec().args()) {
      for (Class<?> type : argument.auxiliaryTypes()) {
        if (type.isEnum()) {
          register(command, type);
        }
      }
    }
    command.getSubcommands().values().forEach(OptionValues::registerEnums);
  }

  private static <E> void register(CommandLine command, Class<E> type) {
    List<E> constants = List.of(type.getEnumConstants());
    command.registerConverter(
        type,
        text ->
            constants.stream()
                .filter(constant -> constant.toString().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> wrong(text, "one of " + words(constants))));
  }

  private static String words(List<?> constants) {
    return constants.stream().map(Object::toString).collect(Collectors.joining(", "));
  }

  private static <T> ITypeConverter<T> number(Function<String, T> parse, String allowed) {
    return text -> {
      try {
        return parse.apply(text.replace("_", ""));
      } catch (NumberFormatException notOne) {
        throw wrong(text, allowed);
      }
    };
  }

  /** A port. */
  public static final class Port implements ITypeConverter<Integer> {

    private static final int LARGEST = 65_535;

    @Override
    public Integer convert(String text) {
      try {
        int port = Integer.parseInt(text);
        if (port >= 0 && port <= LARGEST) {
          return port;
        }
      } catch (NumberFormatException notOne) {
        // Reported below, like a port out of range.
      }
      throw wrong(text, "a port, 0 to " + LARGEST);
    }
  }

  /** A share of the whole. */
  public static final class Share implements ITypeConverter<Double> {

    @Override
    public Double convert(String text) {
      try {
        double share = Double.parseDouble(text);
        if (share >= 0 && share <= 1) {
          return share;
        }
      } catch (NumberFormatException notOne) {
        // Reported below, like a share out of range.
      }
      throw wrong(text, "a share, 0 to 1, such as 0.7");
    }
  }

  private static KeyText key(String text) {
    try {
      return KeyText.parse(text);
    } catch (IllegalArgumentException malformed) {
      throw wrong(text, KeyText.ALLOWED);
    }
  }

  private static TypeConversionException wrong(String text, String allowed) {
    return new TypeConversionException("'%s' is not %s".formatted(text, allowed));
  }
}

package dev.ebb.host.resp.session;

import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;

/** Parses times to live of commands. */
public final class Expiries {

  private static final String NEVER_BEFORE =
      "ERR NX and XX, GT or LT options at the same time are not compatible";

  private Expiries() {}

  /** Returns a time to live, or a moment, as wall-clock milliseconds. */
  public static long at(long amount, String unit, String command, boolean pastAllowed)
      throws CommandException {
    String invalid = "ERR invalid expire time in '" + command + "' command";
    if (amount <= 0 && !pastAllowed) {
      throw new CommandException(invalid);
    }
    try {
      long millis = unit.startsWith("EX") ? Math.multiplyExact(amount, 1000L) : amount;
      long at = unit.endsWith("AT") ? millis : Math.addExact(millis, System.currentTimeMillis());
      // The last one means that a value has none.
      return Math.min(at, Long.MAX_VALUE - 1);
    } catch (ArithmeticException overflow) {
      throw new CommandException(invalid);
    }
  }

  /** Returns the NX, XX, GT and LT of EXPIRE, for a new time of expiry. */
  public static LongFunction<LongPredicate> condition(List<byte[]> arguments, long never)
      throws CommandException {
    boolean absent = false;
    boolean present = false;
    boolean later = false;
    boolean earlier = false;
    for (byte[] argument : arguments) {
      switch (Text.upper(argument)) {
        case "NX" -> absent = true;
        case "XX" -> present = true;
        case "GT" -> later = true;
        case "LT" -> earlier = true;
        default -> throw new CommandException("ERR Unsupported option " + Text.shown(argument));
      }
    }
    if (absent && (present || later || earlier)) {
      throw new CommandException(NEVER_BEFORE);
    }
    if (later && earlier) {
      throw new CommandException("ERR GT and LT options at the same time are not compatible");
    }
    boolean ifAbsent = absent;
    boolean ifPresent = present;
    boolean ifLater = later;
    boolean ifEarlier = earlier;
    return at ->
        current ->
            !(ifAbsent && current != never)
                && !(ifPresent && current == never)
                && !(ifLater && at <= current)
                && !(ifEarlier && at >= current);
  }
}

package dev.ebb.host.resp;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Random requests, many of them wrong, to which Redis 7.0 and Ebb reply the same. They use no
 * command, subcommand or database that only one of the two has, and not DBSIZE, in which Redis
 * counts expired keys.
 */
final class RandomRequests {

  private static final List<String> COMMANDS =
      List.of(
          "SET k v",
          "SET k v",
          "GET k",
          "GETRANGE k n n",
          "SETEX k t v",
          "STRLEN k",
          "EXISTS k k",
          "DEL k k",
          "UNLINK k",
          "TTL k",
          "PTTL k",
          "EXPIRE k t",
          "MGET k k k",
          "TYPE k",
          "SCAN c",
          "FLUSHALL",
          "PING v",
          "ECHO v",
          "CLIENT GETNAME",
          "CLIENT LIST TYPE v",
          "CLIENT LIST ID t",
          "CONFIG GET v",
          "COMMAND COUNT v",
          "COMMAND INFO v",
          "COMMAND DOCS v",
          "COMMAND GETKEYS SET k v",
          "COMMAND GETKEYS MGET k k",
          "NONSENSE v v",
          "EBB.NONSENSE v v");

  private static final List<String> KEYS =
      List.of("a", "b", "c", "", "x\r\ny", "\0\u00ff", "K".repeat(300));

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "1",
          "-1",
          "100",
          "9223372036854775807",
          "-9223372036854775808",
          "9223372036854775808",
          "1.5",
          "abc",
          "",
          " 1",
          "1 ",
          "+1",
          "01",
          "1e3",
          "2147483648",
          "99999999999",
          "0x10",
          "-0",
          "9223372036854775");

  private static final List<String> VALUES =
      List.of("w", "0123456789", "x".repeat(1_000), "12", "\0\r\n");

  private static final List<String> CURSORS =
      List.of("0", "00", "", "+0", "-0", " 0", "0 ", "abc", "+", "18446744073709551616", "0\0");

  private static final List<String> OF_SET =
      List.of("EX t", "PX t", "EXAT t", "PXAT t", "NX", "XX", "KEEPTTL", "GET", "BOGUS", "EX");

  private static final List<String> OF_EXPIRE = List.of("NX", "XX", "GT", "LT", "BOGUS");

  private static final List<String> OF_SCAN =
      List.of("COUNT n", "TYPE v", "MATCH v", "BOGUS", "COUNT");

  private final SplittableRandom random;

  RandomRequests(long seed) {
    random = new SplittableRandom(seed);
  }

  String[] next() {
    String command = of(COMMANDS);
    List<String> words = new ArrayList<>();
    add(command, words);
    List<String> options =
        switch (words.getFirst()) {
          case "SET" -> OF_SET;
          case "EXPIRE" -> OF_EXPIRE;
          case "SCAN" -> OF_SCAN;
          default -> List.of();
        };
    for (int i = options.isEmpty() ? 0 : random.nextInt(4); i > 0; i--) {
      add(of(options), words);
    }
    if (random.nextInt(12) == 0 && !isOnlyRedis(command)) {
      words.removeLast();
    }
    if (random.nextInt(12) == 0 && !isOnlyRedis(command)) {
      words.add(of(VALUES));
    }
    if (random.nextInt(4) == 0) {
      words.set(0, words.getFirst().toLowerCase(Locale.ROOT));
    }
    return words.toArray(String[]::new);
  }

  /** Fewer or more words make some a request whose reply lists commands, clients or settings. */
  private static boolean isOnlyRedis(String command) {
    return !command.contains(" ") || command.startsWith("C") || command.startsWith("FLUSH");
  }

  private void add(String pattern, List<String> words) {
    for (String word : pattern.split(" ", -1)) {
      words.add(
          switch (word) {
            case "k" -> of(KEYS);
            case "n" -> of(NUMBERS);
            case "t" -> time();
            case "v" -> of(VALUES);
            case "c" -> of(CURSORS);
            default -> word;
          });
    }
  }

  /** Returns no short time, because keys would expire during the test, and no id of a client. */
  private String time() {
    String number = of(NUMBERS);
    return number.equals("1") || number.equals("100") ? "100000" : number;
  }

  private String of(List<String> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** Returns whether two replies mean the same; remaining times may differ a little. */
  static boolean isSame(String[] request, String there, String here) {
    String command = request[0].toUpperCase(Locale.ROOT);
    if (there.equals(here)) {
      return true;
    }
    if (command.equals("SCAN")) {
      // Cursors and the order of keys are each server's own.
      return there.startsWith("*2") && here.startsWith("*2");
    }
    boolean remaining = command.equals("TTL") || command.equals("PTTL");
    return remaining
        && number(there) > 0
        && Math.abs(number(there) - number(here)) <= (command.equals("TTL") ? 60 : 60_000);
  }

  private static long number(String reply) {
    return Long.parseLong(reply.strip().substring(1));
  }
}

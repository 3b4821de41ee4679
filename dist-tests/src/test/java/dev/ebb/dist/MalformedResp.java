package dev.ebb.dist;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Malformed commands for the RESP server. */
final class MalformedResp {

  /** One for each command and form. None of them touches the keys of clients that verify values. */
  private static final String[] COMMANDS = {
    "GET k",
    "GETRANGE k 0 10",
    "MGET k l m",
    "SET k v",
    "SET k v EX 100 NX GET",
    "SET k v PXAT 99",
    "SETEX k 10 v",
    "STRLEN k",
    "EXISTS k l",
    "DEL k",
    "UNLINK k l",
    "TTL k",
    "PTTL k",
    "EXPIRE k 10 NX",
    "TYPE k",
    "SCAN 0 MATCH x* COUNT 10 TYPE string",
    "DBSIZE",
    "HELLO 3 AUTH default x SETNAME n",
    "AUTH a b",
    "ACL WHOAMI",
    "PING x",
    "ECHO x",
    "SELECT 0",
    "CLIENT SETINFO LIB-NAME x",
    "CLIENT LIST",
    "CLIENT SETNAME x",
    "INFO all",
    "CONFIG GET *",
    "COMMAND DOCS get",
    "COMMAND GETKEYS SET k v",
    "MODULE LIST",
    "EBB.MATCH k l",
    "EBB.MGETRANGE 0 5 k l",
    "EBB.PIN k OWNER o EX 10",
    "EBB.UNPIN k OWNER o",
    "EBB.REQUEST BEGIN r1 TENANT t PRIORITY 1 LABEL l HINT 2 OUTPUT 5 COST 1.5 KEYS k l m",
    "EBB.REQUEST END r1 FINISH stop",
    "EBB.ROUTE TOKENS 16 k l",
    "EBB.WAIT 1 1",
    "EBB.EXPLAIN k",
    "EBB.MAP",
    "EBB.PLACE EX 10 KEYS k 100",
    "EBB.COMMIT k",
    "EBB.ABORT k",
    "EBB.LEASE k",
    "EBB.RELEASE k",
    "NOSUCH a b",
    "SUBSCRIBE x",
    "EVAL x 0",
    "DEBUG SLEEP 100",
    "SHUTDOWN NOW"
  };

  private static final String[] STARTS = {
    "*1048576\r\n",
    "*2147483648\r\n",
    "*-1\r\n",
    "*0\r\n",
    "*x\r\n",
    "$99999999999\r\n",
    "$-1\r\n",
    ":1\r\n",
    "+OK\r\n",
    "-ERR\r\n",
    "%1\r\n",
    "~1\r\n",
    "_\r\n",
    "#t\r\n",
    ",1.5\r\n",
    "(1\r\n",
    "=1\r\n",
    ">1\r\n",
    "|1\r\n",
    "\r\n",
    "\n",
    "\0",
    "\"",
    "'",
    "GET \"k",
    "GET 'k\\x",
    "GET \"\\xzz\"\r\n",
    "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$536870912\r\nxx",
    "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$536870913\r\n",
    "*2\r\n$3\r\nGET\r\n$1048577\r\n",
    "*1048576\r\n$1\r\na\r\n$1\r\nb\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST / HTTP/1.1\r\n\r\n"
  };

  private MalformedResp() {}

  static MalformedInput next(Random random) {
    return switch (random.nextInt(10)) {
      case 0 -> input("odd start", ascii(STARTS[random.nextInt(STARTS.length)]));
      case 1 -> input("nested arrays", nested(random));
      case 2 -> input("wrong lengths", encoded(command(random), random));
      case 3 -> input("odd arguments", oddArguments(random));
      default -> {
        Mutation mutation = Mutation.any(random);
        yield input(mutation.toString(), mutation.apply(encoded(command(random), null), random));
      }
    };
  }

  private static MalformedInput input(String kind, byte[] bytes) {
    return new MalformedInput("RESP, " + kind, false, bytes);
  }

  private static String[] command(Random random) {
    return COMMANDS[random.nextInt(COMMANDS.length)].split(" ");
  }

  /** Encodes a command, with wrong lengths if there is a generator of random numbers. */
  private static byte[] encoded(String[] words, @Nullable Random wrong) {
    int off = wrong == null ? 0 : wrong.nextInt(5) - 2;
    StringBuilder text = new StringBuilder("*").append(words.length + off).append("\r\n");
    for (String word : words) {
      int length =
          word.length() + (wrong == null || wrong.nextInt(3) > 0 ? 0 : wrong.nextInt(9) - 4);
      text.append('$').append(length).append("\r\n").append(word).append("\r\n");
    }
    return ascii(text.toString());
  }

  private static byte[] nested(Random random) {
    int depth = 1 + random.nextInt(random.nextInt(50) == 0 ? 20_000 : 50);
    return ascii("*1\r\n".repeat(depth) + "$4\r\nPING\r\n");
  }

  private static byte[] oddArguments(Random random) {
    String[] words = command(random).clone();
    for (int i = random.nextInt(3); i >= 0 && words.length > 1; i--) {
      words[1 + random.nextInt(words.length - 1)] = odd(random);
    }
    return encoded(words, null);
  }

  private static String odd(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> "";
      case 1 -> "\0\r\n$1\r\n";
      case 2 -> "x".repeat(random.nextInt(5_000));
      case 3 -> Long.toString(random.nextLong());
      case 4 -> "[a-";
      case 5 -> "*".repeat(random.nextInt(200));
      case 6 -> Double.toString(random.nextDouble() * 1e300);
      default -> "%s%n${x}\u00ff";
    };
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}

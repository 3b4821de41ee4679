package dev.ebb.host.resp;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The documentation of a command, as COMMAND DOCS returns it.
 *
 * @param since the first version of Ebb with the command
 */
record CommandDocs(String summary, String since, String complexity, List<Argument> arguments) {

  /** Ebb's own commands. Clients know those of Redis. */
  private static final Map<Command, CommandDocs> ALL =
      Map.ofEntries(
          Map.entry(
              Command.EBB_EXPLAIN,
              new CommandDocs(
                  "Returns the eviction policy's explanation of a key.",
                  "0.1.0",
                  "O(1), and what the policy needs",
                  List.of(Argument.key()))),
          Map.entry(
              Command.EBB_MATCH,
              new CommandDocs(
                  "Returns how many of the leading keys exist, and keeps these from eviction until they are read.",
                  "0.1.0",
                  "O(N) with N the number of keys that exist",
                  List.of(Argument.keys()))),
          Map.entry(
              Command.EBB_MGETRANGE,
              new CommandDocs(
                  "Returns the same range of bytes of several values.",
                  "0.1.0",
                  "O(N) with N the number of bytes returned",
                  List.of(
                      Argument.integer("offset"), Argument.integer("length"), Argument.keys()))),
          Map.entry(
              Command.EBB_PIN,
              new CommandDocs(
                  "Protects a key from eviction, until it is unpinned or for a time.",
                  "0.1.0",
                  "O(1)",
                  List.of(
                      Argument.key(),
                      Argument.option("owner", "string", "OWNER"),
                      Argument.option("seconds", "integer", "EX")))),
          Map.entry(
              Command.EBB_REQUEST,
              new CommandDocs(
                  "Begins a request with the keys of its prompt, and returns how many of the leading ones exist; or ends it.",
                  "0.1.0",
                  "O(N) with N the number of keys",
                  List.of(
                      Argument.oneOf(
                          "operation",
                          Argument.block(
                              "begin",
                              "BEGIN",
                              Argument.string("id"),
                              Argument.option("tenant", "string", "TENANT"),
                              Argument.option("priority", "integer", "PRIORITY"),
                              Argument.option("label", "string", "LABEL"),
                              Argument.option("hint", "integer", "HINT"),
                              Argument.option("model", "string", "MODEL"),
                              Argument.option("input-tokens", "integer", "INPUT"),
                              Argument.option("most-tokens", "integer", "MAXOUTPUT"),
                              Argument.option("tokens", "integer", "OUTPUT"),
                              Argument.option("seconds", "double", "LIFETIME"),
                              Argument.option("milliseconds", "double", "COST"),
                              Argument.option("return-seconds", "double", "RETURN"),
                              Argument.keys(EbbRequest.KEYS)),
                          Argument.block(
                              "end",
                              "END",
                              Argument.string("id"),
                              Argument.option("hint", "integer", "HINT"),
                              Argument.option("reason", "string", "FINISH"),
                              Argument.option("model", "string", "MODEL"),
                              Argument.option("tokens", "integer", "OUTPUT"),
                              Argument.option("seconds", "double", "LIFETIME"),
                              Argument.option("milliseconds", "double", "COST"),
                              Argument.option("return-seconds", "double", "RETURN")))))),
          Map.entry(
              Command.EBB_ROUTE,
              new CommandDocs(
                  "Ranks the nodes of the cluster for a request with these keys.",
                  "0.1.0",
                  "O(N) with N the number of keys, and one round trip to the directory",
                  List.of(
                      Argument.option("chunk-tokens", "integer", "TOKENS"),
                      Argument.strings("key")))),
          Map.entry(
              Command.EBB_UNPIN,
              new CommandDocs(
                  "Removes an owner's pin of a key, or all its pins.",
                  "0.1.0",
                  "O(1)",
                  List.of(Argument.key(), Argument.option("owner", "string", "OWNER")))),
          Map.entry(
              Command.EBB_MAP,
              new CommandDocs(
                  "Returns the file of the shared memory, to be mapped, and its size.",
                  "0.1.0",
                  "O(1)",
                  List.of())),
          Map.entry(
              Command.EBB_PLACE,
              new CommandDocs(
                  "Reserves the memory of values, and returns where the client writes each.",
                  "0.1.0",
                  "O(N) with N the number of 64 KiB blocks",
                  List.of(
                      Argument.oneOf(
                              "expiration",
                              Argument.token("seconds", "integer", "EX"),
                              Argument.token("milliseconds", "integer", "PX"))
                          .optional(),
                      Argument.pairs(
                          "value", EbbRequest.KEYS, Argument.key(), Argument.integer("bytes"))))),
          Map.entry(
              Command.EBB_WAIT,
              new CommandDocs(
                  "Waits until other nodes have replicas of all values that the connection has stored, and returns how many have.",
                  "0.1.0",
                  "O(N) with N the number of values without these replicas",
                  List.of(Argument.integer("replicas"), Argument.integer("timeout")))),
          Map.entry(
              Command.EBB_COMMIT,
              new CommandDocs(
                  "Makes placed values visible.",
                  "0.1.0",
                  "O(N) with N the number of keys",
                  List.of(Argument.keys()))),
          Map.entry(
              Command.EBB_ABORT,
              new CommandDocs(
                  "Frees the memory of placed values.",
                  "0.1.0",
                  "O(N) with N the number of 64 KiB blocks",
                  List.of(Argument.keys()))),
          Map.entry(
              Command.EBB_LEASE,
              new CommandDocs(
                  "Returns where the client reads each value, which stays there until it is released.",
                  "0.1.0",
                  "O(N) with N the number of 64 KiB blocks",
                  List.of(Argument.keys()))),
          Map.entry(
              Command.EBB_RELEASE,
              new CommandDocs(
                  "Releases leased values.",
                  "0.1.0",
                  "O(N) with N the number of keys",
                  List.of(Argument.keys()))));

  /**
   * An argument, in Redis' form.
   *
   * @param type as in Redis: {@code string}, {@code oneof} ...
   * @param token the word before it; null if it has none
   * @param flag {@code optional} or {@code multiple}; null for neither
   * @param arguments those to choose from, or those of a block; else none
   */
  record Argument(
      String name,
      String type,
      @Nullable String token,
      @Nullable String flag,
      List<Argument> arguments) {

    /** Returns the documentation of arguments that may be repeated together, after a keyword. */
    static Argument pairs(String name, String token, Argument first, Argument second) {
      return new Argument(name, "block", token, "multiple", List.of(first, second));
    }

    static Argument key() {
      return of("key", "key");
    }

    static Argument keys() {
      return keys(null);
    }

    static Argument keys(@Nullable String token) {
      return new Argument("key", "key", token, "multiple", List.of());
    }

    static Argument strings(String name) {
      return new Argument(name, "string", null, "multiple", List.of());
    }

    static Argument string(String name) {
      return of(name, "string");
    }

    static Argument integer(String name) {
      return of(name, "integer");
    }

    static Argument token(String name, String type, String token) {
      return new Argument(name, type, token, null, List.of());
    }

    static Argument option(String name, String type, String token) {
      return token(name, type, token).optional();
    }

    static Argument oneOf(String name, Argument... arguments) {
      return new Argument(name, "oneof", null, null, List.of(arguments));
    }

    static Argument block(String name, String token, Argument... arguments) {
      return new Argument(name, "block", token, null, List.of(arguments));
    }

    private static Argument of(String name, String type) {
      return new Argument(name, type, null, null, List.of());
    }

    Argument optional() {
      return new Argument(name, type, token, "optional", arguments);
    }

    private void write(Replies replies) {
      boolean key = type.equals("key");
      int more = (key ? 1 : 0) + (token == null ? 0 : 1) + (flag == null ? 0 : 1);
      replies.map(2 + more + (arguments.isEmpty() ? 0 : 1));
      pair(replies, "name", name);
      pair(replies, "type", type);
      if (key) {
        replies.bulk("key_spec_index");
        replies.integer(0);
      }
      if (token != null) {
        pair(replies, "token", token);
      }
      if (flag != null) {
        replies.bulk("flags");
        replies.set(1);
        replies.simple(flag);
      }
      if (!arguments.isEmpty()) {
        write(arguments, replies);
      }
    }

    private static void write(List<Argument> arguments, Replies replies) {
      replies.bulk("arguments");
      replies.array(arguments.size());
      arguments.forEach(argument -> argument.write(replies));
    }
  }

  static @Nullable CommandDocs of(Command command) {
    return ALL.get(command);
  }

  void write(Replies replies) {
    replies.map(6);
    pair(replies, "summary", summary);
    pair(replies, "since", since);
    pair(replies, "group", "module");
    pair(replies, "complexity", complexity);
    pair(replies, "module", EbbCommands.MODULE);
    Argument.write(arguments, replies);
  }

  private static void pair(Replies replies, String key, String value) {
    replies.bulk(key);
    replies.bulk(value);
  }
}

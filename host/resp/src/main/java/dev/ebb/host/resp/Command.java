package dev.ebb.host.resp;

import static dev.ebb.host.config.server.UserRight.ADMIN;
import static dev.ebb.host.config.server.UserRight.READ;
import static dev.ebb.host.config.server.UserRight.WRITE;

import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.ValueWriter;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The commands of the RESP server: the right, the number of arguments, the keys and the execution
 * of each. Arity as in Redis: with the name; negative for "at least".
 */
// Nothing of it ever changes.
@SuppressWarnings("ImmutableEnumChecker")
enum Command {
  ACL(ADMIN, -2, ServerCommands.ACL),
  AUTH(null, -2, Keys.NONE, (on, words, value) -> on.logins.auth(words)),
  CLIENT(null, -2, ServerCommands.CLIENT),
  COMMAND(null, -1, CommandTable.SUBCOMMANDS),
  CONFIG(ADMIN, -2, ServerCommands.CONFIG),
  DBSIZE(READ, 1, Keys.NONE, (on, words, value) -> on.server.size()),
  DEL(WRITE, -2, Keys.ALL, (on, words, value) -> on.keys.delete(words)),
  EBB_ABORT(WRITE, -2, Keys.ALL, (on, words, value) -> on.shared.run(words)),
  EBB_COMMIT(WRITE, -2, Keys.ALL, (on, words, value) -> on.shared.run(words)),
  EBB_BLOCKS(READ, -2, Keys.NONE, (on, words, value) -> on.ebb.blocks(words)),
  EBB_EXPLAIN(READ, 2, Keys.ONE, (on, words, value) -> on.ebb.explain(words)),
  EBB_HINTS(WRITE, -3, Keys.NONE, (on, words, value) -> on.ebb.hints(words)),
  EBB_LEASE(READ, -2, Keys.ALL, (on, words, value) -> on.shared.run(words)),
  EBB_MAP(READ, -1, Keys.NONE, (on, words, value) -> on.shared.run(words)),
  EBB_MATCH(READ, -2, Keys.ALL, (on, words, value) -> on.ebb.match(words)),
  EBB_MGETRANGE(READ, -4, Keys.FROM_THIRD, (on, words, value) -> on.ebb.ranges(words)),
  EBB_PIN(WRITE, -2, Keys.ONE, (on, words, value) -> on.ebb.pin(words)),
  EBB_PLACE(
      WRITE,
      -4,
      new Keys(0, 0, PlaceRequest.STEP, PlaceRequest.OPTIONS, PlaceRequest::keys),
      (on, words, value) -> on.shared.run(words)),
  EBB_RELEASE(READ, -2, Keys.ALL, (on, words, value) -> on.shared.run(words)),
  EBB_REQUEST(
      READ,
      -3,
      new Keys(0, 0, 1, EbbRequest.OPTIONS, EbbRequest::keys),
      (on, words, value) -> on.ebb.request(words)),
  EBB_ROUTE(
      READ,
      -2,
      new Keys(0, 0, 0, 0, EbbCommands::routeKeys),
      (on, words, value) -> on.ebb.route(words)),
  EBB_SEQ(READ, -2, Keys.NONE, (on, words, value) -> on.sequences.run(words)),
  EBB_UNPIN(WRITE, -2, Keys.ONE, (on, words, value) -> on.ebb.unpin(words)),
  EBB_WAIT(null, 3, Keys.NONE, (on, words, value) -> on.ebb.awaitReplicas(words)),
  ECHO(null, 2, Keys.NONE, (on, words, value) -> on.replies.bulk(words.get(1))),
  EXISTS(READ, -2, Keys.ALL, (on, words, value) -> on.keys.exists(words)),
  EXPIRE(WRITE, -3, Keys.ONE, (on, words, value) -> on.keys.expire(words)),
  FLUSHALL(ADMIN, -1, Keys.NONE, (on, words, value) -> on.server.flush(words)),
  FLUSHDB(ADMIN, -1, Keys.NONE, (on, words, value) -> on.server.flush(words)),
  GET(READ, 2, Keys.ONE, (on, words, value) -> on.keys.get(words)),
  GETRANGE(READ, 4, Keys.ONE, (on, words, value) -> on.keys.range(words)),
  HELLO(null, -1, Keys.NONE, (on, words, value) -> on.logins.hello(words)),
  INFO(READ, -1, Keys.NONE, (on, words, value) -> on.server.info(words)),
  MGET(READ, -2, Keys.ALL, (on, words, value) -> on.keys.getAll(words)),
  MODULE(null, -2, ServerCommands.MODULE),
  PING(null, -1, Keys.NONE, (on, words, value) -> on.server.ping(words)),
  PTTL(READ, 2, Keys.ONE, (on, words, value) -> on.keys.ends(words, 1)),
  QUIT(null, -1, Keys.NONE, (on, words, value) -> on.logins.quit()),
  SCAN(READ, -2, Keys.NONE, (on, words, value) -> on.keys.scan(words)),
  SELECT(null, 2, Keys.NONE, (on, words, value) -> on.server.select(words)),
  SET(WRITE, -3, Keys.ONE, (on, words, value) -> on.sets.set(words, value)),
  SETEX(WRITE, 4, Keys.ONE, (on, words, value) -> on.sets.setWithExpiry(words, value)),
  STRLEN(READ, 2, Keys.ONE, (on, words, value) -> on.keys.length(words)),
  TTL(READ, 2, Keys.ONE, (on, words, value) -> on.keys.ends(words, 1000)),
  TYPE(READ, 2, Keys.ONE, (on, words, value) -> on.keys.type(words)),
  UNLINK(WRITE, -2, Keys.ALL, (on, words, value) -> on.keys.delete(words));

  /** Executes a command, whose name is the first word, and replies. */
  @FunctionalInterface
  interface Execution {
    void run(Commands on, List<byte[]> words, @Nullable ValueWriter value) throws CommandException;
  }

  /**
   * The positions of a command's keys.
   *
   * @param first 0 if the keys have no fixed position
   * @param last negative if it counts from the end
   * @param keywordFrom the first argument that may be the keyword before the keys; 0 for none
   * @param finder returns keys without a fixed position; null if there are none
   */
  record Keys(
      int first,
      int last,
      int step,
      int keywordFrom,
      @Nullable Function<List<byte[]>, List<byte[]>> finder) {

    static final Keys NONE = new Keys(0, 0, 0, 0, null);
    static final Keys ONE = new Keys(1, 1, 1, 0, null);
    static final Keys ALL = new Keys(1, -1, 1, 0, null);
    static final Keys FROM_THIRD = new Keys(3, -1, 1, 0, null);

    boolean movable() {
      return keywordFrom > 0;
    }

    boolean announced() {
      return first > 0 || movable();
    }

    int end(List<byte[]> words) {
      return last < 0 ? words.size() + last : last;
    }

    List<byte[]> of(List<byte[]> words) {
      if (finder != null) {
        return finder.apply(words);
      }
      return first == 0 ? List.of() : words.subList(first, end(words) + 1);
    }
  }

  /** By a hash of their names; no two have the same. */
  private static final Int2ObjectOpenHashMap<Command> BY_NAME = new Int2ObjectOpenHashMap<>();

  static {
    for (Command command : values()) {
      if (BY_NAME.put(hash(Text.bytes(command.upper)), command) != null) {
        throw new AssertionError(command);
      }
    }
  }

  /** The right that it needs, unless a subcommand needs another; null if a login is enough. */
  private final @Nullable UserRight right;

  final int arity;
  final Keys keys;
  final Execution execution;
  final List<Subcommand> subcommands;

  final String upper = name().replace('_', '.');
  final String lower = upper.toLowerCase(Locale.ROOT);

  Command(@Nullable UserRight right, int arity, Keys keys, Execution execution) {
    this(right, arity, keys, execution, List.of());
  }

  Command(@Nullable UserRight right, int arity, List<Subcommand> subcommands) {
    this(right, arity, Keys.NONE, (on, words, value) -> CommandTable.all(on), subcommands);
  }

  Command(
      @Nullable UserRight right,
      int arity,
      Keys keys,
      Execution execution,
      List<Subcommand> subcommands) {
    this.right = right;
    this.arity = arity;
    this.keys = keys;
    this.execution = execution;
    this.subcommands = subcommands;
  }

  static @Nullable Command of(byte[] name) {
    Command command = BY_NAME.get(hash(name));
    return command != null && command.is(name) ? command : null;
  }

  private boolean is(byte[] name) {
    boolean same = name.length == upper.length();
    for (int i = 0; same && i < name.length; i++) {
      same = capital(name[i]) == upper.charAt(i);
    }
    return same;
  }

  private static int hash(byte[] name) {
    int hash = 0;
    for (byte letter : name) {
      hash = 31 * hash + capital(letter);
    }
    return hash;
  }

  private static int capital(byte letter) {
    return letter >= 'a' && letter <= 'z' ? letter - ('a' - 'A') : letter;
  }

  void run(Commands on, List<byte[]> words, @Nullable ValueWriter value) throws CommandException {
    if (subcommands.isEmpty() || words.size() == 1) {
      execution.run(on, words, value);
    } else {
      Subcommand.run(this, on, words);
    }
  }

  /** Returns the right that a call needs; null if a login is enough. */
  @Nullable UserRight right(List<byte[]> words) {
    Subcommand chosen = subcommands.isEmpty() ? null : Subcommand.of(this, words);
    return chosen == null ? right : chosen.right();
  }

  /** Returns whether Redis does not have it. */
  boolean isOwn() {
    return upper.startsWith("EBB.");
  }

  List<String> flags() {
    List<String> flags = new ArrayList<>();
    if (right == READ && this != INFO) {
      flags.add("readonly");
    } else if (right == WRITE || this == FLUSHALL || this == FLUSHDB) {
      flags.add("write");
    }
    if (isOwn()) {
      flags.add("module");
    }
    if (keys.movable()) {
      flags.add("movablekeys");
    }
    return flags;
  }

  boolean takes(int count) {
    return takes(arity, count);
  }

  static boolean takes(int arity, int count) {
    return arity < 0 ? count >= -arity : count == arity;
  }

  boolean beforeAuth() {
    return this == AUTH || this == HELLO || this == QUIT;
  }

  /** Returns the index of the argument that is a value to store; -1 for none. */
  int valueIndex() {
    return this == SET ? 2 : this == SETEX ? 3 : -1;
  }
}

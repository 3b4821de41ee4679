package dev.ebb.host.resp;

import static dev.ebb.host.config.UserRight.ADMIN;
import static dev.ebb.host.config.UserRight.READ;
import static dev.ebb.host.config.UserRight.WRITE;

import dev.ebb.host.config.UserRight;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The commands of the RESP server. Arity as in Redis: with the name; negative for "at least". */
enum Command {
  ACL(ADMIN, -2, 0, 0, 0),
  AUTH(null, -2, 0, 0, 0),
  CLIENT(null, -2, 0, 0, 0),
  COMMAND(null, -1, 0, 0, 0),
  CONFIG(ADMIN, -2, 0, 0, 0),
  DBSIZE(READ, 1, 0, 0, 0),
  DEL(WRITE, -2, 1, -1, 1),
  EBB_ABORT(WRITE, -2, 1, -1, 1),
  EBB_COMMIT(WRITE, -2, 1, -1, 1),
  EBB_EXPLAIN(READ, 2, 1, 1, 1),
  EBB_LEASE(READ, -2, 1, -1, 1),
  EBB_MAP(READ, 1, 0, 0, 0),
  EBB_MATCH(READ, -2, 1, -1, 1),
  EBB_MGETRANGE(READ, -4, 3, -1, 1),
  EBB_PIN(WRITE, -2, 1, 1, 1),
  EBB_PLACE(WRITE, -4, 0, 0, 0),
  EBB_RELEASE(READ, -2, 1, -1, 1),
  EBB_REQUEST(READ, -3, 0, 0, 0),
  EBB_ROUTE(READ, -2, 0, 0, 0),
  EBB_UNPIN(WRITE, -2, 1, 1, 1),
  EBB_WAIT(null, 3, 0, 0, 0),
  ECHO(null, 2, 0, 0, 0),
  EXISTS(READ, -2, 1, -1, 1),
  EXPIRE(WRITE, -3, 1, 1, 1),
  FLUSHALL(ADMIN, -1, 0, 0, 0),
  FLUSHDB(ADMIN, -1, 0, 0, 0),
  GET(READ, 2, 1, 1, 1),
  GETRANGE(READ, 4, 1, 1, 1),
  HELLO(null, -1, 0, 0, 0),
  INFO(READ, -1, 0, 0, 0),
  MGET(READ, -2, 1, -1, 1),
  MODULE(null, -2, 0, 0, 0),
  PING(null, -1, 0, 0, 0),
  PTTL(READ, 2, 1, 1, 1),
  QUIT(null, -1, 0, 0, 0),
  SCAN(READ, -2, 0, 0, 0),
  SELECT(null, 2, 0, 0, 0),
  SET(WRITE, -3, 1, 1, 1),
  SETEX(WRITE, 4, 1, 1, 1),
  STRLEN(READ, 2, 1, 1, 1),
  TTL(READ, 2, 1, 1, 1),
  TYPE(READ, 2, 1, 1, 1),
  UNLINK(WRITE, -2, 1, -1, 1);

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
  final @Nullable UserRight right;

  final int arity;
  final int firstKey;
  final int lastKey;
  final int keyStep;
  final String upper = name().replace('_', '.');
  final String lower = upper.toLowerCase(Locale.ROOT);

  Command(@Nullable UserRight right, int arity, int firstKey, int lastKey, int keyStep) {
    this.right = right;
    this.arity = arity;
    this.firstKey = firstKey;
    this.lastKey = lastKey;
    this.keyStep = keyStep;
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

  /** Returns whether it is one of Ebb's own commands, which Redis does not have. */
  boolean isOwn() {
    return lower.startsWith(EbbCommands.PREFIX);
  }

  /** Returns its flags, as COMMAND INFO names them. */
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
    if (hasMovableKeys()) {
      flags.add("movablekeys");
    }
    return flags;
  }

  /** Returns whether its keys, if it has any, follow a keyword. */
  boolean hasMovableKeys() {
    return keywordFrom() > 0;
  }

  /**
   * Returns the index of the first argument that may be the keyword before its keys; 0 for none.
   */
  int keywordFrom() {
    return this == EBB_REQUEST ? EbbRequest.OPTIONS : this == EBB_PLACE ? PlaceRequest.OPTIONS : 0;
  }

  /** Returns the keys among its arguments, of which there are enough. */
  List<byte[]> keys(List<byte[]> arguments) {
    if (hasMovableKeys()) {
      return this == EBB_PLACE ? PlaceRequest.keys(arguments) : EbbRequest.keys(arguments);
    }
    int last = lastKey < 0 ? arguments.size() + lastKey : lastKey;
    List<byte[]> keys = new ArrayList<>();
    for (int i = firstKey; firstKey > 0 && i <= last; i += keyStep) {
      keys.add(arguments.get(i));
    }
    return keys;
  }

  boolean takes(int count) {
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

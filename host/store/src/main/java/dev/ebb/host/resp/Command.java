package dev.ebb.host.resp;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The commands of the RESP server. Arity as in Redis: with the name; negative for "at least". */
enum Command {
  ACL(-2, 0, 0, 0),
  AUTH(-2, 0, 0, 0),
  CLIENT(-2, 0, 0, 0),
  COMMAND(-1, 0, 0, 0),
  CONFIG(-2, 0, 0, 0),
  DBSIZE(1, 0, 0, 0),
  DEL(-2, 1, -1, 1),
  EBB_ABORT(-2, 1, -1, 1),
  EBB_COMMIT(-2, 1, -1, 1),
  EBB_EXPLAIN(2, 1, 1, 1),
  EBB_LEASE(-2, 1, -1, 1),
  EBB_MAP(1, 0, 0, 0),
  EBB_MATCH(-2, 1, -1, 1),
  EBB_MGETRANGE(-4, 3, -1, 1),
  EBB_PIN(-2, 1, 1, 1),
  EBB_PLACE(-4, 0, 0, 0),
  EBB_RELEASE(-2, 1, -1, 1),
  EBB_REQUEST(-3, 0, 0, 0),
  EBB_ROUTE(-2, 0, 0, 0),
  EBB_UNPIN(-2, 1, 1, 1),
  ECHO(2, 0, 0, 0),
  EXISTS(-2, 1, -1, 1),
  EXPIRE(-3, 1, 1, 1),
  FLUSHALL(-1, 0, 0, 0),
  FLUSHDB(-1, 0, 0, 0),
  GET(2, 1, 1, 1),
  GETRANGE(4, 1, 1, 1),
  HELLO(-1, 0, 0, 0),
  INFO(-1, 0, 0, 0),
  MGET(-2, 1, -1, 1),
  MODULE(-2, 0, 0, 0),
  PING(-1, 0, 0, 0),
  PTTL(2, 1, 1, 1),
  QUIT(-1, 0, 0, 0),
  SCAN(-2, 0, 0, 0),
  SELECT(2, 0, 0, 0),
  SET(-3, 1, 1, 1),
  SETEX(4, 1, 1, 1),
  STRLEN(2, 1, 1, 1),
  TTL(2, 1, 1, 1),
  TYPE(2, 1, 1, 1),
  UNLINK(-2, 1, -1, 1);

  /** By a hash of their names; no two have the same. */
  private static final Int2ObjectOpenHashMap<Command> BY_NAME = new Int2ObjectOpenHashMap<>();

  private static final Set<Command> READ =
      EnumSet.of(
          DBSIZE,
          EBB_EXPLAIN,
          EBB_LEASE,
          EBB_MAP,
          EBB_MATCH,
          EBB_MGETRANGE,
          EBB_RELEASE,
          EBB_REQUEST,
          EBB_ROUTE,
          EXISTS,
          GET,
          GETRANGE,
          MGET,
          PTTL,
          SCAN,
          STRLEN,
          TTL,
          TYPE);
  private static final Set<Command> WRITE =
      EnumSet.of(
          DEL,
          EBB_ABORT,
          EBB_COMMIT,
          EBB_PIN,
          EBB_PLACE,
          EBB_UNPIN,
          EXPIRE,
          FLUSHALL,
          FLUSHDB,
          SET,
          SETEX,
          UNLINK);

  static {
    for (Command command : values()) {
      if (BY_NAME.put(hash(Text.bytes(command.upper)), command) != null) {
        throw new AssertionError(command);
      }
    }
  }

  final int arity;
  final int firstKey;
  final int lastKey;
  final int keyStep;
  final String upper = name().replace('_', '.');
  final String lower = upper.toLowerCase(Locale.ROOT);

  Command(int arity, int firstKey, int lastKey, int keyStep) {
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
    if (READ.contains(this)) {
      flags.add("readonly");
    } else if (WRITE.contains(this)) {
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

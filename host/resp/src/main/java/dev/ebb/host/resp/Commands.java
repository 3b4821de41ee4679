package dev.ebb.host.resp;

import dev.ebb.host.config.UserConfig;
import dev.ebb.host.store.ValueWriter;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Executes one connection's commands, one after the other. */
final class Commands implements AutoCloseable {

  private static final int SHOWN = 128;

  /**
   * The first words of HTTP requests, whose body might contain commands: such a connection is
   * closed.
   */
  private static final Set<String> HTTP = Set.of("POST", "HOST:");

  private static final byte[] DEFAULT_USER = Text.bytes(UserConfig.DEFAULT);

  private final Connections connections;
  private final Session session;
  private final Replies replies;
  private final RemoteAccess remote;
  private final KeyCommands keys;
  private final SetCommands sets;
  private final EbbCommands ebb;
  private final SharedMemoryCommands shared;
  private final ServerCommands server;

  Commands(Connections connections, Session session, Replies replies, RemoteAccess remote) {
    this.connections = connections;
    this.session = session;
    this.replies = replies;
    this.remote = remote;
    keys = new KeyCommands(connections.store, session, replies, remote);
    sets = new SetCommands(connections, replies, remote);
    ebb = new EbbCommands(connections, session, replies, remote);
    shared = new SharedMemoryCommands(connections, session, replies, remote);
    server = new ServerCommands(connections, session, replies, remote);
  }

  /**
   * Executes a command and replies, now or when other nodes have answered. A value is committed or
   * closed.
   */
  void run(List<byte[]> arguments, @Nullable ValueWriter value) {
    connections.commands.increment();
    try {
      Command command = known(arguments);
      session.ran(command.lower);
      run(command, arguments, value);
    } catch (CommandException refused) {
      replies.error(refused.reply());
    } finally {
      if (value != null && !remote.waits()) {
        value.close();
      }
    }
  }

  /** Returns whether the client has begun values in the shared memory. */
  boolean holdsSharedMemory() {
    return shared.holdsMemory();
  }

  /** Frees what the connection holds. */
  @Override
  public void close() {
    remote.close();
    shared.close();
  }

  private Command known(List<byte[]> arguments) throws CommandException {
    Command command = Command.of(arguments.getFirst());
    if (command == null) {
      if (HTTP.contains(Text.upper(arguments.getFirst()))) {
        connections.warn("connection closed", session.remote, "it speaks HTTP");
        session.leaving = true;
      }
      throw new CommandException(unknown(arguments));
    }
    if (!command.takes(arguments.size())) {
      throw CommandException.arity(command.lower);
    }
    if (!command.beforeAuth()) {
      requireRight(command, arguments);
    }
    return command;
  }

  private void requireRight(Command command, List<byte[]> arguments) throws CommandException {
    User user = session.user;
    if (user == null) {
      throw new CommandException("NOAUTH Authentication required.");
    }
    if (!user.unlimited) {
      try {
        CommandRights.check(user, command, arguments);
      } catch (CommandException refused) {
        connections.warn(
            "command refused", session.remote, CommandRights.missing(user, command, arguments));
        throw refused;
      }
    }
  }

  private void run(Command command, List<byte[]> arguments, @Nullable ValueWriter value)
      throws CommandException {
    switch (command) {
      case GET, GETRANGE, MGET, STRLEN, EXISTS, DEL, UNLINK, TTL, PTTL, EXPIRE, TYPE, SCAN ->
          keys.run(command, arguments);
      case EBB_EXPLAIN,
          EBB_MATCH,
          EBB_MGETRANGE,
          EBB_PIN,
          EBB_REQUEST,
          EBB_ROUTE,
          EBB_UNPIN,
          EBB_WAIT ->
          ebb.run(command, arguments);
      case EBB_MAP, EBB_PLACE, EBB_COMMIT, EBB_ABORT, EBB_LEASE, EBB_RELEASE ->
          shared.run(command, arguments);
      case SET -> sets.set(arguments, value);
      case SETEX -> sets.setWithExpiry(arguments, value);
      case AUTH -> auth(arguments);
      case HELLO -> hello(arguments);
      case PING -> ping(arguments);
      case ECHO -> replies.bulk(arguments.get(1));
      case SELECT -> select(arguments);
      case QUIT -> {
        replies.ok();
        session.leaving = true;
      }
      default -> server.run(command, arguments);
    }
  }

  private void ping(List<byte[]> arguments) throws CommandException {
    if (arguments.size() > 2) {
      throw CommandException.arity("ping");
    }
    if (arguments.size() == 2) {
      replies.bulk(arguments.get(1));
    } else {
      replies.simple("PONG");
    }
  }

  private void select(List<byte[]> arguments) throws CommandException {
    long index = Text.integer(arguments.get(1));
    if (index != (int) index) {
      throw new CommandException(
          "ERR value is out of range, value must between %d and %d"
              .formatted(Integer.MIN_VALUE, Integer.MAX_VALUE));
    }
    if (index != 0) {
      throw new CommandException("ERR DB index is out of range");
    }
    replies.ok();
  }

  private void auth(List<byte[]> arguments) throws CommandException {
    if (arguments.size() > 3) {
      throw CommandException.syntax();
    }
    if (arguments.size() == 2 && connections.users.hasOpenDefault()) {
      throw new CommandException(
          "ERR AUTH <password> called without any password configured for the default user. Are you"
              + " sure your configuration is correct?");
    }
    byte[] user = arguments.size() == 3 ? arguments.get(1) : DEFAULT_USER;
    login(user, arguments.getLast(), replies::ok);
  }

  private void login(byte[] name, byte[] password, Runnable then) {
    remote.await(
        connections.users.login(session.host(), name, password),
        login -> {
          if (login.refusal() != null) {
            throw new CommandException(login.refusal());
          }
          session.user = login.user();
          then.run();
        });
  }

  private void hello(List<byte[]> arguments) throws CommandException {
    int protocol = session.protocol;
    if (arguments.size() > 1) {
      long asked =
          Text.integer(arguments.get(1), "ERR Protocol version is not an integer or out of range");
      if (asked != 2 && asked != 3) {
        throw new CommandException("NOPROTO unsupported protocol version");
      }
      protocol = (int) asked;
    }
    String name = session.name;
    int credentials = 0;
    for (int i = 2; i < arguments.size(); i++) {
      String option = Text.upper(arguments.get(i));
      if (option.equals("AUTH") && i + 2 < arguments.size()) {
        credentials = i + 1;
        i += 2;
      } else if (option.equals("SETNAME") && i + 1 < arguments.size()) {
        name = ServerCommands.checkedName(arguments.get(++i));
      } else {
        throw new CommandException(
            "ERR Syntax error in HELLO option '" + Text.shown(arguments.get(i)) + "'");
      }
    }
    if (credentials > 0) {
      int chosen = protocol;
      String given = name;
      login(arguments.get(credentials), arguments.get(credentials + 1), () -> greet(chosen, given));
    } else if (session.user == null) {
      throw new CommandException(
          "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
              + " <proto> AUTH <user> <pass> option can be used to authenticate the client and"
              + " select the RESP protocol version at the same time");
    } else {
      greet(protocol, name);
    }
  }

  private void greet(int protocol, String name) {
    session.name = name;
    session.protocol = protocol;
    server.greet();
  }

  private static String unknown(List<byte[]> arguments) {
    StringBuilder shown = new StringBuilder();
    for (int i = 1; i < arguments.size() && shown.length() < SHOWN; i++) {
      String text = Text.shown(arguments.get(i), SHOWN - shown.length());
      shown.append('\'').append(text).append("' ");
    }
    return "ERR unknown command '%s', with args beginning with: %s"
        .formatted(Text.shown(arguments.getFirst(), SHOWN), shown);
  }
}

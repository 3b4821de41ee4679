package dev.ebb.host.resp;

import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Replies;
import dev.ebb.host.resp.session.Session;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.resp.session.User;
import dev.ebb.host.store.ValueWriter;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

final class Commands implements AutoCloseable {

  private static final int SHOWN = 128;

  /**
   * The first words of HTTP requests, whose body might contain commands: such a connection is
   * closed.
   */
  private static final Set<String> HTTP = Set.of("POST", "HOST:");

  final Connections connections;
  final Session session;
  final Replies replies;
  final RemoteAccess remote;
  final KeyCommands keys;
  final SetCommands sets;
  final EbbCommands ebb;
  final SharedMemoryCommands shared;
  final SequenceCommands sequences;
  final ServerCommands server;
  final LoginCommands logins;

  Commands(Connections connections, Session session, Replies replies, RemoteAccess remote) {
    this.connections = connections;
    this.session = session;
    this.replies = replies;
    this.remote = remote;
    keys = new KeyCommands(this);
    sets = new SetCommands(this);
    ebb = new EbbCommands(this);
    shared = new SharedMemoryCommands(this);
    sequences = new SequenceCommands(this);
    server = new ServerCommands(this);
    logins = new LoginCommands(this);
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
      command.run(this, arguments, value);
    } catch (CommandException refused) {
      replies.error(refused.reply());
    } finally {
      if (value != null && !remote.waits()) {
        value.close();
      }
    }
  }

  boolean holdsSharedMemory() {
    return shared.holdsMemory() || sequences.holdsMemory();
  }

  @Override
  public void close() {
    remote.close();
    shared.close();
    sequences.close();
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
